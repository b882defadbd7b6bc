// `tsgrad init`: sets a project up. It shows each change as a diff, asks, writes, and installs.

import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline/promises";
import { createTwoFilesPatch } from "diff";
import { print, printJson, type Process, WrongWords } from "../cli/command.ts";
import { suggested, type Words } from "../cli/words.ts";
import { HOSTS, type HostName, hostsOf, isHost } from "./hosts.ts";
import { type Change, type Plan, planFor } from "./plan.ts";
import { ProjectFiles } from "./project-files.ts";

export async function runInit(words: Words, { typescript }: Process): Promise<number> {
  const [folder = ".", ...more] = words.names;
  if (more.length > 0) throw new WrongWords("init takes one folder at most");
  const project = new ProjectFiles(path.resolve(folder));
  if (!project.has("package.json"))
    throw new WrongWords(
      `there is no package.json in ${project.folder}. Run \`npm init -y\` first`,
    );
  const hosts = chosen(words.value("host")) ?? hostsOf(project);
  const plan = planFor(typescript(), project, hosts, words.has("example"));
  const isDry = words.has("dry-run");
  if (words.has("json")) printJson({ ...plan, folder: project.folder });
  else print(described(plan));
  if (isDry || (plan.changes.length === 0 && plan.packages.length === 0))
    return finish(plan, words);
  if (!words.has("yes") && !(await isConfirmed())) return 1;
  for (const { file, after } of plan.changes) {
    mkdirSync(path.dirname(project.at(file)), { recursive: true });
    writeFileSync(project.at(file), after);
  }
  if (plan.packages.length > 0 && !install(project, plan.packages, words)) return 1;
  return finish(plan, words);
}

function finish({ notes }: Plan, words: Words): number {
  if (!words.has("json")) print(notes.join("\n"));
  return 0;
}

function chosen(list: string | undefined): readonly HostName[] | undefined {
  return list?.split(",").map((word) => {
    if (isHost(word)) return word;
    throw new WrongWords(
      `there is no host '${word}'${suggested(word, HOSTS)}. Hosts: ${HOSTS.join(", ")}`,
    );
  });
}

function described({ hosts, changes, packages }: Plan): string {
  const head = `Compiled by ${hosts.join(", ")}.`;
  if (changes.length === 0 && packages.length === 0) return `${head} Nothing to change.`;
  const install = packages.length === 0 ? [] : [`To install: ${packages.join(" ")}`];
  return [head, ...changes.map(diffOf), ...install].join("\n\n");
}

/** The change as a unified diff, in colours on a terminal. */
function diffOf({ file, before, after }: Change): string {
  const lines = createTwoFilesPatch(before === null ? "(new)" : file, file, before ?? "", after)
    .split("\n")
    .filter((line) => !/^(=====|Index:|\\ )/.test(line) && line !== "");
  const isColoured = process.stdout.isTTY && process.env["NO_COLOR"] === undefined;
  return lines.map((line) => (isColoured ? coloured(line) : line)).join("\n");
}

function coloured(line: string): string {
  if (/^(---|\+\+\+)/.test(line)) return `\u001b[1m${line}\u001b[22m`;
  if (line.startsWith("+")) return `\u001b[32m${line}\u001b[39m`;
  return line.startsWith("-") ? `\u001b[31m${line}\u001b[39m` : line;
}

async function isConfirmed(): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new WrongWords("nothing was changed, as nobody can be asked here. Add --yes to go on");
  const asking = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await asking.question("\nMake these changes? [Y/n] ");
  asking.close();
  return /^(|y|yes)$/i.test(answer.trim());
}

/** The words of each package manager that add a development dependency. */
const ADD = {
  npm: ["install", "--save-dev"],
  pnpm: ["add", "--save-dev"],
  yarn: ["add", "--dev"],
  bun: ["add", "--dev"],
} as const;

function install(project: ProjectFiles, packages: readonly string[], words: Words): boolean {
  const tool = project.packageManager;
  const line = [...ADD[tool], ...packages];
  if (words.has("no-install")) {
    print(`Not installed: ${tool} ${line.join(" ")}`);
    return true;
  }
  print(`\n${tool} ${line.join(" ")}`);
  const isWindows = process.platform === "win32"; // there the tools are .cmd files
  const done = spawnSync(tool, line, {
    cwd: project.folder,
    stdio: words.has("json") ? "ignore" : "inherit",
    shell: isWindows,
  });
  if (done.status !== 0) process.stderr.write(`tsgrad: ${tool} failed; run it by hand\n`);
  return done.status === 0;
}
