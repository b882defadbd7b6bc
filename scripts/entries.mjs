// The files of the package, and what each is made of. scripts/build.mjs reads these tables; a test
// compares them with `exports` of package.json. A new entry is a line here and one there.

/** Modules of user code: ES modules for any platform. Parts that they share are chunks. */
export const RUNTIME = {
  index: "runtime/index.ts",
  testing: "runtime/testing.ts",
  delta: "runtime/delta/index.ts",
  captured: "runtime/captured.ts",
  "delta-higher": "runtime/delta/higher/index.ts",
  implicit: "runtime/implicit/index.ts",
};

/** Modules of user code that share nothing, and stand alone where their code is instrumented. */
export const ALONE = {
  tree: "runtime/tree/index.ts",
  vector: "runtime/vector/index.ts",
};

/** Modules that build tools load. Each is one export of compiler.cjs, by `require` and `import`. */
export const TOOLS = {
  esbuild: "transformer/hosts/esbuild.ts",
  vite: "transformer/hosts/vite.ts",
  webpack: "transformer/hosts/webpack.ts",
  loader: "transformer/hosts/loader.ts",
  bun: "transformer/hosts/bun.ts",
  jest: "transformer/hosts/jest.ts",
};

/** Small CommonJS files of their own, which may load compiler.cjs. */
export const STARTERS = {
  transform: "transformer/hosts/transform.ts",
  "webpack-loader": "transformer/hosts/webpack-loader.ts",
  register: "transformer/hosts/register.ts",
  "register-hooks": "transformer/hosts/register-hooks.ts",
  twins: "transformer/hosts/twins.ts",
  tsgrad: "transformer/hosts/tsgrad.ts",
  plugin: "transformer/hosts/plugin.ts",
};

/** Programs with libraries of their own, minified: nobody imports them. */
export const PROGRAMS = {
  lsp: "transformer/hosts/lsp.ts",
};
