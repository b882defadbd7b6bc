// Builds the package. In: runtime/ and transformer/hosts/, by the tables of entries.mjs. Out: dist/:
// ES modules for user code, the compiler once in compiler.cjs, small files that load it, and
// declarations. Invariant: declarations name no file that is not there.

import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { byIndex } from "./by-index.mjs";
import { withConstants } from "./constants.mjs";
import { declarationOf, declareModules, toolDeclaration } from "./declarations.mjs";
import { ALONE, PROGRAMS, RUNTIME, STARTERS, TOOLS } from "./entries.mjs";

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
  outdir: dist,
  logLevel: "warning",
  metafile: true,
};
const user = { ...common, format: "esm", platform: "neutral" };
const tool = {
  ...common,
  format: "cjs",
  outExtension: { ".js": ".cjs" },
  external: ["typescript"],
  // `main` may be a module that finds its parts only when it runs
  mainFields: ["module", "main"],
  // sources are ES modules
  define: { "import.meta.url": "ownAddress" },
  banner: { js: 'const ownAddress = require("node:url").pathToFileURL(__filename).href;' },
};

/** The default export as the module itself, so that `require` gives it. */
const DEFAULT_ALONE =
  "module.exports = module.exports.default;\nmodule.exports.default = module.exports;";

const exported = Object.entries(TOOLS).map(
  ([name, file]) => `export { default as ${name} } from "./${file}";`,
);

const results = await Promise.all([
  build({ ...user, entryPoints: RUNTIME, splitting: true, chunkNames: "runtime-[hash]" }),
  ...Object.entries(ALONE).map(([name, file]) => build({ ...user, entryPoints: { [name]: file } })),
  build({
    ...tool,
    stdin: {
      contents: ['export * from "./transformer/hosts/compiler.ts";', ...exported].join("\n"),
      resolveDir: root,
      sourcefile: "compiler.ts",
    },
    outdir: undefined,
    outfile: path.join(dist, "compiler.cjs"),
    plugins: [byIndex(root)],
    // each build reads it; a crash's place is found by building the version again with a source map
    minify: true,
    lineLimit: 160,
  }),
  build({ ...tool, entryPoints: STARTERS }),
  build({ ...tool, entryPoints: PROGRAMS, minify: true, lineLimit: 160 }),
]);

writeFileSync(
  path.join(dist, "third-party-licenses.txt"),
  licensesOf(results.flatMap(({ metafile }) => Object.keys(metafile.inputs))),
);

const compiler = createRequire(import.meta.url)(path.join(dist, "compiler.cjs"));
for (const name of Object.keys(TOOLS)) {
  // what `import` of an object's properties needs: Node finds their names in the text
  const members = typeof compiler[name] === "object" ? Object.keys(compiler[name]) : [];
  const named = members.length === 0 ? "" : `0 && (module.exports = { ${members.join(", ")} });\n`;
  writeFileSync(
    path.join(dist, `${name}.cjs`),
    `module.exports = require("./compiler.cjs").${name};\nmodule.exports.default = module.exports;\n${named}`,
  );
}
for (const name of Object.keys(STARTERS)) {
  const text = readFileSync(path.join(dist, `${name}.cjs`), "utf8");
  if (!text.includes("default: () =>")) continue;
  writeFileSync(path.join(dist, `${name}.cjs`), `${text}${DEFAULT_ALONE}\n`);
}
for (const name of readdirSync(dist).filter((n) => n.endsWith(".js")))
  writeFileSync(path.join(dist, name), withConstants(readFileSync(path.join(dist, name), "utf8")));

const command = path.join(dist, "tsgrad.cjs");
writeFileSync(command, `#!/usr/bin/env node\n${readFileSync(command, "utf8")}`);
chmodSync(command, 0o755);
await declareModules({ ...RUNTIME, ...ALONE }, dist);
for (const [name, file] of Object.entries(TOOLS))
  writeFileSync(path.join(dist, `${name}.d.cts`), toolDeclaration(name, declarationOf(at(file))));
copyFileSync(at("transformer/hosts/transform.d.cts"), path.join(dist, "transform.d.cts"));
writeFileSync(path.join(dist, "register.d.cts"), "export {};\n");
for (const name of readdirSync(dist).filter((n) => n.endsWith(".d.ts"))) checkImports(name);

/** The licences of packages whose code is in the bundles. */
function licensesOf(files) {
  const packages = new Set(
    files.flatMap((file) => {
      const [, folder] = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file) ?? [];
      return folder === undefined ? [] : [folder];
    }),
  );
  return [...packages]
    .sort()
    .map((folder) => {
      const { name, version, license } = JSON.parse(
        readFileSync(path.resolve(root, folder, "package.json"), "utf8"),
      );
      const file = readdirSync(path.resolve(root, folder)).find((n) => /^licen[cs]e/i.test(n));
      if (file === undefined) throw new Error(`${name} is bundled, but has no licence file`);
      const text = readFileSync(path.resolve(root, folder, file), "utf8").trim();
      return `${name} ${version} (${license})\n\n${text}\n`;
    })
    .join(`\n${"-".repeat(72)}\n\n`);
}

function checkImports(name) {
  const text = readFileSync(path.join(dist, name), "utf8");
  for (const [, target = ""] of text.matchAll(/from "(\.[^"]*)\.js"/g)) {
    if (!existsSync(path.join(dist, `${target}.d.ts`)))
      throw new Error(`dist/${name} imports ${target}.js, which has no declarations`);
  }
}
