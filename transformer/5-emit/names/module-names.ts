// Names of emitted functions and types in each file, with the imports and exports that these
// require. Invariant: no emitted name is a name of the user's in that file.

import type { Derived, Import, Shipped } from "../../ir/facts.ts";
import { invariant } from "../../ir/invariant.ts";
import { revf, revr, variableOf } from "../../ir/names.ts";
import { stringText } from "../../code/quote.ts";
import type { CapturedBy, Global, Home, Program, Type } from "../../ir/types.ts";

/** An `export { name as alias };`, a function `alias()`, or `const alias = this;`. */
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
}

interface HomeScope {
  readonly file: string;
  readonly hiding: Home["ambiguousNames"] | undefined;
}

export const derivedName = (item: Derived): string =>
  item.kind === "type" ? item.name : item.func.name;

export const homeOf = (program: Program, key: string): Home => {
  const home = program.homes.get(key);
  invariant(home !== undefined, `no home ${key}`);
  return home;
};

/** `loss.2$grad` -> `loss$grad`: the number distinguishes functions of a program, not of a file. */
const plain = (name: string): string => name.replaceAll(/\.\d+/g, "");

export class ModuleNames {
  /** Primals that another module's emitted code calls, with their export names. */
  readonly primalExports: Map<string, string> = new Map();
  readonly #input: NamesInput;
  readonly #homes = new Map<string, Home>();
  readonly #identifiers = new Map<string, string>();
  readonly #exported: Set<string>;
  readonly #imports = new Map<string, Import>();
  /** By file and name: the local name of an import. */
  readonly #locals = new Map<string, string>();
  readonly #variables = new Map<string, VariableExport>();
  /** By file and place: the functions whose captured variables derivatives read. */
  readonly #capturing = new Map<string, CapturedBy & { readonly callee: string }>();
  /** Files of packages. */
  readonly #commonJs = new Set<string>();
  readonly #words: (file: string) => Set<string>;

  constructor(input: NamesInput) {
    this.#input = input;
    this.#words = memo((file) => wordSet(input.files(file)));
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
      this.#place(name, home, claimName(plain(name), this.#words(home.file)));
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
    return [...this.#imports.values()].map((one) =>
      this.#commonJs.has(one.file) ? { ...one, isRequired: true } : one,
    );
  }

  /** Identifier of a function in `file`. Records the import and export that it requires. */
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
    const { program, files } = this.#input;
    const func = program.funcs.get(name);
    // a class has a home but no function
    const home = func === undefined ? program.homes.get(name) : homeOf(program, func.home);
    if (home === undefined) return plain(name);
    const named = { ...home, ...home.owner };
    const { name: declared, exportName } = named;
    if (home.file === file) return declared;
    const specifier = this.#specifier(file, named);
    const visible = importedAs(exportName, files(file), specifier);
    if (visible !== null) return visible;
    if (exportName !== undefined) {
      const local = this.#local(file, name, plain(declared));
      return this.#imported(file, exportName, local, specifier, local);
    }
    const alias =
      this.primalExports.get(name) ?? claimName(`${plain(declared)}$value`, this.#words(home.file));
    this.primalExports.set(name, alias);
    return this.#imported(file, alias, this.#local(file, name, alias), specifier, name);
  }

  /** The functions whose captured variables derivatives read, with what their calls are named. */
  capturing(): readonly (CapturedBy & { readonly callee: string })[] {
    return [...this.#capturing.values()];
  }

  /**
   * `captured<{ k: number }>(f, "power/1")`, the variables that a function value captures.
   * `textOf`: writes a type in the home's file.
   */
  #captured(captured: CapturedBy, type: Type, home: Home, textOf: (type: Type) => string): string {
    const { of, member, code, place, isTest } = captured;
    const own = place.kind === "method" ? "capturingMember" : "capturing";
    if (place.isCommonJs === true) this.#commonJs.add(place.file);
    this.#capturing.set(`${place.file} ${place.start} ${code}`, {
      ...captured,
      callee: this.#ofRunTime(own, place.file),
    });
    const held = this.variable(of, home, textOf);
    const value = member === undefined ? held : `${held}.${member}`;
    const given = `(${value}, ${stringText(code)})`;
    return isTest === true
      ? this.#ofRunTime("isCapturing", home.file) + given
      : `${this.#ofRunTime("captured", home.file)}<${textOf(type)}>${given}`;
  }

  #ofRunTime(name: string, file: string): string {
    const local = this.#local(file, `tsgrad ${name}`, name);
    return this.#imported(file, name, local, "tsgrad/captured", name);
  }

  /** The text for a variable that is captured, in another module, or shadowed at the home. */
  variable(global: Global, home: Home, textOf: (type: Type) => string): string {
    const { captured, type } = global;
    if (captured === undefined) return this.#outer(global, home);
    const { field: name } = captured;
    return name === undefined
      ? this.#captured(captured, type, home, textOf)
      : `${this.#captured(captured, { kind: "record", fields: [{ name, type }] }, home, textOf)}.${name}`;
  }

  #outer(global: Global, { file, ambiguousNames: hiding }: Home): string {
    // `Cell` of `Cell.items`
    const [, name = "", rest = ""] = /^([^.[]*)(.*)$/su.exec(global.name) ?? [];
    const block = global.block ?? undefined;
    if (global.isThis === true && block !== undefined)
      return this.#noted(`this ${file} ${block.at}`, { kind: "this", file, name, block }).alias;
    if (isVisible(global, name, rest !== "", { file, hiding })) return global.name;
    invariant(
      global.block !== null,
      () => `\`${name}\` has no name where another \`${name}\` shadows it`,
    );
    const kind = global.file === file ? "function" : "export";
    if (kind === "export" && global.exportName !== undefined)
      return this.#exportedVariable(global.file, global.exportName, name, { file, hiding }) + rest;
    const key = `${kind} ${global.file} ${name} ${block?.at ?? ""}`;
    const { alias } = this.#noted(key, {
      kind,
      file: global.file,
      name,
      ...(block === undefined ? {} : { block }),
    });
    if (kind === "function") return `${alias}()${rest}`;
    const specifier = this.#input.specifier(file, global.file);
    return this.#imported(file, alias, this.#local(file, key, alias), specifier, key) + rest;
  }

  #noted(key: string, wanted: Omit<VariableExport, "alias">): VariableExport {
    const known = this.#variables.get(key) ?? {
      ...wanted,
      alias: claimName(`${wanted.name}$value`, this.#words(wanted.file)),
    };
    this.#variables.set(key, known);
    return known;
  }

  /** A variable that users import too, by the file's own name for it. */
  #exportedVariable(
    from: string,
    exportName: string,
    declared: string,
    { file, hiding }: HomeScope,
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
    const local = this.#locals.get(`${file}\n${key}`) ?? claimName(wanted, this.#words(file));
    this.#locals.set(`${file}\n${key}`, local);
    return local;
  }

  #specifier(file: string, from: Home): string {
    return from.specifier ?? this.#input.specifier(file, from.file);
  }

  /** `key`: identifies the import, so that it occurs once. */
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

/** Whether the name means the variable at a home in `file`, where `hiding` maps shadowed names. */
function isVisible(
  global: Global,
  name: string,
  isPart: boolean,
  { file, hiding }: HomeScope,
): boolean {
  const here = hiding?.[name];
  return (
    global.file === file &&
    (here === undefined ||
      here === variableOf(global) ||
      // a part of a block's variable, read in that block or in one inside
      (isPart && global.block !== undefined))
  );
}

/** The local name of another file's export, if an import declaration of the file's text has it. */
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

/** Every word of a file's text, also in comments and strings: a superset of its names. */
export const wordSet = (text: string): Set<string> =>
  new Set(text.match(/[\p{ID_Start}$_][\p{ID_Continue}$]*/gu) ?? []);

/** The function, with results remembered by key. */
export function memo<T>(of: (key: string) => T): (key: string) => T {
  const known = new Map<string, T>();
  return (key) => {
    const value = known.get(key) ?? of(key);
    known.set(key, value);
    return value;
  };
}

/** `wanted`, with a number where it is taken. Adds the result to `taken`. */
export function claimName(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let number = 1; taken.has(name); number++) name = `${wanted}${number}`;
  taken.add(name);
  return name;
}
