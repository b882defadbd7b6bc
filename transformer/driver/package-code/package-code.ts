// Puts copies of package functions after the user's code that calls them, so that the static engine
// sees them. In: a program. Out: one in which such files are longer, and which copy a call means.
// Invariant: the user's part of each file and its types are as before; where nothing can be copied
// the program is the given one.

import type ts from "typescript";
import type { PackageSystem } from "../../delta/packages/index.ts";
import { resolverOf } from "../../delta/packages/resolve.ts";
import { wordSet } from "../../5-emit/names/module-names.ts";
import { isPackageFile, mentionsTsgrad } from "../../1-lower/index.ts";
import { dependentsOf, packageOf, packagesIn } from "./dependents.ts";
import type { Span } from "../../diagnostics/report.ts";
import type { CompileHost } from "../compiled.ts";
import { ClassCopies } from "./class-copies.ts";
import type { ClassShape } from "./classes.ts";
import { Copies, type CopiesText, type Copy, type Placed, placeOf } from "./copies.ts";
import { isOwnName } from "./member-bodies.ts";
import { type MemberCall, memberCalls } from "./member-calls.ts";
import { Modules, type Path } from "./modules.ts";
import { programWith } from "./program-with.ts";
import { decideIn, type Meant, iterationOf, iterationOfUses } from "./type-iterations.ts";
import { faultyCopies } from "./soundness.ts";
import { reachableFrom } from "./reachable-code.ts";
import { reachedBy } from "./reached.ts";
import { exposureTest, importedBy, importsOf, type Use, usesOf } from "./uses.ts";

/** Copies in the files of a program. */
export interface PackageCode {
  /** The program without copies. */
  readonly plain: ts.Program;
  readonly program: ts.Program;
  /** By file. */
  readonly files: ReadonlyMap<string, FileCode>;
  /** The declaration of the copy that the user's expression means; null for other code. */
  functionAt(node: ts.Node): ts.Symbol | null;
  isCopied(node: ts.Node): boolean;
  /** Whether a member of a copied class has no name outside of it. */
  isOnlyInCopy(node: ts.Node): boolean;
  /** The copy of a declared class; null for others. */
  classOf(declaration: ts.Node): ts.ClassDeclaration | null;
  /** How emitted code imports the class of a copy; null for other classes. */
  importOf(node: ts.Node): ClassImport | null;
  /** Whether the package's declarations of a copied class lack a field, or hide it. */
  lacks(node: ts.Node, field: string): boolean;
  /** Whether a place is in a copy. */
  holds(span: Span): boolean;
  /** A place of a copy in the package's module; null where the host cannot change that. */
  changeable(span: Span): (Span & { readonly isCommonJs: boolean }) | null;
  /** Files of packages that were read, with their texts. */
  readonly read: ReadonlyMap<string, string | undefined>;
}

interface ClassImport {
  readonly exportName: string;
  readonly specifier: string;
  /** The package's file. */
  readonly file: string;
}

export interface FileCode {
  /** The length of the user's part. */
  readonly length: number;
  readonly text: string;
  readonly placed: readonly Placed[];
}

/** Each iteration finds types for the calls that the copies of the one before make. */
const MOST_ITERATIONS = 32;

interface Known {
  readonly code: PackageCode | null;
  readonly request: CodeRequest;
  /** What the host loads. */
  readonly loaded: PackageSystem["loaded"];
  /** The texts that it depends on. */
  readonly read: ReadonlyMap<string, string | undefined>;
}

export interface CodeRequest {
  /** Functions are requested by name, so that all uses may be reached. */
  readonly isAsked: boolean;
  /** Names of packages of which nothing is copied. */
  readonly left: ReadonlySet<string>;
}

/** By program: the code that was requested last. */
const known = new WeakMap<ts.Program, Known>();

/** The code with which a program was compiled. */
export const knownCodeOf = (program: ts.Program): PackageCode | null =>
  known.get(program)?.code ?? null;

export function packageCodeOf(
  { ts: api, program, system }: CompileHost,
  request: CodeRequest,
): PackageCode | null {
  if (system === undefined) return null;
  const read = (file: string): string | undefined => system.readFile(file);
  const before = known.get(program);
  // a package may have been edited since
  const isFresh = (before: Known["read"]): boolean =>
    [...before].every(([file, text]) => read(file) === text);
  const { loaded } = system;
  if (before !== undefined && isSame(before.request, request))
    if (before.loaded === loaded && isFresh(before.read)) return before.code;
  const own = program.getSourceFiles().filter((file) => !file.isDeclarationFile);
  const packages = new Set(own.flatMap(({ text }) => packagesIn(text)));
  // another package may call a function of this one where nobody sees it
  const dependents = dependentsOf(packages, system);
  let exposed: ((path: Path) => boolean) | undefined;
  const isExposed = (path: Path, by: Modules): boolean =>
    (exposed ??= exposureTest(api, own, program.getTypeChecker(), by))(path);
  const texts = own.map(({ text }) => text);
  const resolver = resolverOf(api, program.getCompilerOptions(), system);
  const modules = new Modules(api, resolver, read, { texts, isExposed, dependents });
  const code = mentionsTsgrad(program) ? codeOf(api, program, system, modules, request) : null;
  known.set(program, { code, request, loaded, read: modules.texts });
  return code;
}

const isSame = (one: CodeRequest, other: CodeRequest): boolean =>
  one.isAsked === other.isAsked && [...one.left].join() === [...other.left].join();

function codeOf(
  api: typeof ts,
  plain: ts.Program,
  system: ts.ModuleResolutionHost,
  modules: Modules,
  { isAsked, left }: CodeRequest,
): PackageCode | null {
  const checker = plain.getTypeChecker();
  const own = plain.getSourceFiles().filter((file) => !file.isDeclarationFile);
  const texts = own.map(({ text }) => text);
  const classes = new ClassCopies(api, modules, plain, (loaded, isOf) =>
    reachableFrom(api, modules, {
      imported: importedBy(api, own, { checker, modules, isOf }),
      texts,
      loaded,
    }),
  );
  let isReached: ((node: ts.Node) => boolean) | undefined = isAsked ? () => true : undefined;
  const found = plain.getSourceFiles().flatMap((file): Calling[] => {
    if (!isUsers(plain, file) || importsOf(api, file, checker).size === 0) return [];
    const reaches = (isReached ??= reachTest(api, plain));
    // modules of other packages are not even read
    const uses = usesOf(api, file, checker, modules, reaches).filter(
      ({ specifier }) => !left.has(packageOf(specifier)),
    );
    if (uses.length === 0) return [];
    classes.mention(file, reaches);
    const copies = new Copies(api, modules, file, { classes, taken: wordSet(file.text) });
    const calling: Calling = { file, copies, uses, meant: new Map(), closed: new Set() };
    const hasClass = uses
      .map((use) => classes.request(use.found, use.specifier, copies))
      .some((copy) => copy !== null);
    const types = classes.typesFor(copies, checker);
    // other files may make classes known
    const first = { ...calling, closed: new Set<Use>() };
    return iterationOfUses(types, file, copies, first) || hasClass ? [calling] : [];
  });
  const [first] = found;
  const reaches = isReached;
  const ofUser =
    first === undefined || reaches === undefined
      ? []
      : own.flatMap((file) =>
          memberCalls(
            classes.typesFor(first.copies, checker),
            file,
            (node) => api.isSourceFile(node) || reaches(node),
          ),
        );
  return found.length === 0
    ? null
    : settled({ api, plain, system, classes, ofUser, unsound: new Set() }, found, modules);
}

function reachTest(api: typeof ts, plain: ts.Program): (node: ts.Node) => boolean {
  const reached = reachedBy(api, plain);
  return (node) => reached.has(node);
}

/** A user's file that calls packages. */
interface Calling {
  readonly file: ts.SourceFile;
  readonly copies: Copies;
  readonly uses: readonly Use[];
  readonly meant: Meant;
  readonly closed: Set<Use>;
}

const isUsers = (program: ts.Program, file: ts.SourceFile): boolean =>
  !file.isDeclarationFile &&
  /\.[cm]?tsx?$/.test(file.fileName) &&
  !file.fileName.includes("/node_modules/") &&
  !isPackageFile(program, file);

/** Repeats until all calls within copies have found their copies. */
function settled(
  setting: Setting,
  found: readonly Calling[],
  modules: Modules,
): PackageCode | null {
  const { api, plain } = setting;
  let iteration: Iteration = { program: plain, texts: [], isOther: () => true };
  let open: ReadonlySet<Calling> = new Set(found);
  for (let count = 0; count < MOST_ITERATIONS && open.size > 0; count++) {
    const texts = found.map(({ copies }) => {
      copies.addValues();
      return copies.text(copies.all);
    });
    iteration = iterationAfter(iteration, setting, found, texts);
    // where files cannot be found again, types would be others
    if (iteration.program.getSourceFiles().length !== plain.getSourceFiles().length) return null;
    open = changedIn(iteration, setting, found, open);
  }
  const { program, texts } = soundIteration(iteration, setting, found);
  return new Extended(api, { plain, program, modules }, found, texts);
}

/** The files for which types say more than before. What they decide is left out before all else. */
function changedIn(
  { program, texts, isOther }: Iteration,
  { classes, ofUser }: Setting,
  found: readonly Calling[],
  open: ReadonlySet<Calling>,
): ReadonlySet<Calling> {
  const checker = program.getTypeChecker();
  const asked = found.flatMap((calling, i) => {
    const source = program.getSourceFile(calling.file.fileName);
    if (source === undefined || !(open.has(calling) || isOther(calling))) return [];
    const types = classes.typesFor(calling.copies, checker);
    return [{ calling, source, types, placed: texts[i]?.placed ?? [] }];
  });
  const decided = asked.filter(({ calling, source, types, placed }) =>
    decideIn(types, source, calling.copies, placed),
  );
  if (decided.length > 0) return new Set(asked.map(({ calling }) => calling));
  const changed = asked.filter(({ calling, source, types, placed }) => {
    const isNew = iterationOfUses(types, source, calling.copies, calling);
    const own = source.statements.filter(({ end }) => end > calling.file.text.length);
    const calls = own.flatMap((node) => memberCalls(types, node, () => true));
    const isCalled = [...calls, ...ofUser].map((call) => classes.noteCall(call)).includes(true);
    return iterationOf(types, source, calling.copies, placed) || isNew || isCalled;
  });
  return new Set(changed.map(({ calling }) => calling));
}

/** With the copies that are reached and have no type errors. */
function soundIteration(last: Iteration, setting: Setting, found: readonly Calling[]): Iteration {
  const sound = new Set<Calling>();
  for (let iteration = last; ;) {
    const texts = found.map((calling) => reachedText(calling, setting));
    iteration = iterationAfter(iteration, setting, found, texts);
    const { program, isOther } = iteration;
    const faulty = found.flatMap((calling, i) => {
      if (sound.has(calling) && !isOther(calling)) return [];
      const own = faultyCopies(setting.api, program, calling.file.fileName, texts[i]?.placed ?? []);
      if (own.length === 0) sound.add(calling);
      return own;
    });
    if (faulty.length === 0) return iteration;
    for (const one of faulty) if ("references" in one) setting.unsound.add(one);
  }
}

/** A program in which files have these texts. */
interface Iteration {
  readonly program: ts.Program;
  readonly texts: readonly CopiesText[];
  /** Whether types in a file may differ from those of the iteration before. */
  readonly isOther: (calling: Calling) => boolean;
}

function iterationAfter(
  before: Iteration,
  { api, system }: Setting,
  found: readonly Calling[],
  texts: readonly CopiesText[],
): Iteration {
  const others = new Set(
    found.filter((_, i) => texts[i]?.text !== before.texts[i]?.text).map(fileOf),
  );
  if (others.size === 0) return { program: before.program, texts, isOther: () => false };
  const byFile = new Map(found.map(({ file }, i) => [file.fileName, texts[i]?.text ?? file.text]));
  const program = programWith(api, before.program, byFile, system);
  for (let size = 0; size < others.size;) {
    size = others.size;
    for (const [i, calling] of found.entries())
      if ([...(texts[i]?.homes ?? [])].some((home) => others.has(home)))
        others.add(fileOf(calling));
  }
  return { program, texts, isOther: (calling) => others.has(fileOf(calling)) };
}

const fileOf = ({ file }: Calling): string => file.fileName;

interface Setting {
  /** Calls of members in the program's own code. */
  readonly ofUser: readonly MemberCall[];
  readonly api: typeof ts;
  readonly plain: ts.Program;
  readonly system: ts.ModuleResolutionHost;
  readonly classes: ClassCopies;
  readonly unsound: Set<Copy>;
}

/** The text with the copies that the user's code reaches, without those that cannot be used. */
function reachedText(
  { file, copies, meant }: Calling,
  { api, plain, classes, unsound }: Setting,
): CopiesText {
  const isSound = (copy: Copy, home: ts.SourceFile): boolean =>
    !unsound.has(copy) && !hidesGlobals(api, plain, copy, home);
  // without one of them, code of a base would stand for the code that overrides it
  const isUsable = (copy: Copy): boolean =>
    isSound(copy, file) &&
    classes.derivedOf(copy).every((each) => isSound(...each)) &&
    isWhole(copy, isUsable);
  const reached = new Set([...meant.values(), ...classes.of(copies)].filter(isUsable));
  for (const { uses, shape } of reached) {
    const bodies = shape === undefined ? [] : bodiesOf(shape);
    for (const body of bodies) if (isSound(body, file)) reached.add(body);
    for (const next of uses.values())
      if (isUsable(next) && (next.kind !== "class" || reached.has(next))) reached.add(next);
  }
  return copies.text([...reached]);
}

const bodiesOf = ({ bodies, faulty }: ClassShape): readonly Copy[] =>
  [...bodies].flatMap(([member, each]) => (faulty.has(member) ? [] : [...each.values()]));

/** A constant is evaluated, so that all that it mentions must be there. */
const isWhole = ({ kind, references, uses }: Copy, isUsable: (copy: Copy) => boolean): boolean =>
  kind !== "constant" ||
  references.outer.every(({ node, target }) => {
    const used = uses.get(node);
    return target?.kind === "global" || (used !== undefined && isUsable(used));
  });

/** Whether the user's file declares a name that means a part of the library in the package. */
const hidesGlobals = (
  api: typeof ts,
  plain: ts.Program,
  copy: Copy,
  file: ts.SourceFile,
): boolean =>
  [...copy.references.globals].some(
    (name) =>
      plain
        .getTypeChecker()
        .resolveName(name, file, api.SymbolFlags.Value, false)
        ?.declarations?.some((node) => node.getSourceFile() === file) === true,
  );

class Extended implements PackageCode {
  readonly plain: ts.Program;
  readonly program: ts.Program;
  readonly files: ReadonlyMap<string, FileCode>;
  readonly read: ReadonlyMap<string, string | undefined>;
  /** By file and place: the names of copies. */
  readonly #meant = new Map<string, string>();
  readonly #symbols = new Map<string, ts.Symbol>();
  readonly #classes = new Map<ts.Node, ts.ClassDeclaration>();
  readonly #imports = new Map<ts.Node, ClassImport>();
  /** The instances that declarations speak of, by copy. */
  readonly #declared = new Map<ts.Node, ts.Type>();
  readonly #api: typeof ts;
  readonly #modules: Modules;

  constructor(
    api: typeof ts,
    { plain, program, modules }: Pick<PackageCode, "plain" | "program"> & { modules: Modules },
    found: readonly Calling[],
    texts: readonly CopiesText[],
  ) {
    this.plain = plain;
    this.program = program;
    this.read = modules.texts;
    this.#modules = modules;
    this.#api = api;
    this.files = new Map(
      found.map(({ file }, i) => [
        file.fileName,
        {
          length: file.text.length,
          text: texts[i]?.text ?? "",
          placed: texts[i]?.placed ?? [],
        },
      ]),
    );
    for (const { file, meant } of found)
      for (const [{ node }, copy] of meant) this.#meant.set(keyOf(file, node), copy.name);
    const checker = program.getTypeChecker();
    for (const { file } of found)
      for (const node of program.getSourceFile(file.fileName)?.statements ?? [])
        if (node.getStart() >= file.text.length) this.#add(api, checker, file.fileName, node);
  }

  /** Notes what a copy declares. */
  #add(api: typeof ts, checker: ts.TypeChecker, file: string, node: ts.Statement): void {
    if (api.isClassDeclaration(node)) this.#addClass(file, node);
    const declared = api.isVariableStatement(node)
      ? node.declarationList.declarations[0]
      : api.isFunctionDeclaration(node)
        ? node
        : undefined;
    const name = declared?.name;
    const symbol = name && checker.getSymbolAtLocation(name);
    if (name !== undefined && symbol !== undefined && api.isIdentifier(name))
      this.#symbols.set(`${file} ${name.text}`, symbol);
  }

  #addClass(file: string, node: ts.ClassDeclaration): void {
    const placed = this.files.get(file)?.placed ?? [];
    const copy = placed.find(({ copy: each }) => each.name === node.name?.text)?.copy;
    const { exportName = null, declared = null } = copy?.shape ?? {};
    const declaration = declared?.valueDeclaration;
    if (copy === undefined || exportName === null || declared === null || !declaration) return;
    this.#classes.set(declaration, node);
    this.#declared.set(node, this.plain.getTypeChecker().getDeclaredTypeOfSymbol(declared));
    this.#imports.set(node, {
      ...{ exportName, specifier: copy.specifier, file: copy.found.module.file },
    });
  }

  classOf(declaration: ts.Node): ts.ClassDeclaration | null {
    return this.#classes.get(declaration) ?? null;
  }

  importOf(node: ts.Node): ClassImport | null {
    return this.#imports.get(node) ?? null;
  }

  lacks(node: ts.Node, field: string): boolean {
    const type = this.#declared.get(node);
    const declaration = type?.getProperty(field)?.valueDeclaration;
    if (type === undefined || declaration === undefined) return type !== undefined;
    const { ModifierFlags } = this.#api;
    const hiding = ModifierFlags.Private | ModifierFlags.Protected;
    return (this.#api.getCombinedModifierFlags(declaration) & hiding) !== 0;
  }

  functionAt(node: ts.Node): ts.Symbol | null {
    const file = node.getSourceFile();
    const name = this.#meant.get(keyOf(file, node));
    return name === undefined ? null : (this.#symbols.get(`${file.fileName} ${name}`) ?? null);
  }

  isCopied(node: ts.Node): boolean {
    const { fileName } = node.getSourceFile();
    return this.holds({ file: fileName, start: node.getStart(), end: node.end });
  }

  isOnlyInCopy(node: ts.Node): boolean {
    const isMember = this.#api.isClassElement(node) && node.name !== undefined;
    return isMember && isOwnName(node.name.getText()) && this.isCopied(node);
  }

  changeable({ file, start, end }: Span): ReturnType<PackageCode["changeable"]> {
    const placed = this.files.get(file)?.placed ?? [];
    const [from, to] = [placeOf(placed, start), placeOf(placed, end)];
    return from === null || to === null || !this.#modules.isChangeable(from.module)
      ? null
      : {
          file: from.module.file,
          start: from.start,
          end: to.start,
          isCommonJs: !from.module.surface.isEsm,
        };
  }

  holds({ file, start }: Span): boolean {
    const code = this.files.get(file);
    return code !== undefined && start > code.length;
  }
}

const keyOf = ({ fileName }: ts.SourceFile, node: ts.Node): string =>
  `${fileName} ${node.getStart()} ${node.end}`;
