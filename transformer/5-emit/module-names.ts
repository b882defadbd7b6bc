// What generated functions and types are called, file by file, and who needs them from elsewhere. In: derived items, call sites,
// user texts. Out: identifiers, exports, imports. Invariant: no generated name is a name the user has in that file.

import type { Derived, Import, Shipped } from "../ir/facts.ts";
import { invariant } from "../ir/invariant.ts";
import { revf, revr, variableOf } from "../ir/names.ts";
import type { Func, Global, Home, Program } from "../ir/types.ts";
import { walkStmts } from "../ir/visit.ts";

export interface ModuleNames {
  /** Identifier of a generated item in its own file. */
  readonly own: (name: string) => string;
  /** Identifier of a function, primal or generated, in the text of `file`. Notes the import and the export that it takes. */
  readonly inFile: (name: string, file: string) => string;
  readonly isExported: (name: string) => boolean;
  /** Primals that another module's generated code calls, and what they are exported as. */
  readonly primalExports: ReadonlyMap<string, string>;
  /** What a variable is called at a home that cannot name it: one of another module, which exports it for that, or one that a name of the block hides. */
  readonly variable: (global: Global, home: Home) => string;
  readonly variableExports: () => readonly VariableExport[];
  readonly imports: () => readonly Import[];
}

/** `export { name as alias };` in a file, or a function of that name that returns the variable. */
export interface VariableExport {
  readonly kind: "export" | "function";
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

export const derivedName = (item: Derived): string => (item.kind === "type" ? item.name : item.func.name);

export const homeOf = (program: Program, key: string): Home => {
  const home = program.homes.get(key);
  invariant(home !== undefined, `no home ${key}`);
  return home;
};

/** `loss.2$grad` -> `loss$grad`: the number tells functions of one program apart, not names of one file. */
const plain = (name: string): string => name.replaceAll(/\.\d+/g, "");

export function moduleNames(input: NamesInput): ModuleNames {
  const homes = new Map<string, Home>();
  const identifiers = new Map<string, string>();
  const words = userWords(input.files);
  for (const func of input.program.funcs.values()) {
    const home = func.shipped === true ? homeOf(input.program, func.home) : null;
    if (home === null) continue;
    for (const name of [revf, revr]) {
      homes.set(name(func.name, null), home);
      identifiers.set(name(func.name, null), name(home.name, null));
    }
  }
  for (const item of input.derived) {
    const name = derivedName(item);
    const home = homeOf(input.program, item.home);
    homes.set(name, home);
    identifiers.set(name, claimed(plain(name), words(home.file)));
  }
  const exported = new Set((input.shipped ?? []).flatMap(({ revf, revr }) => [revf, revr]));
  const primalExports = new Map<string, string>();
  const imports = new Map<string, Import>();
  const locals = new Map<string, string>();
  const own = (name: string): string => identifiers.get(name) ?? plain(name);

  const imported = (name: string, file: string, from: Home): string => {
    const specifier = from.specifier ?? input.specifier(file, from.file);
    imports.set(`${file}\n${name}\n${specifier}`, { file, name, specifier, typeOnly: false });
    return name;
  };
  const primal = (name: string, file: string): string => {
    const func = input.program.funcs.get(name);
    // a class has a home and no function
    const home = func === undefined ? input.program.homes.get(name) : homeOf(input.program, func.home);
    if (home === undefined) return plain(name);
    const declared = home.owner ?? home.name;
    if (home.file === file) return declared;
    const visible = input.visibleName?.(file, name) ?? importedAs(home, input.files(file), home.specifier ?? input.specifier(file, home.file));
    if (visible !== null) return visible;
    if (home.exportName !== undefined) {
      const local = locals.get(`${file}\n${name}`) ?? claimed(plain(declared), words(file));
      locals.set(`${file}\n${name}`, local);
      imported(local === home.exportName ? local : `${home.exportName} as ${local}`, file, home);
      return local;
    }
    const known = primalExports.get(name);
    if (known !== undefined) return imported(known, file, home);
    const alias = claimed(`${plain(declared)}$value`, words(home.file));
    primalExports.set(name, alias);
    return imported(alias, file, home);
  };
  const shared = new Map<string, VariableExport>();
  const variable = (global: Global, { file, hiding }: Home): string => {
    // of `Cell.items` the class
    const [, name = "", rest = ""] = /^([^.[]*)(.*)$/su.exec(global.name) ?? [];
    const here = hiding?.[name];
    // what a block declares is a name of that block, or of one in it
    const isOwn = global.file === file && (here === undefined || here === variableOf(global) || (rest !== "" && global.block !== undefined));
    if (isOwn) return global.name;
    const kind = global.file === file ? "function" : "export";
    const { block } = global;
    invariant(block !== null, () => `\`${name}\` cannot be named where another \`${name}\` hides it`);
    const key = `${kind} ${global.file} ${name} ${block?.at ?? ""}`;
    const known = shared.get(key) ?? { kind, file: global.file, name, ...(block === undefined ? {} : { block }), alias: claimed(`${name}$value`, words(global.file)) };
    shared.set(key, known);
    if (kind === "function") return `${known.alias}()${rest}`;
    const local = locals.get(`${file}\n${key}`) ?? claimed(known.alias, words(file));
    locals.set(`${file}\n${key}`, local);
    const specifier = input.specifier(file, global.file);
    imports.set(`${file}\n${key}\n${specifier}`, { file, name: local === known.alias ? local : `${known.alias} as ${local}`, specifier, typeOnly: false });
    return local + rest;
  };
  const inFile = (name: string, file: string): string => {
    const home = homes.get(name);
    if (home === undefined) return primal(name, file);
    if (home.file === file) return own(name);
    exported.add(name);
    const local = locals.get(`${file}\n${name}`) ?? claimed(own(name), words(file));
    locals.set(`${file}\n${name}`, local);
    imported(local === own(name) ? local : `${own(name)} as ${local}`, file, home);
    return local;
  };
  return { own, inFile, isExported: (name) => exported.has(name), primalExports, variable, variableExports: () => [...shared.values()], imports: () => [...imports.values()] };
}

/** The name under which a file's text imports a function, if an ordinary import declaration does. */
function importedAs(home: Home, text: string, specifier: string): string | null {
  if (home.exportName === undefined) return null;
  for (const [, clause = "", from] of text.matchAll(/^\s*import\s+([^;"']*?)\s*from\s*["']([^"']+)["']/gm)) {
    if (from !== specifier || clause.startsWith("type ")) continue;
    const whole = /^([\p{ID_Start}$_][\p{ID_Continue}$]*)/u.exec(clause)?.[1];
    if (home.exportName === "default" && whole !== undefined) return whole;
    for (const part of (/\{([^}]*)\}/.exec(clause)?.[1] ?? "").split(",")) {
      const [name, local] = part.trim().split(/\s+as\s+/);
      if (name === home.exportName) return local ?? name;
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
    const words = new Set(Array.from(files(file).matchAll(/[\p{ID_Start}$_][\p{ID_Continue}$]*/gu), ([word]) => word));
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

/** Functions that a function's code calls. */
export function calleesOf(func: Func): ReadonlySet<string> {
  const callees = new Set<string>();
  walkStmts(func.body, (stmt) => { if (stmt.kind === "let" && stmt.expr.kind === "call") callees.add(stmt.expr.callee); });
  return callees;
}
