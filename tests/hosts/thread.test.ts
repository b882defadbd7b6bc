// The other thread of a build, as a real one. In: jobs. Out: each is answered for as it is here, whoever compiles it; a thread that cannot, says nothing or breaks off leaves its jobs to others, and
// nobody waits for ever.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import { buildSync } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { analyse, type Beside, type Job, Kept, type Outcome, outcomeOf } from "../../transformer/analyse.ts";
import { analysedBeside, Thread } from "../../transformer/hosts/thread.ts";
import { programOf } from "../program.ts";
import { repository } from "./sandbox.ts";

let dir = "";
beforeAll(() => {
  dir = mkdtempSync(path.join(tmpdir(), "tsgrad-thread-"));
  for (const name of ["side", "compiler"]) {
    buildSync({ entryPoints: [path.join(repository, "transformer/hosts", `${name}.ts`)], outfile: path.join(dir, `${name}.cjs`), bundle: true, platform: "node", format: "cjs", external: ["typescript"], logLevel: "warning" });
  }
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const file = (name: string): Record<string, string> => ({ [`${name}.ts`]: `import { grad } from "tsgrad";\nexport function ${name}(x: number): number { return x * x * ${name.length}; }\nexport const d = grad(${name});\n` });

/** Of a program with so many groups. */
function jobsOf(count: number): readonly Job[] {
  let jobs: readonly Job[] = [];
  const beside: Beside = { take: (all) => { jobs = all; return all.map(outcomeOf); } };
  analyse({ ...programOf(Object.assign({}, ...Array.from({ length: count }, (_, k) => file(`f${"o".repeat(k)}`)))), kept: new Kept(), beside });
  expect(jobs.length).toBe(count);
  return jobs;
}

/** A file that runs as the thread. */
function script(text: string): string {
  const name = path.join(dir, `script-${Math.random()}.cjs`);
  writeFileSync(name, text);
  return name;
}

function taken(runs: string, jobs: readonly Job[], patience?: number): { readonly outcomes: readonly (Outcome | null)[]; readonly meanwhile: readonly ReadonlySet<string>[] } {
  const meanwhile: ReadonlySet<string>[] = [], edited = new Set(["a.ts"]);
  const thread = new Thread(runs, (files) => { meanwhile.push(files); }, patience);
  const outcomes = thread.take(jobs, edited);
  thread.end();
  expect(meanwhile).toEqual([edited]);
  return { outcomes, meanwhile };
}

test.each([1, 5, 30])("%d groups are answered for as they are here", (count) => {
  const jobs = jobsOf(count + 4);
  expect(taken(path.join(dir, "side.cjs"), jobs).outcomes).toEqual(jobs.map(outcomeOf));
});

test("a group that asks for what its job does not hold is nobody's, and the others are answered for", () => {
  const jobs = jobsOf(5), broken = jobs.map((job, at) => (at === 2 ? { ...job, texts: new Map() } : job));
  expect(taken(path.join(dir, "side.cjs"), broken).outcomes).toEqual(jobs.map((job, at) => (at === 2 ? null : outcomeOf(job))));
});

test.each<[string, string]>([
  ["is not there", ""],
  ["fails as it is loaded", "throw new Error('broken');"],
  ["says nothing", "setInterval(() => {}, 1000);"],
  ["ends by itself", "process.exit(3);"],
])("a thread that %s leaves what it would have compiled to others", (_what, text) => {
  const runs = text === "" ? path.join(dir, "nowhere.cjs") : script(text);
  expect(taken(runs, jobsOf(4), 200).outcomes).toEqual([null, null, null, null]);
});

test("one that breaks off has answered for what it has", () => {
  const jobs = jobsOf(4);
  const runs = script(`
    const { workerData: { port, answers } } = require("node:worker_threads");
    port.once("message", ({ jobs, begun }) => {
      Atomics.store(begun, 0, 1);
      port.postMessage({ job: 0, outcome: { edits: new Map(), diagnostics: [] } });
      Atomics.add(answers, 0, 1);
      Atomics.notify(answers, 0);
      process.exit(1);
    });`);
  expect(taken(runs, jobs, 200).outcomes).toEqual([{ edits: new Map(), diagnostics: [] }, null, null, null]);
});

test("a core has a thread where something else is to do, for a project's first program with several files that ask", () => {
  const files = { ...file("fa"), ...file("fb"), ...file("fc"), ...file("fd") };
  const used = (host: Partial<Parameters<typeof analyse>[0]>, runs: string | null = path.join(dir, "side.cjs"), texts: Record<string, string> = files): boolean => {
    let isBeside = false;
    analysedBeside((given) => { isBeside = given.beside !== undefined; return analyse(given); }, () => runs)({ ...programOf(texts), ...host });
    return isBeside;
  };
  const meanwhile = (): void => {}, before = new Kept();
  before.analyse(programOf(files));
  expect(used({ kept: new Kept(), meanwhile })).toBe(availableParallelism() > 1);
  expect([used({ kept: new Kept() }), used({ meanwhile }), used({ kept: before, meanwhile }), used({ kept: new Kept(), meanwhile }, null), used({ kept: new Kept(), meanwhile }, undefined, file("fa"))]).toEqual([false, false, false, false, false]);
});
