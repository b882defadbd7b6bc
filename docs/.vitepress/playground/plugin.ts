// A Vite plugin for the playground. It gives the worker its library as a module, lets it read the
// compiler's sources beside `docs/`, and keeps Node out of the bundle of TypeScript.

import type { Plugin } from "vite";
import { entries, library, ROOT } from "./library.ts";

const FILES = "virtual:tsgrad-library";
const RUNTIME = "virtual:tsgrad-runtime";

/** For the page and, by its own hook, for the workers. */
export function playground(): Plugin {
  return {
    ...modules(),
    config: () => ({
      server: { fs: { allow: [ROOT] } },
      worker: { format: "es", plugins: () => [modules()] },
      build: { chunkSizeWarningLimit: 6000 },
    }),
  };
}

function modules(): Plugin {
  return {
    name: "tsgrad-playground",
    enforce: "pre",
    resolveId: (id) => (id === FILES || id === RUNTIME ? `\0${id}` : null),
    load(id) {
      if (id === `\0${FILES}`) return `export default ${JSON.stringify(library())};`;
      return id === `\0${RUNTIME}` ? runtime() : null;
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
