// The workloads of fixtures/bench, compiled without their packages. In: the files of the folder. Out: the code that tsgrad emits for a workload, and the modules of all,
// ready to run. Invariant: peers are never loaded.

import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import type ts from "typescript";
import type { Edit } from "../../transformer/ir/facts.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { derivativesOf } from "../../transformer/pipeline.ts";
import { root } from "../golden.ts";
import { programOf } from "../program.ts";

const FOLDER = path.join(root, "fixtures/bench");
/** The package's own options, where they matter to types. */
const OPTIONS: ts.CompilerOptions = {
  noUncheckedIndexedAccess: false,
  exactOptionalPropertyTypes: true,
};

export const workloads = readdirSync(path.join(FOLDER, "workloads")).filter((name) =>
  files(name).some((file) => file.endsWith("/index.ts")),
);

function files(workload: string): string[] {
  return readdirSync(path.join(FOLDER, "workloads", workload))
    .filter((name) => name.endsWith(".ts") && name !== "peers.ts")
    .map((name) => `workloads/${workload}/${name}`);
}

const read = (file: string): string => readFileSync(path.join(FOLDER, file), "utf8");
const SHARED = ["random.ts", "workload.ts", "harness/numbers.ts", "harness/check.ts"];
const texts = new Map([...SHARED, ...workloads.flatMap(files)].map((file) => [file, read(file)]));

/** All files a file needs, itself among them. */
function reached(file: string, found: Set<string> = new Set()): Set<string> {
  if (found.has(file) || !texts.has(file)) return found;
  found.add(file);
  for (const [, target = ""] of (texts.get(file) ?? "").matchAll(/ from "(\.[^"]+)"/g))
    reached(path.posix.join(path.posix.dirname(file), target), found);
  return found;
}

export interface Compiled {
  /** By name from fixtures/bench; files that tsgrad does not change are as they were. */
  readonly texts: ReadonlyMap<string, string>;
  readonly errors: readonly string[];
  readonly derivatives: ReturnType<typeof derivativesOf>;
}

function compiled(sources: ReadonlyMap<string, string>): Compiled {
  const host = programOf(
    Object.fromEntries([...sources].map(([file, text]) => [`/src/${file}`, text])),
    OPTIONS,
  );
  const derivatives = derivativesOf(host);
  const { edits } = derivatives.emitted;
  const { diagnostics } = derivatives.compiled;
  const errors = diagnostics
    .filter(({ severity }) => severity === "error")
    .map(({ code, message, span }) => `${span.file} ${code} ${message}`);
  return {
    texts: new Map(
      [...sources].map(([file, text]) => [
        file,
        applyEdits(`/src/${file}`, text, edits.get(`/src/${file}`) ?? []).text,
      ]),
    ),
    errors,
    derivatives,
  };
}

const linesOf = (text: string | undefined): number => (text ?? "").split("\n").length;

/** What the static engine emits for one workload alone: the changed files but for the call sites. */
export function emitted(workload: string): {
  readonly text: string;
  readonly errors: readonly string[];
  readonly files: Readonly<Record<string, string>>;
} {
  const own = `workloads/${workload}/tsgrad.ts`;
  // the Delta engine's code is not read here
  const sources = new Map(
    [...reached(own)].map((file) => [
      file,
      file.endsWith("/tsgrad.ts")
        ? (texts.get(file) ?? "").replace(/^export const delta = [^;]*;\n/m, "")
        : (texts.get(file) ?? ""),
    ]),
  );
  const { texts: after, errors } = compiled(sources);
  const changed = [...after].filter(
    ([file, text]) =>
      text !== sources.get(file) && (file !== own || linesOf(text) > linesOf(sources.get(file))),
  );
  return {
    text: changed.map(([, text]) => text).join("\n"),
    errors,
    files: Object.fromEntries([...after].map(([file, text]) => [`/src/${file}`, text])),
  };
}

export const all = compiled(texts);

/** `all`, with other code in place of what is emitted. */
export const rewritten = (
  rewrite: (edits: readonly Edit[]) => readonly Edit[],
): ReadonlyMap<string, string> =>
  new Map(
    [...texts].map(([file, text]) => [
      file,
      applyEdits(
        `/src/${file}`,
        text,
        rewrite(all.derivatives.emitted.edits.get(`/src/${file}`) ?? []),
      ).text,
    ]),
  );

let count = 0;

/** The exports of `entry`, a module's text that imports from fixtures/bench. */
export async function loaded(
  entry: string,
  modules: ReadonlyMap<string, string> = all.texts,
): Promise<Readonly<Record<string, unknown>>> {
  const outfile = path.join(
    root,
    "node_modules/.cache/tsgrad",
    `bench-${process.pid}-${count++}.mjs`,
  );
  await build({
    stdin: { contents: entry, resolveDir: FOLDER, loader: "ts" },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    logLevel: "silent",
    alias: {
      tsgrad: path.join(root, "runtime/index.ts"),
      "tsgrad/delta": path.join(root, "runtime/delta/index.ts"),
    },
    external: ["*/peers.ts"],
    plugins: [
      {
        name: "compiled",
        setup: ({ onLoad }) =>
          onLoad({ filter: /fixtures[\\/]bench[\\/].*\.ts$/ }, ({ path: file }) => {
            const contents = modules.get(path.relative(FOLDER, file).split(path.sep).join("/"));
            return contents === undefined ? undefined : { contents, loader: "ts" };
          }),
      },
    ],
  });
  return import(outfile);
}
