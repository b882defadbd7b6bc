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
  "bun",
  "node",
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
  const bundlers: HostName[] = (
    ["vite", "webpack", "rspack", "rollup", "rolldown"] as const
  ).filter((name) => project.config(`${name}.config`) !== null || usedAlone(project, name));
  if (project.range("next") !== null || project.config("next.config") !== null)
    bundlers.push("next");
  const main = bundlers.length > 0 ? bundlers : [hostWithoutConfig(project)];
  return [...main, ...testRunners(project)];
}

function hostWithoutConfig(project: ProjectFiles): HostName {
  if (project.range("esbuild") !== null || esbuildScript(project) !== null) return "esbuild";
  if (project.script(COMPILES)) return "tsc";
  if (usesBun(project)) return "bun";
  return project.script(RUNS) ? "node" : "tsc";
}

function testRunners(project: ProjectFiles): readonly HostName[] {
  // vitest reads Vite's config unless it has its own
  const hasVitest =
    project.config("vitest.config") !== null ||
    (project.range("vitest") !== null && project.config("vite.config") === null);
  const hasJest = project.range("jest") !== null || jestConfig(project) !== null;
  return [...(hasVitest ? (["vitest"] as const) : []), ...(hasJest ? (["jest"] as const) : [])];
}

/** Lines of scripts that compile a project, and that run one as it stands. */
const COMPILES = /\b(?:tspc|tsgrad build|tsc\b(?![^&|;]*--noEmit))\b/;
const RUNS = /\btsgrad\/register\b|\b(?:tsx|ts-node)\b|\bnode\b[^&|;]*\.[cm]?ts\b/;

const usesBun = (project: ProjectFiles): boolean =>
  project.has("bunfig.toml") || project.packageManager === "bun" || bunScript(project) !== null;

/** Whether `next build` means Turbopack. */
export const usesTurbopack = (project: ProjectFiles): boolean =>
  !project.script(/\bnext\b[^&|;]*--webpack\b/) &&
  !/^\D*(?:[1-9]|1[0-5])(?:\.|$)/.test(project.range("next") ?? "16");

/** Vite needs no config. */
const usedAlone = (project: ProjectFiles, name: string): boolean =>
  name === "vite" && project.range("vite") !== null && project.range("vitest") === null;

export const jestConfig = (project: ProjectFiles): string | null =>
  project.config("jest.config") ?? (project.manifest.jest === undefined ? null : "package.json");

/** The script that calls esbuild's `build`. */
const esbuildScript = (project: ProjectFiles): string | null =>
  project.config("esbuild.config") ?? scriptWith(project, /(?:from|require\() ?["']esbuild["']/);

/** The script that calls `Bun.build`. */
const bunScript = (project: ProjectFiles): string | null => scriptWith(project, /\bBun\.build\(/);

const scriptWith = (project: ProjectFiles, pattern: RegExp): string | null =>
  project
    .sources(/^(?:scripts\/)?[\w.-]+\.(?:m?js|cjs|mts|ts)$/)
    .find((name) => pattern.test(project.read(name) ?? "")) ?? null;

/** Files that Bun loads before a program or a test. */
export function bunPreloads(project: ProjectFiles): readonly string[] {
  const lists = (project.read("bunfig.toml") ?? "").matchAll(/^\s*preload\s*=\s*(\[[^\]]*\]|.*)/gm);
  return [...lists].flatMap(([, list = ""]) =>
    [...list.matchAll(/["']([^"']+)["']/g)].map(([, name = ""]) => name.replace(/^\.\//, "")),
  );
}

/** The config that the plugin goes into, and how; null if there is no such file. */
export interface ConfigEdit {
  readonly file: string | null;
  readonly insertions: readonly Insertion[];
  /** A whole config, for a project without one or for a config that cannot be edited. */
  readonly lines: string;
  /** What is made where there is no config. */
  readonly made?: Readonly<Record<string, string>>;
}

export function configEdit(host: HostName, project: ProjectFiles): ConfigEdit | null {
  const plugin = PLUGIN_OF[host];
  if (plugin !== undefined) return pluginEdit(host, plugin, project);
  switch (host) {
    case "esbuild":
      return esbuildEdit(project);
    case "next":
      return nextEdit(project);
    case "bun":
      return bunEdit(project);
    case "jest":
      return jestEdit(project);
    default:
      return null;
  }
}

/** The build script that is made for esbuild, which takes no plugins on its command line. */
export const BUILD_SCRIPT = "build.mjs";

function esbuildEdit(project: ProjectFiles): ConfigEdit {
  const entries = project.sources(/^(?:src\/)?(?:main|index|app)\.tsx?$/);
  const lines = `import { build } from "esbuild";
import tsgrad from "tsgrad/esbuild";

await build({
  entryPoints: ["${entries[0] ?? "src/main.ts"}"],
  bundle: true,
  format: "esm",
  outdir: "dist",
  plugins: [tsgrad()],
});`;
  const hasBuild = project.manifest.scripts?.["build"] !== undefined;
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
    lines: `// ${BUILD_SCRIPT}, which "build": "node ${BUILD_SCRIPT}" in package.json runs: esbuild\n// takes plugins from a script, not on its command line\n${lines}`,
    ...(hasBuild ? {} : { made: { [BUILD_SCRIPT]: `${lines}\n` } }),
  };
}

function pluginEdit(host: HostName, plugin: string, project: ProjectFiles): ConfigEdit {
  const lines = `import tsgrad from "${plugin}";\n\nexport default { plugins: [tsgrad()] };`;
  const isVite = host === "vite" || host === "vitest";
  return {
    file: project.config(`${host}.config`),
    insertions: [{ from: plugin, property: "plugins", value: "tsgrad()", kind: "element" }],
    lines,
    ...(isVite ? { made: { [newConfig(host, project)]: `${lines}\n` } } : {}),
  };
}

function nextEdit(project: ProjectFiles): ConfigEdit {
  const file = project.config("next.config");
  if (usesTurbopack(project)) {
    const value = '{ rules: { "*.{ts,tsx}": { loaders: ["tsgrad/loader"] } } }';
    return {
      file,
      insertions: [{ from: null, property: "turbopack", value, kind: "property" }],
      lines: `export default {\n  turbopack: ${value},\n};`,
    };
  }
  const value = "(config) => {\n    config.plugins.push(tsgrad());\n    return config;\n  }";
  return {
    file,
    insertions: [{ from: "tsgrad/webpack", property: "webpack", value, kind: "property" }],
    lines: `import tsgrad from "tsgrad/webpack";\n\nexport default {\n  webpack: ${value},\n};`,
  };
}

/** A build of Bun takes the plugin itself; programs and tests have it from a file before them. */
function bunEdit(project: ProjectFiles): ConfigEdit {
  const script = bunScript(project);
  const plugin = `import tsgrad from "tsgrad/bun";\n\nBun.plugin(tsgrad());`;
  if (script !== null)
    return {
      file: script,
      insertions: [
        {
          from: "tsgrad/bun",
          property: "plugins",
          value: "tsgrad()",
          kind: "element",
          calls: ["Bun.build", "build"],
        },
      ],
      lines: `import tsgrad from "tsgrad/bun";\n\nawait Bun.build({ entrypoints: ["src/main.ts"], outdir: "dist", plugins: [tsgrad()] });`,
    };
  const [preload = null] = bunPreloads(project);
  return {
    file: preload ?? (project.has("bunfig.toml") ? "bunfig.toml" : null),
    insertions: [],
    lines: `# bunfig.toml\npreload = ["./preload.ts"]\n\n// preload.ts\n${plugin}`,
    made: {
      "bunfig.toml": `preload = ["./preload.ts"]\n\n[test]\npreload = ["./preload.ts"]\n`,
      "preload.ts": `${plugin}\n`,
    },
  };
}

function jestEdit(project: ProjectFiles): ConfigEdit {
  const [inner = "ts-jest"] = ["ts-jest", "@swc/jest", "babel-jest"].filter(
    (name) => project.range(name) !== null,
  );
  const pattern = '"^.+\\\\.[jt]sx?$"';
  const ignored = '["/node_modules/(?!.*tsgrad/)"]';
  const value = `{ ${pattern}: ["tsgrad/jest", { transformer: "${inner}" }] }`;
  const lines = `export default {
  transform: ${value},
  transformIgnorePatterns: ${ignored},
};`;
  return {
    file: jestConfig(project),
    insertions: [
      { from: null, property: "transform", value, kind: "property" },
      { from: null, property: "transformIgnorePatterns", value: ignored, kind: "property" },
    ],
    lines,
    made: { [newConfig("jest", project)]: `${lines}\n` },
  };
}

const newConfig = (host: HostName, { manifest }: ProjectFiles): string =>
  `${host}.config.${manifest.type === "module" ? "js" : "mjs"}`;
