// What judges a mutant (scripts/mutate.mjs): programs of the corpus, and the tests of the suite. Input: texts of sources in which
// each mutant is a choice. Output: for a mutant who meets it, and who of them fails with it alone. Goldens do not judge. What
// meets what is measured once and kept in node_modules/.cache until a source, a test or a program changes.

import { fork } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { root } from "./load.mjs";

const cache = path.join(root, "node_modules/.cache/tsgrad");
const NOTE =
  "const $m = (id: number): boolean => ((globalThis as any).$met?.add(id), (globalThis as any).$active === id);";

/** Files below some places, with paths from the root. */
export function filesBelow(...places) {
  return places.flatMap((place) => {
    const full = path.join(root, place);
    if (fs.statSync(full).isFile()) return [place];
    const below = fs.readdirSync(full, {
      recursive: true,
      withFileTypes: true,
    });
    return below
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
      .sort();
  });
}

/** A child that answers one question at a time; it is started again after one that never ends. */
function childOf(start) {
  let child = null;
  const end = () => {
    if (child === null) return;
    child.removeAllListeners();
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      child.kill("SIGKILL");
    }
    child = null;
  };
  process.on("exit", end);
  const ask = (message, patience) =>
    new Promise((resolve) => {
      const done = (answer) => {
        clearTimeout(timer);
        child?.removeAllListeners();
        if (answer.isLost) end();
        resolve(answer);
      };
      const timer = setTimeout(() => done({ isLost: true, problem: "never ends" }), patience);
      if (child === null) {
        child = start();
        child.once("message", () => child.once("message", done).send(message));
      } else child.once("message", done).send(message);
      child.once("exit", () => done({ isLost: true, problem: "the process ends" }));
    });
  return { ask, end };
}

const STDIO = ["ignore", "ignore", "inherit", "ipc"];

/** What is measured for a key, or was before. */
async function measured(name, files, measure) {
  const hash = createHash("sha1");
  for (const file of files) hash.update(file).update(fs.readFileSync(path.join(root, file)));
  const place = path.join(cache, `${name}-${hash.digest("hex").slice(0, 16)}.json`);
  if (fs.existsSync(place)) return JSON.parse(fs.readFileSync(place, "utf8"));
  const start = performance.now();
  const result = await measure();
  console.log(`measured ${name} in ${((performance.now() - start) / 1000).toFixed()} s`);
  fs.mkdirSync(cache, { recursive: true });
  fs.writeFileSync(place, JSON.stringify(result));
  return result;
}

/** The order of those that may meet a mutant: by how much of its file they meet, and by whom of it they killed before. */
class Ranking {
  #kills = new Map();
  #mutants;
  constructor(mutants) {
    this.#mutants = mutants;
  }
  #share(judge, mutant) {
    const { met } = judge;
    // a test that has not run yet
    if (met === null) return isNear(judge, mutant.file) ? 0.5 : 0;
    const own = [...met].filter((id) => this.#mutants[id].file === mutant.file);
    return own.length / met.size;
  }
  #score(judge, mutant) {
    const kills = this.#kills.get(`${mutant.file} ${judge.name}`) ?? 0;
    return kills + this.#share(judge, mutant);
  }
  ordered(judges, mutant) {
    return judges
      .map((judge) => ({ judge, score: this.#score(judge, mutant) }))
      .sort((a, b) => b.score - a.score)
      .map(({ judge }) => judge);
  }
  note(judge, mutant) {
    const key = `${mutant.file} ${judge.name}`;
    this.#kills.set(key, (this.#kills.get(key) ?? 0) + 1);
  }
}

// ---------------------------------------------------------------------------------------------------- programs

/** Programs that are tried for one mutant, from all of those that meet it. */
const TRIED = 16;
const PATIENCE = 120_000;

export async function judgeByPrograms(texts, mutants) {
  const bundle = path.join(root, "node_modules/.cache", `mutants-${process.pid}.mjs`);
  await bundled(texts, bundle);
  process.on("exit", () => fs.rmSync(bundle, { force: true }));
  const { ask, end } = childOf(() => fork(bundle, [], { stdio: STDIO, detached: true }));
  const places = ["transformer", "runtime", "fixtures/programs", "tests/programs"];
  const files = filesBelow(...places, "scripts/mutants.mjs");
  const programs = await measured("mutants-by-programs", files, async () => {
    const { names } = await ask({ kind: "names" }, PATIENCE);
    const found = [];
    for (const name of names) {
      const { results = [] } = await ask(
        { kind: "run", name, active: -1, ways: [0, 1, 2] },
        PATIENCE,
      );
      for (const { way, met, problem } of results)
        if (problem === null) found.push({ name: `${name} ${way}`, met });
    }
    return found;
  });
  for (const one of programs) one.met = new Set(one.met);
  const ranking = new Ranking(mutants);
  const isMet = ({ id }) => programs.some(({ met }) => met.has(id));

  async function judge(mutant) {
    const meeting = programs.filter(({ met }) => met.has(mutant.id));
    for (const one of ranking.ordered(meeting, mutant).slice(0, TRIED)) {
      const [name, way] = one.name.split(" ");
      const question = {
        kind: "run",
        name,
        active: mutant.id,
        ways: [Number(way)],
      };
      const { results, problem = results?.[0].problem ?? null } = await ask(question, PATIENCE);
      if (problem === null) continue;
      ranking.note(one, mutant);
      return { met: meeting.length, killer: `${name}: ${problem}` };
    }
    return { met: meeting.length, killer: null };
  }
  return { judge, isMet, end };
}

async function bundled(texts, outfile) {
  await build({
    entryPoints: [path.join(root, "tests/programs/mutation-child.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    packages: "external",
    logLevel: "error",
    plugins: [
      {
        name: "mutants",
        setup: ({ onLoad }) => {
          onLoad({ filter: /\.ts$/ }, ({ path: file }) => loaded(texts, file));
        },
      },
    ],
  });
}

/** A file as it stands, or with mutants; it says where it is although it is part of a bundle. */
function loaded(texts, file) {
  const text = textOf(texts, path.relative(root, file));
  const contents = text
    .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(file).href))
    .replaceAll("import.meta.dirname", JSON.stringify(path.dirname(file)));
  return { contents, loader: "ts" };
}

function textOf(texts, file) {
  const text = texts.get(file);
  return text === undefined ? fs.readFileSync(path.join(root, file), "utf8") : `${NOTE}\n${text}`;
}

// ------------------------------------------------------------------------------------------------------- tests

/** Tests of layout, of documents, and of what is built elsewhere. */
const ELSEWHERE =
  /^tests\/(?:asymptotics|bench|docs|examples|explain|house|package|packages|papers|types|wild)\//;
const GOLDEN = /golden[^/]*\.test\.ts$/;

/** Seconds of tests for one mutant, and what a file takes that has not run yet. */
const BUDGET = 120;
const UNKNOWN = 4;

export function judgeByTests(texts, mutants) {
  const copy = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "tsgrad-mutants-")));
  process.on("exit", () => fs.rmSync(copy, { recursive: true, force: true }));
  copied(texts, copy);
  const script = path.join(copy, "scripts/mutation-tests.mjs");
  const { ask, end } = childOf(() =>
    fork(script, [copy], { cwd: copy, stdio: STDIO, detached: true }),
  );
  const tests = filesBelow("tests")
    .filter((name) => name.endsWith(".test.ts") && !GOLDEN.test(name) && !ELSEWHERE.test(name))
    .map((name) => ({
      name,
      imports: importsOf(name),
      seconds: UNKNOWN,
      met: null,
    }));
  const ranking = new Ranking(mutants);

  /** Those that may meet it: near ones, and those that meet much of its file, come first. */
  function chosen(mutant) {
    const own = tests.filter((one) => one.met?.has(mutant.id) ?? true);
    const result = [];
    let seconds = 0;
    for (const one of ranking.ordered(own, mutant)) {
      if (result.length > 0 && seconds + one.seconds > BUDGET) continue;
      result.push(one);
      seconds += one.seconds;
    }
    const unknown = result.filter(({ met }) => met === null).length;
    const patience = 120_000 + seconds * 4000 + unknown * 60_000;
    return { files: result.map(({ name }) => name), patience };
  }

  async function judge(mutant) {
    const { files, patience } = chosen(mutant);
    if (files.length === 0) return { met: 0, killer: null };
    const { problem, results = [] } = await ask({ files, active: mutant.id }, patience);
    for (const one of tests) {
      const result = results.find(({ name }) => name === one.name);
      if (result === undefined) continue;
      one.seconds = result.seconds;
      one.met = new Set([...(one.met ?? []), ...result.met]);
    }
    const killer = tests.find(({ name }) => problem?.startsWith(`${name}:`));
    if (killer !== undefined) {
      const plain = await ask({ files: [killer.name], active: -1 }, patience);
      if (plain.problem !== null) {
        tests.splice(tests.indexOf(killer), 1);
        return judge(mutant);
      }
      ranking.note(killer, mutant);
    }
    return {
      met: tests.filter(({ met }) => met?.has(mutant.id)).length,
      killer: problem,
    };
  }
  return { judge, end };
}

/** Whether a test stands where its source does, or imports from the source's folder. */
function isNear({ name, imports }, source) {
  const folder = path.dirname(source);
  const mirrored = folder.replace(/^transformer\/|^runtime\//, "").split("/")[0];
  return (
    name.startsWith(`tests/${mirrored}/`) || imports.some((file) => path.dirname(file) === folder)
  );
}

/** What a test and its helpers import. */
function importsOf(file, known = new Set()) {
  const text = fs.readFileSync(path.join(root, file), "utf8");
  for (const [, specifier] of text.matchAll(/from "(\.[^"]*\.ts)"/g)) {
    const target = path.join(path.dirname(file), specifier);
    if (known.has(target) || !fs.existsSync(path.join(root, target))) continue;
    known.add(target);
    if (target.startsWith("tests/")) importsOf(target, known);
  }
  return [...known];
}

/** A checkout whose sources hold the mutants. What is only read is linked. */
function copied(texts, copy) {
  const own = ["transformer", "runtime", "tests", "scripts"];
  for (const entry of fs.readdirSync(root))
    if (own.includes(entry) || /\.(?:ts|json)$/.test(entry))
      fs.cpSync(path.join(root, entry), path.join(copy, entry), {
        recursive: true,
      });
    else if (entry !== ".git")
      fs.symlinkSync(fs.realpathSync(path.join(root, entry)), path.join(copy, entry));
  for (const file of texts.keys()) fs.writeFileSync(path.join(copy, file), textOf(texts, file));
}
