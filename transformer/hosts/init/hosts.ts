// The tools that compile a project, found from its files, and what each needs so that it writes
// derivatives.

import type { Insertion } from "./config-text.ts";
import type { ProjectFiles } from "./project-files.ts";

export const HOSTS = [
  "vite",
  "vitest",
  "webpack",
  "rspack",
  "rollup",
  "rolldown",
  "esbuild",
  "next",
  "jest",
  "tsc",
] as const;
export type HostName = (typeof HOSTS)[number];

export const isHost = (word: string): word is HostName =>
  (HOSTS as readonly string[]).includes(word); // wider, for includes

/** Tools that take the plugin as an element of `plugins` in a config of their name. */
const PLUGIN_OF: Readonly<Partial<Record<HostName, string>>> = {
  vite: "tsgrad/vite",
  vitest: "tsgrad/vite",
  rollup: "tsgrad/vite",
  rolldown: "tsgrad/vite",
  webpack: "tsgrad/webpack",
  rspack: "tsgrad/webpack",
};

/** The hosts of a project, `tsc` if there is no other. */
export function hostsOf(project: ProjectFiles): readonly HostName[] {
  const named = (["vite", "webpack", "rspack", "rollup", "rolldown"] as const).filter(
    (name) => project.config(`${name}.config`) !== null || usedAlone(project, name),
  );
  const found: HostName[] = [...named];
  if (project.range("next") !== null || project.config("next.config") !== null) found.push("next");
  if (found.length === 0 && (project.range("esbuild") !== null || esbuildScript(project) !== null))
    found.push("esbuild");
  // vitest reads Vite's config unless it has its own
  const hasVitest = project.range("vitest") !== null;
  if (
    project.config("vitest.config") !== null ||
    (hasVitest && project.config("vite.config") === null)
  )
    found.push("vitest");
  if (project.range("jest") !== null || jestConfig(project) !== null) found.push("jest");
  const compiles = !found.some((name) => name !== "vitest" && name !== "jest");
  return compiles ? ["tsc", ...found] : found;
}

/** Vite needs no config. */
const usedAlone = (project: ProjectFiles, name: string): boolean =>
  name === "vite" && project.range("vite") !== null && project.range("vitest") === null;

export const jestConfig = (project: ProjectFiles): string | null =>
  project.config("jest.config") ?? (project.manifest.jest === undefined ? null : "package.json");

/** The script that calls esbuild's `build`. */
export function esbuildScript(project: ProjectFiles): string | null {
  const known = project.config("esbuild.config");
  if (known !== null) return known;
  return (
    project
      .sources(/^(?:scripts\/)?[\w.-]+\.(?:m?js|cjs|mts|ts)$/)
      .find((name) => /(?:from|require\() ?["']esbuild["']/.test(project.read(name) ?? "")) ?? null
  );
}

/** The config that the plugin goes into, and how; null if there is no such file. */
export interface ConfigEdit {
  readonly file: string | null;
  readonly insertions: readonly Insertion[];
  /** A whole config, for a project without one or for a config that cannot be edited. */
  readonly lines: string;
  /** The name of a config that is made where there is none. */
  readonly isMade?: string;
}

export function configEdit(host: HostName, project: ProjectFiles): ConfigEdit | null {
  const plugin = PLUGIN_OF[host];
  if (plugin !== undefined) return pluginEdit(host, plugin, project);
  switch (host) {
    case "esbuild":
      return {
        file: esbuildScript(project),
        insertions: [
          {
            from: "tsgrad/esbuild",
            property: "plugins",
            value: "tsgrad()",
            kind: "element",
            calls: ["build", "buildSync", "context"],
          },
        ],
        lines: `// build.mjs: esbuild takes plugins from a script, not on its command line
import { build } from "esbuild";
import tsgrad from "tsgrad/esbuild";

await build({ entryPoints: ["src/main.ts"], bundle: true, outdir: "dist", plugins: [tsgrad()] });`,
      };
    case "next":
      return nextEdit(project);
    case "jest":
      return jestEdit(project);
    default:
      return null;
  }
}

function pluginEdit(host: HostName, plugin: string, project: ProjectFiles): ConfigEdit {
  const lines = `import tsgrad from "${plugin}";\n\nexport default { plugins: [tsgrad()] };`;
  const isVite = host === "vite" || host === "vitest";
  return {
    file: project.config(`${host}.config`),
    insertions: [{ from: plugin, property: "plugins", value: "tsgrad()", kind: "element" }],
    lines,
    ...(isVite
      ? { isMade: `${host}.config.${project.manifest.type === "module" ? "js" : "mjs"}` }
      : {}),
  };
}

const nextEdit = (project: ProjectFiles): ConfigEdit => ({
  file: project.config("next.config"),
  insertions: [
    {
      from: "tsgrad/webpack",
      property: "webpack",
      value: "(config) => {\n    config.plugins.push(tsgrad());\n    return config;\n  }",
      kind: "property",
    },
  ],
  lines: `import tsgrad from "tsgrad/webpack";

export default {
  webpack: (config) => {
    config.plugins.push(tsgrad());
    return config;
  },
};`,
});

function jestEdit(project: ProjectFiles): ConfigEdit {
  const [inner = "ts-jest"] = ["ts-jest", "@swc/jest", "babel-jest"].filter(
    (name) => project.range(name) !== null,
  );
  const pattern = '"^.+\\\\.[jt]sx?$"';
  const ignored = '["/node_modules/(?!.*tsgrad/)"]';
  const value = `{ ${pattern}: ["tsgrad/jest", { transformer: "${inner}" }] }`;
  return {
    file: jestConfig(project),
    insertions: [
      { from: null, property: "transform", value, kind: "property" },
      { from: null, property: "transformIgnorePatterns", value: ignored, kind: "property" },
    ],
    lines: `export default {
  transform: ${value},
  transformIgnorePatterns: ${ignored},
};`,
    isMade: `jest.config.${project.manifest.type === "module" ? "js" : "mjs"}`,
  };
}
