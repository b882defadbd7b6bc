// The core as the package has it, for the tests. In: transformer/ without hosts. Out: a vite plugin that hands tests its modules as esbuild makes them, once for a run. Run by vitest module for module each
// name of another module is a getter's call, and each worker transforms all of them again: an eighth of the tests' time. Invariant: every file stays a module of its own name, made once;
// a run that watches takes the sources, which change under it.

import { readdirSync, realpathSync, rmSync } from "node:fs";
import path from "node:path";
import { buildSync } from "esbuild";
import type { Plugin } from "vite";

const root = path.resolve(import.meta.dirname, "../transformer");

export function prebuilt(): Plugin {
  // packages are found from there
  const folder = path.join(
    realpathSync(path.resolve(root, "../node_modules")),
    `.cache/tsgrad-tests-${process.pid}`,
  );
  let made: ReadonlyMap<string, string> = new Map();
  return {
    name: "prebuilt",
    enforce: "pre",
    configResolved({ test }) {
      if (test?.watch === true) return;
      made = builtInto(folder);
      process.on("exit", () => {
        rmSync(folder, { recursive: true, force: true });
      });
    },
    resolveId(source, importer) {
      const file =
        source.startsWith(".") && importer !== undefined
          ? made.get(path.resolve(path.dirname(importer), source))
          : undefined;
      return file === undefined ? null : { id: file, external: true };
    },
  };
}

/** What was made of each source. Hosts know where their own file is: they stay what they are. */
function builtInto(folder: string): ReadonlyMap<string, string> {
  const names = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".ts") && !name.startsWith("hosts"),
  );
  buildSync({
    entryPoints: names.map((name) => path.join(root, name)),
    outbase: root,
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    chunkNames: "chunks/[hash]",
    platform: "node",
    target: "node20",
    format: "esm",
    packages: "external",
    sourcemap: true,
    logLevel: "warning",
  });
  return new Map(
    names.map((name) => [path.join(root, name), path.join(folder, name.replace(/\.ts$/, ".mjs"))]),
  );
}
