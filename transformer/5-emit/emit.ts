// Emission: derived functions and call sites become edits of user files. Invariant: what is emitted
// type-checks under every strictness flag; only functions that a call site reaches are emitted.

import { calleesIn } from "../ir/calls.ts";
import { bogTypes } from "../ir/derivation.ts";
import {
  type CallSite,
  type Derived,
  type Import,
  isShown,
  type ReExport,
  type Shipped,
} from "../ir/facts.ts";
import { resolve } from "../ir/shadow.ts";
import type { Atom, Func, Home, NamedType, Origin, Program, Type } from "../ir/types.ts";
import { mapAtoms } from "../ir/visit.ts";
import { stringText } from "../code/quote.ts";
import type { Edits, Placed } from "./edits.ts";
import { parameterTypes } from "./types/assertions.ts";
import { functionText } from "./function.ts";
import { layout, type TextLine } from "./layout.ts";
import { libraryNames } from "./names/library.ts";
import { type ArrayProgram } from "../ir/array.ts";
import { revfOfBog } from "../ir/names.ts";
import { arrayFunc, type VectorName } from "./array.ts";
import { type VectorNames, vectorNames } from "./names/vector-names.ts";
import {
  claimName,
  derivedName,
  homeOf,
  memo,
  ModuleNames,
  wordSet,
} from "./names/module-names.ts";
import { capturing, exportPrimal, exportVariable, ship } from "./exports.ts";
import { typeWriter } from "./types/type-text.ts";

export interface EmitInput {
  readonly program: Program;
  /** In the order of emission. */
  readonly derived: readonly Derived[];
  readonly sites: readonly CallSite[];
  readonly shipped?: readonly Shipped[];
  /** By derived function: the array program that is printed in place of its body. */
  readonly arrays?: ReadonlyMap<string, ArrayProgram>;
  readonly reExports?: readonly ReExport[];
  /** Names of the derived functions of a site, or of those whose source it returns. */
  readonly siteDerivatives: (site: CallSite) => readonly string[];
  /** A further argument of the site, after its derivatives; empty for none. */
  readonly siteLayout?: (site: CallSite) => string;
  readonly files: (file: string) => string;
  readonly options: {
    readonly noUncheckedIndexedAccess: boolean;
    readonly lacksFromEntries?: boolean;
  };
  /** Module specifier for importing from `toFile` in `fromFile`. */
  readonly specifier: (fromFile: string, toFile: string) => string;
}

interface Item {
  readonly item: Derived;
  readonly file: string;
  readonly lines: readonly TextLine[];
  readonly usesCotangent: boolean;
}

/** Adds to `edits`. Returns the source of a derived function, with its callees in its file. */
export function emit(given: EmitInput, edits: Edits): (func: string) => string {
  const vector = new Vectors(given);
  const input = { ...given, derived: given.derived.map((item) => vector.written(item)) };
  const names = new ModuleNames(input);
  const byName = new Map(input.derived.map((item) => [derivedName(item), item]));
  const inserted = input.sites.filter((site) => !isShown(site));
  const reached = reachable(
    [
      ...inserted.flatMap(input.siteDerivatives),
      ...(input.shipped ?? []).flatMap(({ revf, revr }) => [revf, revr]),
    ],
    byName,
  );
  const writer = new Writer(input, names, reached);
  for (const site of inserted) {
    if (site.internal === true) continue;
    const layout = input.siteLayout?.(site) ?? "";
    const derivatives = input
      .siteDerivatives(site)
      .map((name) => names.inFile(name, site.origin.file));
    edits.argument(site, [...derivatives, ...(layout === "" ? [] : [layout])].join(", "));
  }
  const items = input.derived
    .filter((item) => item.kind === "type" || reached.has(item.func.name))
    .map((item) => writer.item(item));
  const needed = mentioned(items, names);
  for (const placed of byPlace(needed, names, input.program).values()) edits.code(placed);
  const source = (func: string): string => sourceOf(func, byName, input, names, reached);
  for (const site of input.sites)
    if (isShown(site))
      edits.argument(site, stringText(input.siteDerivatives(site).map(source).join("\n")));
  for (const [name, alias] of names.primalExports) exportPrimal(name, alias, input.program, edits);
  for (const one of names.variableExports()) exportVariable(one, input.files, edits);
  for (const one of names.capturing()) capturing(one, edits);
  addImports(needed, names, writer, edits, vector);
  ship(input, edits);
  return source;
}

/** Renames globals: variables of other modules, and those that a name of the block shadows. */
function withLocalNames(
  item: Derived,
  home: Home,
  names: ModuleNames,
  textOf: (type: Type) => string,
): Derived {
  if (item.kind === "type") return item;
  const local = (atom: Atom): Atom => {
    const name =
      atom.kind === "global" && atom.home === undefined ? names.variable(atom, home, textOf) : null;
    return atom.kind !== "global" || name === null || name === atom.name
      ? atom
      : { ...atom, name, file: home.file };
  };
  return { ...item, func: { ...item.func, body: mapAtoms(item.func.body, local) } };
}

/** Prints array programs as functions, and collects the imports that they need. */
class Vectors {
  readonly #input: EmitInput;
  readonly #inFile: (file: string) => VectorNames;
  readonly #used = new Map<string, ReadonlySet<VectorName>>();

  constructor(input: EmitInput) {
    this.#input = input;
    this.#inFile = memo((file) => vectorNames(file, input.files(file)));
  }

  written(item: Derived): Derived {
    const program = item.kind === "func" ? this.#input.arrays?.get(item.func.name) : undefined;
    if (item.kind !== "func" || program === undefined) return item;
    const { local } = this.#inFile(homeOf(this.#input.program, item.home).file);
    const used = new Set<VectorName>();
    this.#used.set(item.func.name, used);
    return {
      ...item,
      func: arrayFunc(
        program,
        item.func,
        this.#input.program.types,
        (name) => (used.add(name), local(name)),
      ),
    };
  }

  imports(items: readonly Item[]): readonly Import[] {
    return items.flatMap(({ item, file }) =>
      [...(this.#used.get(derivedName(item)) ?? [])].flatMap(
        (name) => this.#inFile(file).importOf(name) ?? [],
      ),
    );
  }
}

function reachable(
  roots: readonly string[],
  byName: ReadonlyMap<string, Derived>,
): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (name: string): void => {
    const item = byName.get(name);
    if (item?.kind !== "func" || found.has(name)) return;
    found.add(name);
    for (const callee of calleesIn(item.func.body)) visit(callee);
  };
  roots.forEach(visit);
  return found;
}

class Writer {
  readonly #input: EmitInput;
  readonly #names: ModuleNames;
  readonly #types: ReadonlyMap<string, NamedType>;
  readonly #readonlyTypes: { readonly has: (name: string) => boolean };
  readonly #funcs: ReadonlyMap<string, Func>;
  /** By file: the functions that its emitted code calls. */
  readonly #called = new Map<string, ReadonlySet<string>>();
  readonly cotangent: (file: string) => ReturnType<typeof cotangentIn>;

  constructor(input: EmitInput, names: ModuleNames, reached: ReadonlySet<string>) {
    this.#input = input;
    this.#names = names;
    this.#funcs = new Map(
      input.derived.flatMap((item) =>
        item.kind === "func" ? [[item.func.name, item.func] as const] : [],
      ),
    );
    for (const item of input.derived) {
      if (item.kind !== "func" || !reached.has(item.func.name)) continue;
      const { file } = homeOf(input.program, item.home);
      this.#called.set(
        file,
        new Set([...(this.#called.get(file) ?? []), ...calleesIn(item.func.body)]),
      );
    }
    this.#types = new Map([
      ...input.program.types,
      ...bogTypes(input.derived, input.program.homes, (name) => names.own(name)),
    ]);
    this.cotangent = memo((file) => cotangentIn(input.files(file)));
    this.#readonlyTypes = { has: (name) => input.program.types.get(name)?.readonly === true };
  }

  item(given: Derived): Item {
    const home = homeOf(this.#input.program, given.home);
    const { file } = home;
    const scope = {
      file,
      types: this.#types,
      callee: (name: string) => this.#names.inFile(name, file),
      giving: (name: string) => this.#giving(name, file),
      cotangent: this.cotangent(file).name,
      library: libraryNames(home.hidden),
    };
    const item = withLocalNames(given, home, this.#names, (type) => typeWriter(scope).text(type));
    if (item.kind === "type") {
      const types = typeWriter(scope);
      const text = `type ${this.#names.own(item.name)} = ${types.text(structure(item.type, item.name, this.#types))};`;
      return {
        item,
        file,
        lines: [{ indent: 0, text, origin: item.origin }],
        usesCotangent: types.usesCotangent,
      };
    }
    const written = functionText(item.func, {
      ...scope,
      identifier: this.#names.own(item.func.name),
      member: (name) => this.#input.program.funcs.get(name)?.member ?? null,
      saysLess: (name) => this.#input.program.funcs.get(name)?.resultText === null,
      parameterTypes: (name) =>
        parameterTypes(this.#funcs.get(name) ?? this.#input.program.funcs.get(name)),
      extraArguments: (name) => this.#input.program.homes.get(name)?.missingParams ?? 0,
      readonlyTypes: this.#readonlyTypes,
      readonlyParams: home.readonlyParams ?? [],
      givesReadonly: (name) => this.#givesReadonly(name),
      isStructural: (name, at) => this.#isUntyped(name, at),
      noUncheckedIndexedAccess: this.#input.options.noUncheckedIndexedAccess,
      lacksFromEntries: this.#input.options.lacksFromEntries === true,
    });
    return { item, file, ...written };
  }

  #isUntyped(name: string, at: number): boolean {
    const func = this.#funcs.get(name);
    const type = func?.params[at]?.type;
    const of = type?.kind === "opt" ? type.of : type;
    return (
      of !== undefined &&
      of.kind !== "named" &&
      of.kind !== "cotangent" &&
      (func?.paramText?.[at] ?? null) === null
    );
  }

  /** Whether the function is the user's, or an emitted one with the user's result type. */
  #givesReadonly(name: string): boolean {
    const { program } = this.#input;
    const emitted = this.#funcs.get(name);
    const home = program.funcs.has(name)
      ? name
      : typeof emitted?.resultText === "string"
        ? emitted.home
        : null;
    return home !== null && program.homes.get(home)?.returnsReadonly === true;
  }

  /** The emitted forward sweep that returns a BOG of that type, if the file calls it. */
  #giving(bog: string, file: string): string | null {
    const revf = revfOfBog(bog);
    return revf !== null && this.#called.get(file)?.has(revf) === true
      ? this.#names.inFile(revf, file)
      : null;
  }
}

/** The user's import of `Cotangent` in a file, or an alias for an import of our own. */
function cotangentIn(text: string): { readonly name: string; readonly isImported: boolean } {
  const isImported =
    /\bimport\b[^;"']*[{,]\s*(?:type\s+)?Cotangent\s*[,}][^;"']*\bfrom\s*["']tsgrad["']/.test(text);
  return { name: isImported ? "Cotangent" : claimName("Cotangent", wordSet(text)), isImported };
}

/** Expands a type that is defined as itself. */
function structure(type: Type, name: string, types: ReadonlyMap<string, NamedType>): Type {
  const isItself = type.kind === "named" && type.name === name;
  const definition = isItself ? (types.get(name)?.type ?? type) : type;
  return definition.kind === "cotangent" ? resolve(definition, types) : definition;
}

/** Functions, and the types in the same file that they or such types mention. */
function mentioned(items: readonly Item[], names: ModuleNames): readonly Item[] {
  const needed = new Set(items.filter(({ item }) => item.kind === "func"));
  for (const one of needed) {
    for (const other of items) {
      if (
        !needed.has(other) &&
        other.file === one.file &&
        one.lines.some((line) => mentions(line.text, names.own(derivedName(other.item))))
      )
        needed.add(other);
    }
  }
  return items.filter((one) => needed.has(one));
}

const mentions = (text: string, word: string): boolean =>
  text.split(/[^\p{ID_Continue}$]+/u).includes(word);

/** Lines by file and offset; a type precedes the item that follows it. */
function byPlace(
  items: readonly Item[],
  names: ModuleNames,
  program: Program,
): ReadonlyMap<string, readonly Placed[]> {
  const places = new Map<string, Placed[]>();
  const exportedLines = items
    .filter((one) => names.isExported(derivedName(one.item)))
    .map((one) => one.lines[0]?.text ?? "");
  const above = new Map<string, readonly TextLine[]>();
  for (const one of items) {
    const home = homeOf(program, one.item.home);
    const own = names.own(derivedName(one.item));
    const isExported =
      home.scope === "module" &&
      (one.item.kind === "func"
        ? names.isExported(one.item.func.name)
        : exportedLines.some((text) => mentions(text, own)));
    const lines = isExported
      ? one.lines.map((line, i) => (i === 0 ? { ...line, text: `export ${line.text}` } : line))
      : one.lines;
    const key = `${home.file}\n${home.at}`;
    const types = above.get(key) ?? [];
    if (one.item.kind === "type") above.set(key, [...types, ...lines]);
    else {
      places.set(key, [...(places.get(key) ?? []), { home, lines: [...types, ...lines] }]);
      above.delete(key);
    }
  }
  return places;
}

/** `emitted`: the functions in the modules, so that BOG types are the same here as there. */
function sourceOf(
  func: string,
  byName: ReadonlyMap<string, Derived>,
  input: EmitInput,
  names: ModuleNames,
  emitted: ReadonlySet<string>,
): string {
  const reached = reachable([func], byName);
  const writer = new Writer(input, names, new Set([...emitted, ...reached]));
  const root = byName.get(func);
  if (root === undefined) return "";
  const { file } = homeOf(input.program, root.home);
  const items = input.derived.filter(
    (item) =>
      homeOf(input.program, item.home).file === file &&
      (item.kind === "type" || reached.has(item.func.name)),
  );
  const written = items.map((item) => writer.item(item));
  const needed = mentioned(written, names);
  return (
    needed
      .map((one) => layout(one.lines, "").text + (one.item.kind === "type" ? "\n" : "\n\n"))
      .join("")
      .trimEnd() + "\n"
  );
}

function addImports(
  items: readonly Item[],
  names: ModuleNames,
  writer: Writer,
  edits: Edits,
  vector: Vectors,
): void {
  const imports = [
    ...names.imports(),
    ...new Map(vector.imports(items).map((one) => [`${one.file} ${one.name}`, one])).values(),
  ];
  const origins = new Map<string, Origin>();
  for (const one of items) {
    const { name, isImported } = writer.cotangent(one.file);
    const origin = one.lines[0]?.origin;
    if (origin !== undefined && !origins.has(one.file)) origins.set(one.file, origin);
    if (!one.usesCotangent || isImported) continue;
    imports.push({
      file: one.file,
      name: name === "Cotangent" ? name : `Cotangent as ${name}`,
      specifier: "tsgrad",
      typeOnly: true,
    });
  }
  for (const file of new Set(imports.map((one) => one.file))) {
    edits.imports(
      file,
      imports.filter((one) => one.file === file),
      origins.get(file) ?? { file, start: 0, end: 0 },
    );
  }
}
