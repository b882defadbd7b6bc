// The program's classes: subclasses, classes that fit a type, fields, and sealed classes.
// A sealed class has fields or members that outside code cannot name. Emitted code keeps records
// with a tag field in place of its instances. Nothing is lowered here.

import type ts from "typescript";
import { ClassDeclarations, type ClassNode } from "./class-declarations.ts";
import { ClosureFields, heldClosures } from "../functions/closure-fields.ts";
import type { ClosureField } from "../function-values.ts";
import type { Lowering } from "../lowering.ts";
import { isPackageFile } from "../sites/package-files.ts";
import type { TypeScript } from "../typescript.ts";
import { nodesOfFile } from "../nodes-of-file.ts";
import { Questions } from "../questions.ts";
import type { CopiedCode } from "../services.ts";
import type { Region } from "../flow/regions.ts";
import { valueFlowOf } from "../flow/value-flow.ts";
import { flowingClasses, type FlowingClasses } from "./flowing-classes.ts";

export interface ClassField {
  readonly name: string;
  readonly symbol: ts.Symbol;
  readonly hidden: boolean;
  readonly fixed: boolean;
  /** Whether the declarations of its package have no such field for everybody. */
  readonly undeclared: boolean;
}

interface ClassSetting {
  /** Classes and fields that stay unsealed. */
  readonly left?: ReadonlySet<ts.Node>;
  /** Classes mixed with sealed ones. */
  readonly together?: ReadonlySet<ClassNode>;
  readonly packageCode?: CopiedCode | undefined;
}

const classesIn = nodesOfFile("class", (node, api): node is ClassNode => api.isClassLike(node));

export class Classes extends ClassDeclarations {
  /** Whether a field without initializer is defined, as undefined, before the constructor runs. */
  readonly definesFields: boolean;
  readonly questions = new Questions();
  /** Null where nothing is lowered: then functions in fields are unknown. */
  readonly lowering: Lowering | null;
  readonly #packageCode: CopiedCode | undefined;
  readonly #left: ReadonlySet<ts.Node>;
  readonly #together: ReadonlySet<ClassNode>;
  /** Classes without a tag whose instances mix with those of sealed classes. */
  readonly mixed = new Set<ClassNode>();
  /** Fields that hold anonymous functions. */
  readonly closures: ClosureFields;
  readonly #privateNames = new Map<ClassNode, ReadonlyMap<ts.Node, string>>();
  #all: readonly ClassNode[] | null = null;
  readonly #flowing = new Map<ts.Type, Map<Region, FlowingClasses>>();
  readonly #closuresHeld = new Map<ClassNode, readonly ClosureField[]>();

  constructor(
    api: TypeScript,
    program: ts.Program,
    lowering: Lowering | null = null,
    { left = new Set(), together = new Set(), packageCode }: ClassSetting = {},
  ) {
    super(api, program, packageCode);
    this.#packageCode = packageCode;
    this.lowering = lowering;
    this.closures = new ClosureFields(api, program, this, left);
    this.#left = left;
    this.#together = together;
    const { useDefineForClassFields, target } = program.getCompilerOptions();
    this.definesFields =
      useDefineForClassFields ?? (target ?? api.ScriptTarget.ES5) >= api.ScriptTarget.ES2022;
  }

  /** The subclasses in the program, the most derived first. `at`: the code that depends on it. */
  subclasses(node: ClassNode, at: ts.Node): readonly ClassNode[] {
    this.questions.subclasses(node, at);
    return this.inOrder(
      this.all().filter((each) => each !== node && this.lineage(each)?.includes(node) === true),
    );
  }

  /**
   * The classes whose instances flow to places of an interface, the most derived first. Where the
   * program brings nothing there, all that fit.
   */
  implementing(type: ts.Type, at: ts.Node): readonly ClassNode[] {
    const fits = (each: ClassNode): boolean =>
      this.lineage(each) !== null && this.checker.isTypeAssignableTo(this.instanceType(each), type);
    const flowing = this.flowingTo(type, at).classes.filter(fits);
    return this.inOrder(flowing.length > 0 ? flowing : this.all().filter(fits));
  }

  /** What flows to places of a type. `at`: the code that depends on it. */
  flowingTo(type: ts.Type, at: ts.Node): FlowingClasses {
    const region = valueFlowOf(this.api, this.program).regionOf(at.getSourceFile());
    const known = this.#flowing.get(type) ?? new Map<Region, FlowingClasses>();
    const found = known.get(region) ?? flowingClasses(type, region, this, this.api, this.program);
    this.#flowing.set(type, known.set(region, found));
    this.questions.flowing(type, found, at, this.checker);
    return found;
  }

  /** All classes of the program's own files. */
  all(): readonly ClassNode[] {
    this.#all ??= this.program.getSourceFiles().flatMap((file) => this.#classesIn(file));
    return this.#all;
  }

  #classesIn(file: ts.SourceFile): readonly ClassNode[] {
    return file.isDeclarationFile || isPackageFile(this.program, file)
      ? []
      : classesIn(file, this.api);
  }

  /** Whether all fields are known, and derivatives can construct instances or records. */
  isKnown(node: ClassNode): boolean {
    return (
      this.lineage(node) !== null &&
      !this.#isInNamespace(node) &&
      !this.isDecorated(node) &&
      this.fields(node) !== null &&
      (!this.#hasPrivate(node) || this.#maySeal(node))
    );
  }

  /** Whether its name is out of scope at the end of the module, where derivatives are emitted. */
  #isInNamespace(node: ClassNode): boolean {
    return this.api.isModuleBlock(node.parent);
  }

  /** Whether records replace its instances: for `#x`, anonymous functions, or mixing with such. */
  isSealed(node: ClassNode): boolean {
    return (
      this.#hasPrivate(node) ||
      this.closuresOf(node).length > 0 ||
      (this.#together.has(node) && !this.#left.has(node))
    );
  }

  #hasPrivate(node: ClassNode): boolean {
    return (this.lineage(node) ?? [node]).some(({ members }) =>
      members.some((member) => this.isPrivate(member)),
    );
  }

  /** The reachable fields that hold anonymous functions, of a class without `#x`. */
  closuresOf(node: ClassNode): readonly ClosureField[] {
    if (this.#left.has(node) || this.#hasPrivate(node)) return [];
    const known = this.#closuresHeld.get(node);
    if (known !== undefined) return known;
    this.#closuresHeld.set(node, []);
    const found = heldClosures(this.instanceType(node), node, this, this.api);
    this.#closuresHeld.set(node, found);
    return found;
  }

  /** Whether records can replace its instances: none escapes, and `#` members are unambiguous. */
  #maySeal(node: ClassNode): boolean {
    const lineage = this.lineage(node) ?? [node];
    const own = lineage.flatMap(({ members }) =>
      members.filter((member) => this.isPrivate(member)),
    );
    const called = own
      .filter((member) => !this.api.isPropertyDeclaration(member))
      .map((member) => `${member.kind} ${member.name?.getText()}`);
    const holdsFunctions = own.some(
      (member) =>
        this.api.isPropertyDeclaration(member) &&
        this.checker.getNonNullableType(this.checker.getTypeAtLocation(member)).getCallSignatures()
          .length > 0,
    );
    return (
      !lineage.some((each) => this.#left.has(each)) &&
      new Set(called).size === called.length &&
      !holdsFunctions
    );
  }

  /** The field or member name that replaces `o.#x`; null where instances are no records. */
  privateName(name: ts.PrivateIdentifier): string | null {
    const declaration = this.checker.getSymbolAtLocation(name)?.valueDeclaration;
    if (
      declaration === undefined ||
      !this.api.isClassLike(declaration.parent) ||
      !this.isKnown(declaration.parent)
    )
      return null;
    return this.api.isPropertyDeclaration(declaration)
      ? this.#recordName(declaration, declaration.parent)
      : name.text;
  }

  /** A name that nothing else in the hierarchy has: `x`, or `_x` where `x` is taken. */
  #recordName(declaration: ts.PropertyDeclaration, owner: ClassNode): string {
    return this.#recordNamesOf(owner).get(declaration) ?? declaration.name.getText();
  }

  /** The record field with the class name; null if unneeded, or if the hierarchy is not sealed. */
  tagName(node: ClassNode): string | null {
    const root = this.#rootOf(node);
    const kin = [root, ...this.subclasses(root, node)];
    const made = kin.filter((each) => !this.isAbstract(each));
    const isAsked =
      kin.length > 1 || node.heritageClauses !== undefined || this.#together.has(node);
    return isAsked && made.every((each) => this.isSealed(each))
      ? (this.#recordNamesOf(node).get(root) ?? null)
      : null;
  }

  #rootOf(node: ClassNode): ClassNode {
    return this.lineage(node)?.at(-1) ?? node;
  }

  #recordNamesOf(node: ClassNode): ReadonlyMap<ts.Node, string> {
    const root = this.#rootOf(node);
    const known = this.#privateNames.get(root) ?? this.#recordNames(root);
    this.#privateNames.set(root, known);
    return known;
  }

  /** Names of the private fields by their declarations, and of the tag by the root class. */
  #recordNames(root: ClassNode): ReadonlyMap<ts.Node, string> {
    const kin = [root, ...this.subclasses(root, root).toReversed()];
    const taken = new Set(
      kin.flatMap((each) =>
        this.checker.getPropertiesOfType(this.instanceType(each)).map(({ name }) => name),
      ),
    );
    const named = new Map<ts.Node, string>();
    const wanted: (readonly [ts.Node, string])[] = kin.flatMap(({ members }) =>
      members
        .filter((each) => this.isPrivate(each) && this.api.isPropertyDeclaration(each))
        .map((each) => [each, each.name?.getText().slice(1) ?? ""] as const),
    );
    for (const [node, plain] of [...wanted, [root, "class"] as const]) {
      let name = plain;
      while (taken.has(name)) name = `_${name}`;
      taken.add(name);
      named.set(node, name);
    }
    return named;
  }

  /** The fields of its instances in order of definition; null where some have no fixed name. */
  fields(node: ClassNode): readonly ClassField[] | null {
    const api = this.api;
    const { SymbolFlags } = api;
    const type = this.instanceType(node);
    const names = (this.lineage(node) ?? []).toReversed().flatMap((each) => this.#declared(each));
    const properties = this.checker
      .getPropertiesOfType(type)
      .filter(({ flags }) => flags & SymbolFlags.Property);
    if (
      this.checker.getIndexInfosOfType(type).length > 0 ||
      properties.some(({ name }) => name.startsWith("__@"))
    )
      return null;
    const place = (name: string): number =>
      names.includes(name) ? names.indexOf(name) : names.length;
    return properties
      .map((symbol) => ({ symbol, name: this.#fieldName(symbol) }))
      .toSorted((x, z) => place(x.name) - place(z.name))
      .map(({ symbol, name }) => {
        const flags = (symbol.declarations ?? []).reduce(
          (all, each) => all | api.getCombinedModifierFlags(each),
          0,
        );
        const { ModifierFlags } = api;
        return {
          name,
          symbol,
          hidden: (flags & (ModifierFlags.Private | ModifierFlags.Protected)) !== 0,
          fixed: (flags & ModifierFlags.Readonly) !== 0,
          undeclared: (symbol.declarations ?? []).some(
            ({ parent }) => this.#packageCode?.lacks(parent, name) === true,
          ),
        };
      });
  }

  #fieldName({ valueDeclaration: declaration, name }: ts.Symbol): string {
    const api = this.api;
    if (
      declaration === undefined ||
      !api.isPropertyDeclaration(declaration) ||
      !api.isPrivateIdentifier(declaration.name) ||
      !api.isClassLike(declaration.parent)
    )
      return name;
    return this.#recordName(declaration, declaration.parent);
  }

  /** Field names in order of definition: parameter properties first. */
  #declared(node: ClassNode): readonly string[] {
    const api = this.api;
    const parameters =
      this.constructorOf(node)?.parameters.filter((each) =>
        api.isParameterPropertyDeclaration(each, each.parent),
      ) ?? [];
    const properties = node.members.filter(
      (member): member is ts.PropertyDeclaration =>
        api.isPropertyDeclaration(member) && !this.isStatic(member),
    );
    const named = parameters.flatMap(({ name }) => (api.isIdentifier(name) ? [name.text] : []));
    return [
      ...named,
      ...properties.flatMap((each) =>
        api.isPrivateIdentifier(each.name)
          ? [this.#recordName(each, node)]
          : api.isIdentifier(each.name)
            ? [each.name.text]
            : [],
      ),
    ];
  }
}
