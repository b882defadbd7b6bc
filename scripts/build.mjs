// Builds the package. In: runtime/ and transformer/hosts/. Out: dist/: ESM for what users import, CommonJS
// for ts-patch (which uses require), the command line, and declarations. Invariant: declarations name no file that is not there.

import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import ts from "typescript";
import { byIndex } from "./by-index.mjs";
import { withConstants } from "./constants.mjs";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const at = (...names) => path.join(root, ...names);
const dist = process.argv[2] === undefined ? at("dist") : path.resolve(process.argv[2]);
rmSync(dist, { recursive: true, force: true });
mkdirSync(dist, { recursive: true });

const common = {
  bundle: true,
  platform: "node",
  target: "node20",
  absWorkingDir: root,
  logLevel: "warning",
};
const plugins = [byIndex(root)];
const own = ["typescript", "@jridgewell/*", "esbuild", "vite"];

await Promise.all([
  // any platform: the runtime is user code
  build({
    ...common,
    entryPoints: {
      index: "runtime/index.ts",
      testing: "runtime/testing.ts",
      delta: "runtime/delta/index.ts",
      implicit: "runtime/implicit/index.ts",
    },
    outdir: dist,
    format: "esm",
    platform: "neutral",
    splitting: true,
    chunkNames: "runtime-[hash]",
  }),
  // shares nothing with the others, and stands alone where its code is instrumented
  build({
    ...common,
    entryPoints: { vector: "runtime/vector/index.ts" },
    outdir: dist,
    format: "esm",
    platform: "neutral",
  }),
  build({
    ...common,
    entryPoints: { tree: "runtime/tree/index.ts" },
    outdir: dist,
    format: "esm",
    platform: "neutral",
  }),
  build({
    ...common,
    entryPoints: {
      esbuild: "transformer/hosts/esbuild.ts",
      vite: "transformer/hosts/vite.ts",
      webpack: "transformer/hosts/webpack.ts",
      jest: "transformer/hosts/jest.ts",
      "webpack-loader": "transformer/hosts/webpack-loader.ts",
      tsgrad: "transformer/hosts/tsgrad.ts",
    },
    outdir: dist,
    format: "esm",
    splitting: true,
    chunkNames: "hosts-[hash]",
    external: own,
    plugins,
  }),
  // the transformer and the command line, and what starts the former
  ...Object.entries({
    "compiler.cjs": "transformer/hosts/compiler.ts",
    "transform.cjs": "transformer/hosts/transform.ts",
  }).map(([name, entry]) =>
    build({
      ...common,
      entryPoints: [entry],
      outfile: path.join(dist, name),
      format: "cjs",
      external: ["typescript"],
      plugins,
      // read by each build: a third is loaded sooner without what V8 only skips; names stay, for what a crash tells
      minifyWhitespace: true,
      lineLimit: 160,
      ...(name === "transform.cjs"
        ? {
            footer: {
              js: "module.exports = module.exports.default;\nmodule.exports.default = module.exports;",
            },
          }
        : {}),
    }),
  ),
]);

for (const name of readdirSync(dist).filter((n) =>
  /^(index|testing|delta|implicit|tree|vector|runtime-\w+)\.js$/.test(n),
)) {
  writeFileSync(path.join(dist, name), withConstants(readFileSync(path.join(dist, name), "utf8")));
}

const command = path.join(dist, "tsgrad.js");
writeFileSync(command, `#!/usr/bin/env node\n${readFileSync(command, "utf8")}`);
chmodSync(command, 0o755);

for (const name of readdirSync(at("runtime")).filter((n) => n.endsWith(".ts")))
  declare(at("runtime", name));
for (const folder of ["delta", "implicit", "tree", "vector"]) {
  mkdirSync(path.join(dist, folder), { recursive: true });
  for (const name of readdirSync(at("runtime", folder), { recursive: true }).filter((n) =>
    n.endsWith(".ts"),
  ))
    declare(at("runtime", folder, name), path.join(folder, path.dirname(name)));
  writeFileSync(path.join(dist, `${folder}.d.ts`), `export * from "./${folder}/index.js";\n`);
}
for (const name of ["esbuild.ts", "vite.ts", "webpack.ts", "jest.ts"])
  declare(at("transformer/hosts", name));
writeFileSync(
  path.join(dist, "transform.d.cts"),
  `import ts = require("typescript");

/**
 * The ts-patch entry: { "transform": "tsgrad/transform", "transformProgram": true }
 *
 * What a build has found out is kept in node_modules/.cache/tsgrad, so that one of the same sources and packages need not find it out again; TSGRAD_CACHE=off in the environment does without.
 */
declare function transformProgram(
  program: ts.Program,
  host: ts.CompilerHost | undefined,
  config: unknown,
  extras: { readonly ts: typeof ts },
): ts.Program;
export = transformProgram;
`,
);
for (const name of readdirSync(dist).filter((n) => n.endsWith(".d.ts"))) checkImports(name);

/** Each declaration from its own file alone: what is exported has its types written out. */
function declare(file, folder = ".") {
  const compilerOptions = {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    isolatedDeclarations: true,
    strict: true,
    verbatimModuleSyntax: true,
  };
  const { outputText, diagnostics = [] } = ts.transpileDeclaration(readFileSync(file, "utf8"), {
    fileName: file,
    compilerOptions,
    reportDiagnostics: true,
  });
  if (diagnostics.length > 0)
    throw new Error(
      ts.formatDiagnostics(diagnostics, {
        getCurrentDirectory: () => root,
        getCanonicalFileName: (f) => f,
        getNewLine: () => "\n",
      }),
    );
  mkdirSync(path.join(dist, folder), { recursive: true });
  writeFileSync(
    path.join(dist, folder, `${path.basename(file, ".ts")}.d.ts`),
    outputText.replace(/(["']\.\.?\/[^"']*)\.ts(["'])/g, "$1.js$2"),
  );
}

function checkImports(name) {
  const text = readFileSync(path.join(dist, name), "utf8");
  for (const [, target = ""] of text.matchAll(/from "(\.[^"]*)\.js"/g)) {
    if (!existsSync(path.join(dist, `${target}.d.ts`)))
      throw new Error(`dist/${name} imports ${target}.js, which has no declarations`);
  }
}
