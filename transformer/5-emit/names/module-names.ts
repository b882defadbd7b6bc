// What generated functions and types are called, file by file, and who needs them from elsewhere. In: derived items, call sites,
// user texts. Out: identifiers, exports, imports. Invariant: no generated name is a name the user has in that file.

import type { Derived, Import, Shipped } from "../../ir/facts.ts";
import { invariant } from "../../ir/invariant.ts";
import { revf, revr, variableOf } from "../../ir/names.ts";
import type { Global, Home, Program } from "../../ir/types.ts";

/** `export { name as alias };` in a file, a function of that name that returns the variable, or `const alias = this;`. */
export interface VariableExport {
  readonly kind: "export" | "function" | "this";
  readonly file: string;
  readonly name: string;
  readonly alias: string;
  readonly block?: NonNullable<Global["block"]>;
}

export interface NamesInput {
  readonly program: Program;
  readonly derived: readonly Derived[];
  readonly shipped?: readonly Shipped[];
  readonly files: (file: string) => string;
  readonly specifier: (fromFile: string, toFile: string) => string;
  /** The name under which a file's user code sees a primal function; null where it does not. */
  readonly visibleName?: ((file: string, func: string) => string | null) | undefined;
}

export const derivedName = (item: Derived): string =>
  item.kind === "type" ? item.name : item.func.name;

export const homeOf = (program: Program, key: string): Home => {
  const home = program.homes.get(key);
  invariant(home !== undefined, `no home ${key}`);
  return home;
};

/** `loss.2$grad` -> `loss$grad`: the number tells functions of one program apart, not names of one file. */
const plain = (name: string): string => name.replaceAll(/\.\d+/g, "");

export class ModuleNames {
  /** Primals that another module's generated code calls, and what they are exported as. */
  readonly primalExports: Map<string, string> = new Map();
  readonly #input: NamesInput;
  readonly #homes = new Map<string, Home>();
  readonly #identifiers = new Map<string, string>();
  readonly #exported: Set<string>;
  readonly #imports = new Map<string, Import>();
  /** What a file calls what it imports. */
  readonly #locals = new Map<string, string>();
  readonly #variables = new Map<string, VariableExport>();
  readonly #words: (file: string) => Set<string>;

  constructor(input: NamesInput) {
    this.#input = input;
    this.#words = userWords(input.files);
    this.#exported = new Set((input.shipped ?? []).flatMap(({ revf, revr }) => [revf, revr]));
    for (const func of input.program.funcs.values()) {
      if (func.shipped !== true) continue;
      const home = homeOf(input.program, func.home);
      for (const name of [revf, revr])
        this.#place(name(func.name, null), home, name(home.name, null));
    }
    for (const item of input.derived) {
      const name = derivedName(item);
      const home = homeOf(input.program, item.home);
      this.#place(name, home, claimed(plain(name), this.#words(home.file)));
    }
  }

  #place(name: string, home: Home, identifier: string): void {
    this.#homes.set(name, home);
    this.#identifiers.set(name, identifier);
  }

  /** Identifier of a generated item in its own file. */
  own(name: string): string {
    return this.#identifiers.get(name) ?? plain(name);
  }

  isExported(name: string): boolean {
    return this.#exported.has(name);
  }

  variableExports(): readonly VariableExport[] {
    return [...this.#variables.values()];
  }

  imports(): readonly Import[] {
    return [...this.#imports.values()];
  }

  /** Identifier of a function, primal or generated, in the text of `file`. Notes the import and the export that it takes. */
  inFile(name: string, file: string): string {
    const home = this.#homes.get(name);
    if (home === undefined) return this.#primal(name, file);
    const own = this.own(name);
    if (home.file === file) return own;
    this.#exported.add(name);
    const local = this.#local(file, name, own);
    return this.#imported(file, own, local, this.#specifier(file, home), local);
  }

  #primal(name: string, file: string): string {
    const { program, visibleName, files } = this.#input;
    const func = program.funcs.get(name);
    // a class has a home and no function
    const home = func === undefined ? program.homes.get(name) : homeOf(program, func.home);
    if (home === undefined) return plain(name);
    const declared = home.owner ?? home.name;
    if (home.file === file) return declared;
    const specifier = this.#specifier(file, home);
    const visible =
      visibleName?.(file, name) ?? importedAs(home.exportName, files(file), specifier);
    if (visible !== null) return visible;
    if (home.exportName !== undefined) {
      const local = this.#local(file, name, plain(declared));
      return this.#imported(file, home.exportName, local, specifier, local);
    }
    const alias =
      this.primalExports.get(name) ?? claimed(`${plain(declared)}$value`, this.#words(home.file));
    this.primalExports.set(name, alias);
    return this.#imported(file, alias, alias, specifier, alias);
  }

  /** What a variable is called at a home that cannot name it: one of another module, which exports it for that, or one that a name of the block hides. */
  variable(global: Global, { file, hiding }: Home): string {
    // of `Cell.items` the class
    const [, name = "", rest = ""] = /^([^.[]*)(.*)$/su.exec(global.name) ?? [];
    const here = hiding?.[name];
    const { block } = global;
    if (global.isThis === true && block !== undefined && block !== null)
      return this.#noted(`this ${file} ${block.at}`, { kind: "this", file, name, block }).alias;
    // what a block declares is a name of that block, or of one in it
    const isOwn =
      global.file === file &&
      (here === undefined ||
        here === variableOf(global) ||
        (rest !== "" && global.block !== undefined));
    if (isOwn) return global.name;
    const kind = global.file === file ? "function" : "export";
    invariant(
      block !== null,
      () => `\`${name}\` cannot be named where another \`${name}\` hides it`,
    );
    if (kind === "export" && global.exportName !== undefined)
      return this.#exportedVariable(global.file, global.exportName, name, { file, hiding }) + rest;
    const key = `${kind} ${global.file} ${name} ${block?.at ?? ""}`;
    const known = this.#noted(key, {
      kind,
      file: global.file,
      name,
      ...(block === undefined ? {} : { block }),
    });
    if (kind === "function") return `${known.alias}()${rest}`;
    return (
      this.#imported(
        file,
        known.alias,
        this.#local(file, key, known.alias),
        this.#input.specifier(file, global.file),
        key,
      ) + rest
    );
  }

  #noted(key: string, wanted: Omit<VariableExport, "alias">): VariableExport {
    const known = this.#variables.get(key) ?? {
      ...wanted,
      alias: claimed(`${wanted.name}$value`, this.#words(wanted.file)),
    };
    this.#variables.set(key, known);
    return known;
  }

  /** What users import, too: under the name that the file has for it. */
  #exportedVariable(
    from: string,
    exportName: string,
    declared: string,
    { file, hiding }: { readonly file: string; readonly hiding: Home["hiding"] | undefined },
  ): string {
    const specifier = this.#input.specifier(file, from);
    const visible = importedAs(exportName, this.#input.files(file), specifier);
    if (visible !== null && hiding?.[visible] === undefined) return visible;
    const local = this.#local(
      file,
      `export ${from} ${exportName}`,
      exportName === "default" ? declared : exportName,
    );
    return this.#imported(file, exportName, local, specifier, local);
  }

  #local(file: string, key: string, wanted: string): string {
    const local = this.#locals.get(`${file}\n${key}`) ?? claimed(wanted, this.#words(file));
    this.#locals.set(`${file}\n${key}`, local);
    return local;
  }

  #specifier(file: string, from: Home): string {
    return from.specifier ?? this.#input.specifier(file, from.file);
  }

  /** `key`: once for each. */
  #imported(file: string, name: string, local: string, specifier: string, key: string): string {
    this.#imports.set(`${file}\n${key}\n${specifier}`, {
      file,
      name: local === name ? name : `${name} as ${local}`,
      specifier,
      typeOnly: false,
    });
    return local;
  }
}

/** The name under which a file's text imports what another file exports, if an ordinary import declaration does. */
function importedAs(
  exportName: string | undefined,
  text: string,
  specifier: string,
): string | null {
  if (exportName === undefined) return null;
  for (const [, clause = "", from] of text.matchAll(
    /^\s*import\s+([^;"']*?)\s*from\s*["']([^"']+)["']/gm,
  )) {
    if (from !== specifier || clause.startsWith("type ")) continue;
    const whole = /^([\p{ID_Start}$_][\p{ID_Continue}$]*)/u.exec(clause)?.[1];
    if (exportName === "default" && whole !== undefined) return whole;
    for (const part of (/\{([^}]*)\}/.exec(clause)?.[1] ?? "").split(",")) {
      const [name, local] = part.trim().split(/\s+as\s+/);
      if (name === exportName) return local ?? name;
    }
  }
  return null;
}

/** Every word of a file's text, comments and strings included: more than its names, and cheap. */
function userWords(files: (file: string) => string): (file: string) => Set<string> {
  const known = new Map<string, Set<string>>();
  return (file) => {
    const found = known.get(file);
    if (found !== undefined) return found;
    const words = new Set(
      Array.from(files(file).matchAll(/[\p{ID_Start}$_][\p{ID_Continue}$]*/gu), ([word]) => word),
    );
    known.set(file, words);
    return words;
  };
}

/** `wanted`, with a number where it is taken; taken from then on. */
export function claimed(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let number = 1; taken.has(name); number++) name = `${wanted}${number}`;
  taken.add(name);
  return name;
}
