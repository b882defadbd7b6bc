// Copies of package functions that a user's file calls. In: the calls, and programs in which types
// of arguments are known. Out: the text that follows the file. Invariant: a function has one copy
// for each list of argument types; what is not constant is imported, or has no declaration.

import type ts from "typescript";
import { claimName, wordSet } from "../../5-emit/names/module-names.ts";
import { constantOf, isMethodText } from "./constants.ts";
import {
  functionOf,
  innerParameters,
  type MemberCode,
  signatureChanges,
  withoutCommas,
  withoutArrow,
} from "./functions.ts";
import {
  classChanges,
  type ClassNode,
  classOf,
  type ClassShape,
  memberAt,
  withoutData,
} from "./classes.ts";
import { ownNames, stubOf } from "./member-bodies.ts";
import type { ClassCopies } from "./class-copies.ts";
import { importText } from "../../code/quote.ts";
import { DEFAULT } from "../../delta/packages/surface.ts";
import { WHOLE } from "./commonjs.ts";
import type { Declared, Module, Modules } from "./modules.ts";
import { withOwnClass } from "./own-class.ts";
import { reassigned } from "./reassigned.ts";
import { type References, referencesOf } from "./references.ts";
import { type Change, render, type Rendered, toPackage } from "./rendered.ts";
import { isExcluded, withoutExcluded } from "./excluded.ts";

type Api = typeof ts;

/** Types of a call's arguments, as text; null where an argument has none. */
export interface CallTypes {
  readonly args: readonly (string | null)[];
  readonly result: string | null;
}

/** One declaration in the user's file. */
export interface Copy {
  readonly name: string;
  readonly kind: "function" | "constant" | "import" | "class" | "member";
  readonly found: Declared;
  /** By which the user imports from the package. */
  readonly specifier: string;
  readonly types: CallTypes;
  readonly references: References;
  /** By reference: the copy that it means; absent while types of its arguments are unknown. */
  readonly uses: Map<ts.Node, Copy>;
  /** Types of parameters of functions inside. */
  readonly inner: Map<ts.ParameterDeclaration, string>;
  /** By parameter that is a function: the types that the copy calls it with. */
  readonly calls: Map<number, readonly (string | null)[]>;
  /** Statements that the types of parameters exclude, each with the name of such a variable. */
  readonly excluded: Map<ts.Statement, string>;
  /** Conditions that types decide: what is left of them, or `true`, `false`. */
  readonly decided: Map<ts.Expression, string>;
  /** Of an import: the exported name. */
  readonly exportName?: string;
  /** Of a class. */
  readonly shape?: ClassShape;
  /** Of a member's body: the member. */
  readonly member?: MemberCode;
}

/** The code of a copy that has parameters, or members. */
export const rootOf = (api: Api, { found, shape, member }: Copy): ts.Node | undefined =>
  member ?? shape?.node ?? functionOf(api, found)?.node;

/** A copy in the text of a user's file. */
export interface Placed {
  readonly copy: Copy;
  readonly start: number;
  readonly rendered: Rendered;
}

/** A user's file with copies. */
export interface CopiesText {
  readonly text: string;
  readonly placed: readonly Placed[];
  /** The files whose copies of classes it imports. */
  readonly homes: ReadonlySet<string>;
}

/** The value of `module.exports`. */
const WHOLE_VALUE = `exports.${WHOLE}`;
const NO_TYPES: CallTypes = { args: [], result: null };

export class Copies {
  readonly file: ts.SourceFile;
  readonly #api: Api;
  readonly modules: Modules;
  readonly #byKey = new Map<string, Copy>();
  readonly #references = new Map<ts.Node, References>();
  readonly classes: ClassCopies;
  readonly #taken: Set<string>;
  readonly #missing: string;

  constructor(
    api: Api,
    modules: Modules,
    file: ts.SourceFile,
    { classes, taken }: { readonly classes: ClassCopies; readonly taken: Set<string> },
  ) {
    this.classes = classes;
    this.#api = api;
    this.modules = modules;
    this.file = file;
    this.#taken = taken;
    this.#missing = claimName("missing$copy", taken);
  }

  get all(): readonly Copy[] {
    return [...this.#byKey.values()];
  }

  /** The copy for a call with these types; null where there can be none. */
  function(found: Declared, types: CallTypes, specifier: string): Copy | null {
    if (functionOf(this.#api, found) === null) return null;
    // a copy for other arguments that calls itself, too
    const like = this.all.find((each) => each.found.node === found.node);
    const result = types.result ?? like?.types.result ?? null;
    return this.#copy({ kind: "function", found, types: { ...types, result }, specifier });
  }

  class(found: Declared, specifier: string, shape: ClassShape): Copy {
    return this.#copy({ kind: "class", found, types: NO_TYPES, specifier, shape });
  }

  /** A body of a member for some types of arguments; the class's copy contains it. */
  member(of: Copy, member: MemberCode, types: CallTypes): Copy {
    const { found, specifier } = of;
    return this.#copy({ kind: "member", found, types, specifier, member });
  }

  /** Whether a function leads to itself, so that the type of its result needs to be said. */
  isRecursive(found: Declared): boolean {
    const reached = new Set<ts.Node>();
    const open = [found];
    for (let next = open.pop(); next !== undefined; next = open.pop())
      for (const { target } of this.#referencesOf({ kind: "function", found: next }).outer) {
        if (target?.kind !== "declared" || reached.has(target.node)) continue;
        reached.add(target.node);
        open.push(target);
      }
    return reached.has(found.node);
  }

  /** Adds the constants that copies mention. */
  addValues(): void {
    for (let count = -1; count !== this.#byKey.size;) {
      count = this.#byKey.size;
      this.classes.grow();
      for (const copy of this.all) {
        const { kind, references, uses, specifier, shape } = copy;
        for (const { node, target } of references.outer) {
          if (uses.has(node) || target?.kind !== "declared") continue;
          if (functionOf(this.#api, target) !== null || !isLive(shape, node)) continue;
          if (isExcluded(this.#api, copy, node)) continue;
          const value = this.#class(target, specifier, node) ?? this.#value(target, specifier);
          // what is imported may change after the constant has its value
          if (value !== null && (kind !== "constant" || value.kind === kind)) uses.set(node, value);
        }
      }
    }
  }

  /** The copy of a class. Only what derives from it names one that is not exported. */
  #class(found: Declared, specifier: string, { parent }: ts.Node): Copy | null {
    const copy = this.classes.request(found, specifier, this);
    const isHidden = copy?.shape?.exportName === null && !this.#api.isHeritageClause(parent.parent);
    return isHidden ? null : copy;
  }

  /** A constant that is copied, or else an export of the entry that the user imports. */
  #value(found: Declared, specifier: string): Copy | null {
    const wanted = { found, types: NO_TYPES, specifier };
    if (constantOf(this.#api, found) !== null) return this.#copy({ ...wanted, kind: "constant" });
    const entry = this.modules.at(specifier, this.file.fileName);
    // tools differ in which names of CommonJS they find
    if (entry?.surface.isEsm !== true || !this.#api.isVariableDeclaration(found.node)) return null;
    const exportName = this.modules.exportName(entry, found.node);
    return exportName === undefined ? null : this.#copy({ ...wanted, kind: "import", exportName });
  }

  #copy(
    wanted: Pick<
      Copy,
      "kind" | "found" | "types" | "specifier" | "exportName" | "shape" | "member"
    >,
  ): Copy {
    const { module, node, name } = wanted.found;
    const { pos } = wanted.member ?? node;
    const key = `${module.file} ${wanted.kind} ${pos} ${JSON.stringify(wanted.types.args)}`;
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const short =
      name === DEFAULT || name === WHOLE_VALUE ? "value" : name.replace(/^exports\./, "");
    const copy: Copy = {
      ...wanted,
      name:
        wanted.kind === "class"
          ? this.classes.claim(`${short}$copy`, this.#taken)
          : claimName(`${short}$copy`, this.#taken),
      references: this.#referencesOf(wanted),
      uses: new Map(),
      inner: new Map(),
      calls: new Map(),
      excluded: new Map(),
      decided: new Map(),
    };
    this.#byKey.set(key, copy);
    const code = wanted.kind === "class" ? null : this.#codeOf(wanted);
    if (code !== null) this.classes.mention(code);
    return copy;
  }

  #referencesOf(copy: Pick<Copy, "kind" | "found" | "member">): References {
    const { kind, found } = copy;
    const of = kind === "import" ? null : this.#codeOf(copy);
    if (of === null) return { outer: [], globals: new Set() };
    const known = this.#references.get(of) ?? referencesOf(this.#api, this.modules, found, of);
    this.#references.set(of, known);
    return known;
  }

  #codeOf = ({ found, member }: Pick<Copy, "found" | "member">): ts.Node | null =>
    member ??
    functionOf(this.#api, found)?.node ??
    constantOf(this.#api, found) ??
    classOf(this.#api, found);

  /** The text after the user's, and where each of these copies stands. */
  text(copies: readonly Copy[]): CopiesText {
    const wanted = new Set(copies);
    const all = [...inOrder(copies)].flatMap((copy) => this.#parts(copy, wanted));
    const words = wordSet(all.map(({ rendered }) => rendered.text).join(" "));
    const classes = [...this.classes.homes()].filter(
      ([{ name }, home]) => home !== this.file.fileName && words.has(name),
    );
    let text = `${this.file.text}\n`;
    for (const [{ name }, home] of classes)
      text += `${importText([name], home.replace(/\.([cm]?)tsx?$/, ".$1js"), false)}\n`;
    const placed = all.map((one): Placed => {
      const start = text.length;
      text += `${one.rendered.text}\n`;
      return { ...one, start };
    });
    return { text, placed, homes: new Set(classes.map(([, home]) => home)) };
  }

  /** A copy; a class with the bodies of its members. */
  #parts(copy: Copy, wanted: ReadonlySet<Copy>): readonly Omit<Placed, "start">[] {
    if (copy.kind === "member") return [];
    const { bodies } = copy.shape ?? {};
    const known = [...(bodies?.values() ?? [])].flatMap((each) => [...each.values()]);
    const parts = [copy, ...known.filter((each) => wanted.has(each))].map((each) => ({
      copy: each,
      rendered: this.#rendered(each),
    }));
    const last = parts.at(-1);
    if (bodies === undefined || last === undefined) return parts;
    const stubs = [...bodies.keys()].map((member) => stubOf(this.#api, member)).join("");
    const text = `${last.rendered.text}${stubs}\n}`;
    return parts.with(-1, { ...last, rendered: { ...last.rendered, text } });
  }

  #rendered(copy: Copy): Rendered {
    const { name, kind, found, exportName, specifier } = copy;
    const { source } = found.module;
    if (kind === "import" && exportName !== undefined)
      return {
        text: importText([`${exportName} as ${name}`], specifier, false),
        stretches: [{ at: 0, from: found.node.getStart(), length: 0 }],
      };
    if (copy.shape !== undefined) return this.#classText(copy, copy.shape);
    if (copy.member !== undefined) return this.#bodyText(copy, copy.member);
    const value = kind === "constant" ? constantOf(this.#api, found) : null;
    if (value !== null) {
      const range = { start: value.getStart(), end: value.end };
      return render(source, range, this.#renamed(copy), [`const ${name} = `, ";"]);
    }
    const part = functionOf(this.#api, found);
    if (part === null) return { text: "", stretches: [] };
    const changes = [
      ...this.#renamed(copy),
      ...withoutArrow(this.#api, part.node),
      ...withoutCommas(this.#api, part.node),
      ...signatureChanges(this.#api, part.node, copy.types),
      ...reassigned(this.#api, found.module.checker, part.node, copy.types),
      ...innerParameters(this.#api, copy.inner),
    ];
    const reached = withoutExcluded(this.#api, copy, changes);
    return render(source, part.range, reached, part.around(name));
  }

  #classText(copy: Copy, shape: ClassShape): Rendered {
    const { node } = shape;
    const inherits =
      node.heritageClauses === undefined ? "" : ` extends ${baseOf(copy)?.name ?? this.#missing}`;
    const changes = [
      ...classChanges(this.#api, shape),
      ...this.#renamed(copy),
      ...[...shape.live.keys()].flatMap((member) => [
        ...withoutCommas(this.#api, member),
        ...ownNames(this.#api, member),
        ...withOwnClass(this.#api, shape, member, copy.name),
      ]),
      ...innerParameters(this.#api, copy.inner),
    ].filter(({ start }) => start >= node.members.pos);
    return render(
      copy.found.module.source,
      { start: node.members.pos, end: node.members.end },
      withoutExcluded(this.#api, copy, changes),
      [`export ${shape.isAbstract ? "abstract " : ""}class ${copy.name}${inherits} {`, ""],
    );
  }

  #bodyText(copy: Copy, member: MemberCode): Rendered {
    const { found } = copy;
    const of = this.classes.copyOf(member.parent);
    const changes = [
      ...this.#renamed(copy),
      ...withoutCommas(this.#api, member),
      ...signatureChanges(this.#api, member, copy.types),
      ...reassigned(this.#api, found.module.checker, member, copy.types),
      ...innerParameters(this.#api, copy.inner),
      ...ownNames(this.#api, member),
      ...(of?.shape === undefined ? [] : withOwnClass(this.#api, of.shape, member, of.name)),
      ...withoutData(this.#api, member.parent as ClassNode, member), // a member has a class
    ];
    // what follows a body at once is taken for its overload
    return render(
      found.module.source,
      { start: member.getStart(), end: member.end },
      withoutExcluded(this.#api, copy, changes),
      [";\n", ""],
    );
  }

  /** `Object.prototype.toString`, which has no meaning under another name. */
  #methodText({ kind, found }: Copy): string | undefined {
    const value = kind === "constant" ? constantOf(this.#api, found) : null;
    return value !== null && isMethodText(value.getText()) ? value.getText() : undefined;
  }

  #renamed({ references, uses }: Copy): Change[] {
    return references.outer.map(({ node, target }) => {
      // what is not copied is a name without a declaration, which no engine takes
      const other = target?.kind === "global" ? target.name : this.#missing;
      const used = uses.get(node);
      const name = (used && this.#methodText(used)) ?? used?.name ?? other;
      return this.#api.isShorthandPropertyAssignment(node.parent)
        ? { start: node.end, end: node.end, text: `: ${name}` }
        : { start: node.getStart(), end: node.end, text: name };
    });
  }
}

/** The copy of the class that a class extends. */
export function baseOf({ shape, uses }: Copy): Copy | undefined {
  const base = shape?.node.heritageClauses?.[0]?.types[0]?.expression;
  return base && uses.get(base);
}

/** Whether a place of a class is in its copy. */
function isLive(shape: ClassShape | undefined, node: ts.Node): boolean {
  if (shape === undefined || node.end <= shape.node.members.pos) return true;
  const member = memberAt(shape, node.getStart());
  return member === undefined || (shape.live.has(member) && !shape.faulty.has(member));
}

/** Imports first; a constant after those that it mentions. */
function inOrder(copies: readonly Copy[]): ReadonlySet<Copy> {
  const wanted = new Set(copies);
  const found = new Set(copies.filter(({ kind }) => kind === "import"));
  const add = (copy: Copy): void => {
    for (const used of copy.uses.values()) if (wanted.has(used) && !found.has(used)) add(used);
    found.add(copy);
  };
  for (const copy of copies) if (copy.kind === "constant") add(copy);
  const depth = (copy: Copy): number => {
    const base = baseOf(copy);
    return base === undefined ? 0 : 1 + depth(base);
  };
  const classes = copies.filter(({ kind }) => kind === "class");
  for (const copy of classes.toSorted((x, z) => depth(x) - depth(z))) found.add(copy);
  for (const copy of copies) found.add(copy);
  return found;
}

/** The place in a package's file that an offset in the user's extended file comes from. */
export function placeOf(
  placed: readonly Placed[],
  offset: number,
): { readonly module: Module; readonly start: number } | null {
  let found: Placed | undefined;
  for (const one of placed) if (one.start <= offset) found = one;
  return found === undefined
    ? null
    : {
        module: found.copy.found.module,
        start: toPackage(found.rendered, offset - found.start),
      };
}
