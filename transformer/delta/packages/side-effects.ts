// Whether evaluating a module may affect others. In: a package's file. Out: `sideEffects` of its
// package.json: absent is yes, an array names files that may. Invariant: when unreadable, yes.

export class SideEffects {
  readonly #read: (file: string) => string | undefined;
  /** By package folder: patterns of files, or one answer for all. */
  readonly #said = new Map<string, readonly RegExp[] | boolean>();

  constructor(read: (file: string) => string | undefined) {
    this.#read = read;
  }

  has(file: string): boolean {
    const folder = folderOf(file);
    if (folder === null) return true;
    const said = this.#said.get(folder) ?? this.#sayings(folder);
    this.#said.set(folder, said);
    return typeof said === "boolean"
      ? said
      : said.some((pattern) => pattern.test(file.slice(folder.length + 1)));
  }

  #sayings(folder: string): readonly RegExp[] | boolean {
    const said = field(this.#read(`${folder}/package.json`));
    if (Array.isArray(said))
      return said.filter((pattern) => typeof pattern === "string").map(patternOf);
    return said !== false;
  }
}

/** The package's folder: two names after the last `node_modules` for a scope, else one. */
function folderOf(file: string): string | null {
  const at = file.lastIndexOf("/node_modules/");
  const found =
    at < 0 ? null : /^(?:@[^/]+\/)?[^/]+/.exec(file.slice(at + "/node_modules/".length));
  return found === null ? null : file.slice(0, at + "/node_modules/".length + found[0].length);
}

function field(json: string | undefined): unknown {
  try {
    const value: unknown = JSON.parse(json ?? "{}");
    return typeof value === "object" && value !== null && "sideEffects" in value
      ? value.sideEffects
      : true;
  } catch {
    return true; // an unreadable package.json
  }
}

/** `*.css` matches files of any folder, `./src/*.js` of that folder, `**` any folders. */
function patternOf(pattern: string): RegExp {
  const path = pattern.replace(/^\.?\//, "");
  const whole = path.includes("/") || pattern.startsWith("./") ? path : `**/${path}`;
  const text = whole
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replace(/\*\*\/|\*\*|\*|\?/g, (found) =>
      found === "**/" ? "(?:.*/)?" : found === "**" ? ".*" : found === "*" ? "[^/]*" : "[^/]",
    );
  return new RegExp(`^${text}$`);
}
