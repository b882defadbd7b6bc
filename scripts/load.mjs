// Loads a TypeScript module of the checkout into a script, on a Node that cannot do so itself. In: a path from the repository's root.
// Out: its exports. Packages stay outside; the bundle stands in node_modules/.cache, so that they are found from there.

import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");

export async function load(name) {
  const outfile = path.join(
    root,
    "node_modules/.cache/tsgrad",
    `${name.replaceAll(/[^\w]+/g, "-")}-${process.pid}.mjs`,
  );
  await build({
    entryPoints: [path.join(root, name)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    packages: "external",
    logLevel: "warning",
  });
  return import(pathToFileURL(outfile).href);
}
