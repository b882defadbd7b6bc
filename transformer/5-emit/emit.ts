// Emission. In: derived functions and types, call sites, user texts. Out: edits of user files, and the source of each function.
// Invariant: what is emitted type-checks under every strictness flag; only what a call site reaches is emitted.

import { calleesIn } from "../ir/calls.ts";
import { bogTypes } from "../ir/derivation.ts";
import type { CallSite, Derived, Import, ReExport, Shipped } from "../ir/facts.ts";
import { resolve } from "../ir/shadow.ts";
import type { Atom, Func, Home, NamedType, Origin, Program, Type } from "../ir/types.ts";
import { mapAtoms } from "../ir/visit.ts";
import type { Edits, Placed } from "./edits.ts";
import { takenTypes } from "./types/narrow.ts";
import { functionText } from "./function.ts";
import { layout } from "./layout.ts";
import { libraryNames } from "./names/library.ts";
import { type ArrayProgram } from "../ir/array.ts";
import { revfOfBog } from "../ir/names.ts";
import { arrayFunc, type VectorName } from "./array.ts";
import { type VectorNames, vectorNames } from "./names/vector-names.ts";
import {
  claimed,
  derivedName,
  homeOf,
  ModuleNames,
  type VariableExport,
} from "./names/module-names.ts";
import { ship } from "./ship.ts";
import type { TextLine } from "./statement.ts";
import { typeWriter } from "./types/type-text.ts";

export interface EmitInput {
  readonly program: Program;
  /** In the order of emission. */
  readonly derived: readonly Derived[];
  readonly sites: readonly CallSite[];
  readonly shipped?: readonly Shipped[];
  /** By derived function: the array program that is written in place of its body. */
  readonly arrays?: ReadonlyMap<string, ArrayProgram>;
  readonly reExports?: readonly ReExport[];
  /** Names of the derived functions that a site gets; for `derivativeSource`, of the one whose source is asked for. */
  readonly siteDerivatives: (site: CallSite) => readonly string[];
  /** What the site gets behind its derivatives; empty: nothing. */
  readonly siteLayout?: (site: CallSite) => string;
  readonly files: (file: string) => string;
  readonly options: { readonly noUncheckedIndexedAccess: boolean };
  /** Module specifier for importing from `toFile` in `fromFile`. */
  readonly specifier: (fromFile: string, toFile: string) => string;
  /** The name under which a file's user code sees a primal function; null where it does not. */
  readonly visibleName?: (file: string, func: string) => string | null;
}

interface Item {
  readonly item: Derived;
  readonly file: string;
  readonly lines: readonly TextLine[];
  readonly usesCotangent: boolean;
}

/** Puts everything into `edits`; gives the source of a derived function and of what it calls in its file. */
export function emit(given: EmitInput, edits: Edits): (func: string) => string {
  const vector = new Vectors(given);
  const input = { ...given, derived: given.derived.map((item) => vector.written(item)) };
  const names = new ModuleNames(input);
  const byName = new Map(input.derived.map((item) => [derivedName(item), item]));
  const asked = input.sites.filter((site) => site.form !== "derivativeSource");
  const reached = reachable(
    [
      ...asked.flatMap(input.siteDerivatives),
      ...(input.shipped ?? []).flatMap(({ revf, revr }) => [revf, revr]),
    ],
    byName,
  );
  const writer = new Writer(input, names, reached);
  for (const site of asked) {
    if (site.silent === true) continue;
    const layout = input.siteLayout?.(site) ?? "";
    edits.argument(
      site,
      [
        ...input.siteDerivatives(site).map((name) => names.inFile(name, site.origin.file)),
        ...(layout === "" ? [] : [layout]),
      ].join(", "),
    );
  }
  const items = input.derived
    .filter((item) => item.kind === "type" || reached.has(item.func.name))
    .map((item) => writer.item(item));
  const kept = mentioned(items, names);
  for (const placed of byPlace(kept, names, input.program).values()) edits.code(placed);
  const source = (func: string): string => sourceOf(func, byName, input, names, reached);
  for (const site of input.sites)
    if (site.form === "derivativeSource")
      edits.argument(site, JSON.stringify(input.siteDerivatives(site).map(source).join("\n")));
  for (const [name, alias] of names.primalExports) exportPrimal(name, alias, input, edits);
  for (const one of names.variableExports()) exportVariable(one, input, edits);
  addImports(kept, names, writer, edits, vector);
  ship(input, edits);
  return source;
}

/** With names for variables of other modules, and for those that a name of the block hides. */
function withLocalNames(item: Derived, home: Home, names: ModuleNames): Derived {
  if (item.kind === "type") return item;
  const local = (atom: Atom): Atom => {
    const name =
      atom.kind === "global" && atom.home === undefined ? names.variable(atom, home) : null;
    return atom.kind !== "global" || name === null || name === atom.name
      ? atom
      : { ...atom, name, file: home.file };
  };
  return { ...item, func: { ...item.func, body: mapAtoms(item.func.body, local) } };
}

/** Array programs, written with the names that tsgrad/vector has in their files. */
class Vectors {
  readonly #input: EmitInput;
  readonly #names = new Map<string, VectorNames>();
  readonly #used = new Map<string, ReadonlySet<VectorName>>();

  constructor(input: EmitInput) {
    this.#input = input;
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

  #inFile(file: string): VectorNames {
    const names = this.#names.get(file) ?? vectorNames(file, this.#input.files(file));
    this.#names.set(file, names);
    return names;
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
  /** By file, what is called in it. */
  readonly #called = new Map<string, ReadonlySet<string>>();
  readonly #cotangents = new Map<string, { readonly name: string; readonly isImported: boolean }>();

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
    const saysReadonly = memo((file: string) => /\breadonly\b|Readonly/.test(input.files(file)));
    this.#readonlyTypes = {
      has: memo((name: string) => input.program.types.get(name)?.scope.some(saysReadonly) === true),
    };
  }

  item(given: Derived): Item {
    const home = homeOf(this.#input.program, given.home);
    const { file } = home;
    const item = withLocalNames(given, home, this.#names);
    const scope = {
      file,
      types: this.#types,
      callee: (name: string) => this.#names.inFile(name, file),
      giving: (name: string) => this.#giving(name, file),
      cotangent: this.cotangent(file).name,
      library: libraryNames(home.hidden),
    };
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
      takes: (name) => takenTypes(this.#funcs.get(name) ?? this.#input.program.funcs.get(name)),
      spare: (name) => this.#input.program.homes.get(name)?.spare ?? 0,
      readonlyTypes: this.#readonlyTypes,
      readonlyParams: home.readonlyParams ?? [],
      givesReadonly: (name) => this.#givesReadonly(name),
      untyped: (name, at) => this.#isUntyped(name, at),
      noUncheckedIndexedAccess: this.#input.options.noUncheckedIndexedAccess,
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

  /** A function of the user's; of those that are emitted, one that says of its result what the user's does. */
  #givesReadonly(name: string): boolean {
    const { program } = this.#input;
    const emitted = this.#funcs.get(name);
    const home = program.funcs.has(name)
      ? name
      : typeof emitted?.resultText === "string"
        ? emitted.home
        : null;
    return home !== null && program.homes.get(home)?.givesReadonly === true;
  }

  /** What gives a BOG of that type, and is called in the file anyway. */
  #giving(bog: string, file: string): string | null {
    const revf = revfOfBog(bog);
    return revf !== null && this.#called.get(file)?.has(revf) === true
      ? this.#names.inFile(revf, file)
      : null;
  }

  /** What `Cotangent` is called in a file: the user's import where there is one. */
  cotangent(file: string): { readonly name: string; readonly isImported: boolean } {
    const known = this.#cotangents.get(file);
    if (known !== undefined) return known;
    const text = this.#input.files(file);
    const isImported =
      /\bimport\b[^;"']*[{,]\s*(?:type\s+)?Cotangent\s*[,}][^;"']*\bfrom\s*["']tsgrad["']/.test(
        text,
      );
    const words = new Set(
      Array.from(text.matchAll(/[\p{ID_Start}$_][\p{ID_Continue}$]*/gu), ([word]) => word),
    );
    const made = { name: isImported ? "Cotangent" : claimed("Cotangent", words), isImported };
    this.#cotangents.set(file, made);
    return made;
  }
}

function memo(of: (name: string) => boolean): (name: string) => boolean {
  const known = new Map<string, boolean>();
  return (name) => {
    const value = known.get(name) ?? of(name);
    known.set(name, value);
    return value;
  };
}

/** A type that is given as a mention of itself is written as what it stands for. */
function structure(type: Type, name: string, types: ReadonlyMap<string, NamedType>): Type {
  const meant =
    type.kind === "named" && type.name === name ? (types.get(name)?.type ?? type) : type;
  return meant.kind === "cotangent" ? resolve(meant, types) : meant;
}

/** Functions, and the types that they or these types say in the same file. */
function mentioned(items: readonly Item[], names: ModuleNames): readonly Item[] {
  const kept = new Set(items.filter(({ item }) => item.kind === "func"));
  for (const one of kept) {
    for (const other of items) {
      if (
        !kept.has(other) &&
        other.file === one.file &&
        one.lines.some((line) => mentions(line.text, names.own(derivedName(other.item))))
      )
        kept.add(other);
    }
  }
  return items.filter((one) => kept.has(one));
}

const mentions = (text: string, word: string): boolean =>
  text.split(/[^\p{ID_Continue}$]+/u).includes(word);

/** Lines by file and offset; a type stands directly above what follows it. */
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

/** `emitted`: what stands in the modules anyway, whose BOGs have the same types here as there. */
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
  const kept = mentioned(written, names);
  return (
    kept
      .map((one) => layout(one.lines, "").text + (one.item.kind === "type" ? "\n" : "\n\n"))
      .join("")
      .trimEnd() + "\n"
  );
}

/** `export { g as g$value };` at the end of the module that declares g. */
function exportPrimal(name: string, alias: string, input: EmitInput, edits: Edits): void {
  const func = input.program.funcs.get(name);
  const home =
    func === undefined ? input.program.homes.get(name) : homeOf(input.program, func.home);
  if (home === undefined) return;
  edits.code([
    {
      home,
      lines: [
        {
          indent: 0,
          text: `export { ${home.owner ?? home.name} as ${alias} };`,
          origin: func?.origin ?? home.origin,
        },
      ],
    },
  ]);
}

/** `export { buf as buf$value };` or `function buf$value() { return buf; }` at the end of the module or block that knows buf; `const this$value = this;` where a method begins. */
function exportVariable(
  { kind, file, name, alias, block }: VariableExport,
  input: EmitInput,
  edits: Edits,
): void {
  const end = input.files(file).length;
  const origin = { file, start: 0, end: 0 };
  // a directive that ends with its line
  const lead =
    block !== undefined && /["']/.test(input.files(file).charAt(block.at - 1)) ? ";" : "";
  if (kind === "this" && block !== undefined)
    return edits.insert(file, {
      start: block.at,
      end: block.at,
      text: `${lead} const ${alias} = this;`,
      mappings: [{ offset: 0, origin: { file, start: block.at, end: block.at } }],
    });
  const place =
    block === undefined
      ? ({ at: end, scope: "module", indent: "" } as const)
      : ({ ...block, scope: "block" } as const);
  const home: Home = { file, name, ...place, origin };
  edits.code([
    {
      home,
      lines: [
        {
          indent: 0,
          text:
            kind === "export"
              ? `export { ${name} as ${alias} };`
              : `function ${alias}() { return ${name}; }`,
          origin,
        },
      ],
    },
  ]);
}

function addImports(
  items: readonly Item[],
  names: ModuleNames,
  writer: Writer,
  edits: Edits,
  vector: Vectors,
): void {
  const wanted = [
    ...names.imports(),
    ...new Map(vector.imports(items).map((one) => [`${one.file} ${one.name}`, one])).values(),
  ];
  const origins = new Map<string, Origin>();
  for (const one of items) {
    const { name, isImported } = writer.cotangent(one.file);
    const origin = one.lines[0]?.origin;
    if (origin !== undefined && !origins.has(one.file)) origins.set(one.file, origin);
    if (!one.usesCotangent || isImported) continue;
    wanted.push({
      file: one.file,
      name: name === "Cotangent" ? name : `Cotangent as ${name}`,
      specifier: "tsgrad",
      typeOnly: true,
    });
  }
  for (const file of new Set(wanted.map((one) => one.file))) {
    edits.imports(
      file,
      wanted.filter((one) => one.file === file),
      origins.get(file) ?? { file, start: 0, end: 0 },
    );
  }
}
