// A Vite plugin for the playground. It gives the worker its library as a module, TypeScript as one
// module without Node, and lets it read the compiler's sources beside `docs/`.

import { build } from "esbuild";
import type { Plugin } from "vite";
import { entries, library, ROOT } from "./library.ts";

const FILES = "virtual:tsgrad-library";
const RUNTIME = "virtual:tsgrad-runtime";

/** For the page and the workers, which have plugins of their own when the site is built. */
export function playground(): Plugin[] {
  return [modules(), page()];
}

function page(): Plugin {
  return {
    name: "tsgrad-playground",
    enforce: "pre",
    config: () => ({
      server: { fs: { allow: [ROOT] } },
      worker: { format: "es", plugins: () => [modules()] },
      build: { chunkSizeWarningLimit: 6000 },
    }),
    // pages are rendered without it, so the workers need not be bundled a second time
    load: (id, options) =>
      options?.ssr === true && id.endsWith("/Playground.vue")
        ? "<template><div /></template>"
        : null,
  };
}

function modules(): Plugin {
  return {
    name: "tsgrad-playground-modules",
    enforce: "pre",
    resolveId: (id) => ([FILES, RUNTIME, "typescript"].includes(id) ? `\0${id}` : null),
    async load(id) {
      switch (id) {
        case `\0${FILES}`:
          return `export default ${JSON.stringify(library())};`;
        case `\0${RUNTIME}`:
          return runtime();
        case "\0typescript":
          return await typescript();
        default:
          return null;
      }
    },
  };
}

/** What `import … from "tsgrad/vector"` gets when a program runs, by specifier. */
function runtime(): string {
  const all = [...entries()];
  return [
    ...all.map(([, file], i) => `import * as m${i} from ${JSON.stringify(file)};`),
    `export default { ${all.map(([name], i) => `${JSON.stringify(name)}: m${i}`).join(", ")} };`,
  ].join("\n");
}

/** TypeScript as a module. esbuild takes seconds where Rollup, which knows no CommonJS, takes a minute. */
async function typescript(): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: 'export { default } from "typescript";', resolveDir: ROOT },
    bundle: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    external: ["fs", "path", "os", "crypto", "inspector", "perf_hooks", "source-map-support"],
    minify: true,
    legalComments: "none",
    write: false,
    logLevel: "error",
  });
  return outputFiles[0]?.text ?? "";
}
