// The reference of the command line, from the table of commands. Out: a section for each command,
// with its examples, flags and exit codes.

import { COMMANDS } from "../transformer/hosts/cli.ts";
import type { Command, Flag } from "../transformer/hosts/cli/command.ts";

export const commandPage = (): string =>
  Object.entries(COMMANDS)
    .map(([name, command]) => sectionOf(name, command))
    .join("\n\n");

function sectionOf(name: string, command: Command): string {
  const { about, details = [], usage, examples, flags, codes, takesCompilerFlags } = command;
  const rows = Object.entries(flags).map(
    ([flag, one]) => `| ${wordOf(flag, one)} | ${escaped(one.about)} |`,
  );
  const more = takesCompilerFlags === true ? ["| flags of `tsc` | as `tsc` takes them |"] : [];
  return [
    `## tsgrad ${name}`,
    sentence(about),
    details.map(escaped).join(" "),
    `\`tsgrad ${`${name} ${usage}`.trim()}\``,
    `\`\`\`sh\n${examples.map((line) => `npx ${line}`).join("\n")}\n\`\`\``,
    ["| flag | meaning |", "| --- | --- |", ...rows, ...more].join("\n"),
    [
      "| exit code | meaning |",
      "| --- | --- |",
      ...Object.entries(codes).map(([code, meaning]) => `| ${code} | ${escaped(meaning)} |`),
    ].join("\n"),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

const wordOf = (name: string, { short, value }: Flag): string => {
  const long = `--${name}${value === undefined ? "" : ` ${value}`}`;
  return `${short === undefined ? "" : `\`-${short}\`, `}\`${long}\``;
};

const escaped = (text: string): string => text.replace(/[<|]/g, "\\$&");

const sentence = (text: string): string =>
  escaped(`${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`);
