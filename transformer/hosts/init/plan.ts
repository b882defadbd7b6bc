// What `tsgrad init` would do to a project: changes of files, packages to install, and lines that
// the user has to add where a config cannot be edited safely. Nothing is written here.

import type { TypeScript } from "../../analyse.ts";
import { usesPlugin, withInsertion } from "./config-text.ts";
import { EXAMPLE, EXAMPLE_FILE } from "./example.ts";
import { BUILD_SCRIPT, configEdit, type HostName } from "./hosts.ts";
import type { ProjectFiles } from "./project-files.ts";
import { manifestFor, tsconfigFor, type Wanted } from "./settings.ts";

export interface Change {
  readonly file: string;
  /** null for a new file. */
  readonly before: string | null;
  readonly after: string;
}

export interface Plan {
  readonly hosts: readonly HostName[];
  readonly changes: readonly Change[];
  /** Development dependencies to add, with their ranges. */
  readonly packages: readonly string[];
  /** What the user has to do by hand, and the commands that come next. */
  readonly notes: readonly string[];
}

export function planFor(
  api: TypeScript,
  project: ProjectFiles,
  hosts: readonly HostName[],
  hasExample: boolean,
): Plan {
  const { version: patch, ...wanted } = wantedOf(project, hosts);
  const { compiles, tsJest } = wanted;
  const changes: Change[] = [];
  const notes: string[] = [];
  const change = (file: string, after: string | null): void => {
    const before = project.read(file);
    if (after !== null && after !== before) changes.push({ file, before, after });
  };
  if (hosts.includes("node") && !project.script(/\btsgrad\/register\b/))
    notes.push("Run programs and tests with `node --import tsgrad/register src/main.ts`.");
  const byHand = hosts.filter((host) => !configure(api, project, host, change, notes));
  if (compiles || tsJest || project.has("tsconfig.json") || hasExample)
    change("tsconfig.json", tsconfigFor(project, wanted));
  change("package.json", manifestFor(project, wanted));
  if (hasExample && !project.has(EXAMPLE_FILE)) change(EXAMPLE_FILE, EXAMPLE);
  const packages = [
    ...(project.range("tsgrad") === null ? ["tsgrad"] : []),
    ...(patch === null || project.range("ts-patch") !== null ? [] : [`ts-patch@${patch}`]),
  ];
  return {
    hosts,
    changes,
    packages,
    notes: [...notes, ...next(hosts, byHand, wanted, hasExample)],
  };
}

function wantedOf(
  project: ProjectFiles,
  hosts: readonly HostName[],
): Wanted & { readonly version: 3 | 4 | null } {
  const compiles = hosts.includes("tsc");
  const version = compiles ? patchFor(project) : null;
  const compiler = version === null ? "tsgrad build -p ." : "tspc -p .";
  const isBundled = hosts.includes("esbuild") && configEdit("esbuild", project)?.made !== undefined;
  return {
    compiles,
    version,
    patch: version !== null,
    tsJest: hosts.includes("jest") && !hasOtherJest(project),
    script: compiles ? compiler : isBundled ? `node ${BUILD_SCRIPT}` : null,
  };
}

const hasOtherJest = (project: ProjectFiles): boolean =>
  project.range("@swc/jest") !== null ||
  (project.range("babel-jest") !== null && project.range("ts-jest") === null);

/** The first version of TypeScript and of Node that ts-patch 4 takes. */
const PATCH_4 = { typescript: 6, node: [22, 15] } as const;

/**
 * The version of ts-patch for the project's TypeScript; null if the project has none of its own, or
 * one that ts-patch does not know: `tsgrad build` compiles it then.
 */
export function patchFor(project: ProjectFiles, node = process.versions.node): 3 | 4 | null {
  if (project.range("typescript") === null) return null;
  const major = Number(project.version("typescript")?.split(".", 1)[0]);
  if (!(major >= 5 && major < 7)) return null;
  const [nodeMajor = 0, nodeMinor = 0] = node.split(".").map(Number);
  const [leastMajor, leastMinor] = PATCH_4.node;
  const isNew = nodeMajor > leastMajor || (nodeMajor === leastMajor && nodeMinor >= leastMinor);
  return major >= PATCH_4.typescript && isNew ? 4 : 3;
}

/** False if the user has to add lines. */
function configure(
  api: TypeScript,
  project: ProjectFiles,
  host: HostName,
  change: (file: string, after: string) => void,
  notes: string[],
): boolean {
  const edit = configEdit(host, project);
  if (edit === null) return true;
  const { file, insertions, lines, made: files } = edit;
  if (file === null && files !== undefined) {
    for (const [name, text] of Object.entries(files)) change(name, text);
    return true;
  }
  const text = file === null ? null : project.read(file);
  if (text !== null && usesPlugin(text)) return true;
  const isEdited = insertions.length > 0 && file?.endsWith(".json") === false;
  const made = text !== null && isEdited ? withInsertion(api, file, text, insertions) : null;
  if (file !== null && made !== null) {
    change(file, made);
    return true;
  }
  const what = file === null ? `${host} has no config here` : `${file} cannot be edited safely`;
  notes.push(`${what}. It needs these lines:\n\n${indented(lines)}\n`);
  return false;
}

const indented = (text: string): string =>
  text
    .split("\n")
    .map((line) => (line === "" ? "" : `    ${line}`))
    .join("\n");

/** What to run after the set-up. `byHand`: hosts that need lines of the user's first. */
function next(
  hosts: readonly HostName[],
  byHand: readonly HostName[],
  { script }: Wanted,
  hasExample: boolean,
): string[] {
  if (script !== null)
    return [
      `Build with \`npm run build\`.${hasExample ? " Then run `node dist/tsgrad-example.js`." : ""}`,
    ];
  const since = byHand.length === 0 ? "from now on" : "once the lines above are there";
  return [
    `${hosts.join(" and ")} will write derivatives ${since}.${hasExample ? ` Import ./tsgrad-example.ts in your entry file to see the example.` : ""}`,
  ];
}
