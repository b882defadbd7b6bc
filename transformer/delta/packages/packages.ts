// Handles calls into packages. In: imports of user files that lead into packages. Out: source text
// of instrumented module copies and statements that link them with the originals. Invariant: one
// copy per module and user file; what cannot be read is refused, never assumed constant.

import type ts from "typescript";
import { sharing } from "./dependencies.ts";
import { literal } from "../../code/code.ts";
import { packageCopy } from "../../ir/names.ts";
import { oneLine } from "./one-line.ts";
import { InPlace } from "./in-place.ts";
import { moduleForm, SHARED, type TextEdit } from "./module-form.ts";
import { OpenedModules } from "./opened.ts";
import { plainMentions } from "./plain-mentions.ts";
import { ownModulesOf, withOwnModules } from "./own-modules.ts";
import {
  giveNumberMethods,
  isNeeded,
  prunerOf,
  versionOf,
  type Kept,
  type Pruner,
} from "./prune.ts";
import { resolverOf, packageNameOf, shownName, type Resolved, type Resolver } from "./resolve.ts";
import { exportKey } from "./package-source.ts";
import type {
  PackageImport,
  Packages,
  PackagesHost,
  PackageText,
  PackageValue,
  Refusal,
} from "./package-source.ts";
import { isRepeatable, stateOf, type Mention, type PackageState } from "./state.ts";

export function packagesOf(host: PackagesHost): Packages {
  const { system } = host;
  const own = ownModulesOf(host.ts, host.program, system);
  const others =
    system === undefined ? null : resolverOf(host.ts, host.program.getCompilerOptions(), system);
  const followed = new Followed(host, withOwnModules(others, own), (file) =>
    own.has(file) ? host.program.getSourceFile(file)?.text : system?.readFile(file),
  );
  return {
    packageValue: (wanted) => followed.value(wanted),
    packageText: (file) => followed.text(file),
    isInPlace: (specifier, fromFile) => followed.isInPlace(specifier, fromFile),
    mayShare: sharing(system, (specifier, fromFile) => followed.fileOf(specifier, fromFile)),
    ownModule: (specifier, fromFile) => own.find(specifier, fromFile),
    extendOwn: (file) => {
      followed.inPlace.extend(file);
    },
    ownImports: (file) => followed.inPlace.imports(file),
    extensions: () => followed.inPlace.extensions((file) => own.has(file)),
    isReferred: (file) =>
      followed.isReferred(file) && !host.program.getRootFileNames().includes(file),
    rewriting: (isRewritten, isHigher) => {
      followed.rewriting(isRewritten);
      followed.inPlace.isHigher = isHigher;
    },
    isRepeatable: (specifier, exportName, fromFile, given) =>
      followed.isRepeatable(specifier, exportName, fromFile, given),
  };
}

/** What one user file uses of packages. */
interface Noted {
  readonly pruner: Pruner;
  /** By specifier: the file, and local names by exported name. */
  readonly links: Map<string, { readonly file: string; readonly locals: Map<string, string> }>;
  /** By module, valid while no more of it is requested. */
  readonly copies: Map<string, { readonly version: string; readonly copy: Copy }>;
  state: { readonly version: string; readonly state: State };
}

/** What the copies of one user file share with the real modules, and what they cannot. */
interface State {
  readonly refusals: readonly Refusal[];
  /** By file: the places that read a shared value. */
  readonly edits: ReadonlyMap<string, readonly TextEdit[]>;
  /** By name of the shared value: its text. */
  readonly values: ReadonlyMap<string, string>;
  /** Namespaces of real modules, by specifier. */
  readonly imports: ReadonlyMap<string, string>;
}

const NO_STATE: State = {
  refusals: [],
  edits: new Map(),
  values: new Map(),
  imports: new Map(),
};

interface Copying extends Pick<State, "values"> {
  readonly edits: readonly TextEdit[];
  readonly hasNumberMethods: boolean;
}

interface Copy {
  readonly statement: string;
  readonly imports: ReadonlyMap<string, string>;
  readonly refusals: readonly Refusal[];
}

class Followed {
  readonly #host: PackagesHost;
  readonly #resolver: Resolver;
  readonly #read: (file: string) => string | undefined;
  readonly #noted = new Map<string, Noted>();
  readonly #texts = new Map<string, string | undefined>();
  readonly #modules: OpenedModules;
  readonly inPlace: InPlace;
  #isRewritten: (node: ts.Node) => boolean = () => true;
  #mentions: readonly Mention[] | null = [];

  constructor(host: PackagesHost, resolver: Resolver, read: (file: string) => string | undefined) {
    this.#host = host;
    this.#resolver = resolver;
    this.#read = (file) => {
      if (!this.#texts.has(file)) this.#texts.set(file, read(file));
      return this.#texts.get(file);
    };
    this.#modules = new OpenedModules(host.ts, resolver, this.#read);
    this.inPlace = new InPlace(resolver, this.#read, this.#modules, host.twins);
  }

  rewriting(isRewritten: (node: ts.Node) => boolean): void {
    this.#isRewritten = isRewritten;
    this.#mentions = null;
  }

  /** What code that is not rewritten mentions of packages. */
  get #plain(): readonly Mention[] {
    const { ts: api, program } = this.#host;
    return (this.#mentions ??= plainMentions(api, program, this.#isRewritten).flatMap(
      ({ specifier, exportName, member, fromFile, ...done }) => {
        const file = this.fileOf(specifier, fromFile);
        return file === null ? [] : { ...done, ...this.#modules.named(file, exportName, member) };
      },
    ));
  }

  isRepeatable(specifier: string, exportName: string, fromFile: string, given: number): boolean {
    const file = this.fileOf(specifier, fromFile);
    return (
      file === null || isRepeatable(this.#modules, this.#modules.open(file), exportName, given)
    );
  }

  /** The source that an import loads. */
  fileOf(specifier: string, fromFile: string): string | null {
    const target = this.#resolve(specifier, fromFile);
    return target.kind === "source" ? target.file : null;
  }

  isInPlace(specifier: string, fromFile: string): boolean {
    const target = this.#resolve(specifier, fromFile);
    return target.kind === "source" && target.inPlace;
  }

  #resolve(specifier: string, fromFile: string): Resolved {
    const { ts: api, program } = this.#host;
    const format = program.getSourceFile(fromFile)?.impliedNodeFormat;
    return this.#resolver.resolve(specifier, fromFile, format === api.ModuleKind.CommonJS);
  }

  value({ specifier, exportName, local, fromFile, ownFile }: PackageImport): PackageValue {
    if (ownFile !== undefined) {
      this.inPlace.want(ownFile, exportName);
      return { kind: "linked", cell: this.inPlace.cell(ownFile, exportName) };
    }
    const target = this.#resolve(specifier, fromFile);
    if (target.kind === "node" || target.kind === "json") return { kind: "inert" };
    if (target.kind === "none") return { kind: "refused", why: "no-source", specifier };
    const asked = this.#host.untyped?.includes(packageNameOf(specifier)) ?? false;
    if (!asked && !this.#resolver.isTyped(specifier, fromFile))
      return { kind: "refused", why: "untyped", specifier };
    if (this.#read(target.file) === undefined)
      return { kind: "refused", why: "no-source", specifier };
    if (this.isReferred(target.file))
      return { kind: "refused", why: "referred", specifier, exportName };
    if (target.inPlace) {
      if (!this.inPlace.want(target.file, exportName))
        return { kind: "refused", why: "no-export", specifier, exportName };
      return { kind: "linked", cell: this.inPlace.cell(target.file, exportName) };
    }
    const noted = this.#notedOf(fromFile);
    if (!noted.pruner.want(target.file, exportName))
      return { kind: "refused", why: "no-export", specifier, exportName };
    const link = noted.links.get(specifier) ?? {
      file: target.file,
      locals: new Map<string, string>(),
    };
    noted.links.set(specifier, link);
    link.locals.set(exportName, local);
    return { kind: "linked", cell: null };
  }

  text(fromFile: string): PackageText {
    const noted = this.#noted.get(fromFile);
    if (noted === undefined) return { imports: [], statements: [], refusals: [], dependencies: [] };
    const state = this.#state(noted);
    const names = namesOf([...noted.pruner.files.keys()]);
    const copies = [...noted.pruner.files.values()]
      .filter((kept) => isNeeded(kept))
      .map((kept) => this.#known(noted, kept, names));
    const imports = new Map([...state.imports, ...copies.flatMap((copy) => [...copy.imports])]);
    const links = [...noted.links.values()].map(({ file, locals }) =>
      linkText(this.#host.runtime, names.get(file) ?? "", locals),
    );
    return {
      imports: [...imports].flatMap(([specifier, name]) => [
        "// @ts-ignore",
        `import * as ${name} from ${literal(specifier)};`,
      ]),
      statements: [...copies.map((copy) => copy.statement), ...links],
      refusals: [...state.refusals, ...copies.flatMap((copy) => copy.refusals)],
      dependencies: [...noted.pruner.files.keys()],
    };
  }

  isReferred(file: string): boolean {
    // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- a host may lack it
    const projects = this.#host.program.getResolvedProjectReferences?.() ?? [];
    return projects.some((project) => {
      const folder = project?.sourceFile.fileName.replace(/[^/]*$/, "");
      return (
        folder !== undefined &&
        file.startsWith(folder) &&
        !file.slice(folder.length).includes("node_modules/")
      );
    });
  }

  #notedOf(fromFile: string): Noted {
    const noted = this.#noted.get(fromFile) ?? {
      pruner: prunerOf(this.#host.ts, this.#resolver, this.#read),
      links: new Map(),
      copies: new Map(),
      state: { version: "", state: NO_STATE },
    };
    this.#noted.set(fromFile, noted);
    return noted;
  }

  /** Asked again while shared values add exports to the copies. */
  #state(noted: Noted): State {
    for (;;) {
      const files = [...noted.pruner.files.values()];
      const version = [this.#plain.length, ...files.map(versionOf)].join(";");
      if (noted.state.version === version) return noted.state.state;
      const found = stateOf(
        this.#modules,
        [...noted.links.values()].flatMap(({ file, locals }) =>
          [...locals.keys()].map((exportName) => ({ file, exportName, effect: "read" as const })),
        ),
        this.#plain,
        (file) => noted.pruner.files.has(file),
      );
      noted.state = { version, state: this.#share(noted, found) };
    }
  }

  /** Links what is shared, too, so that the functions in it have their rewritten forms. */
  #share(noted: Noted, { problems, shared, sharedUses }: PackageState): State {
    const { ts: api } = this.#host;
    const values = new Map<string, string>();
    const imports = new Map<string, string>();
    const names = new Map<unknown, string>();
    for (const [variable, entry] of shared) {
      const [file = "", exportName = ""] = entry.split("\n");
      for (const [specifier, link] of noted.links) {
        if (link.file !== file) continue;
        const namespace = packageCopy(`${specifier}$real`);
        imports.set(specifier, namespace);
        const text = `(${namespace} as any)[${literal(exportName)}]`;
        if (!link.locals.has(exportName)) link.locals.set(exportName, text);
        noted.pruner.want(file, exportName);
        values.set(`${variable.name}${values.size}`, text);
        names.set(variable, `${variable.name}${values.size - 1}`);
        break;
      }
    }
    const edits = new Map(
      [...sharedUses].map(([file, uses]) => [
        file,
        uses
          .map(({ node, variable }): TextEdit => ({
            start: node.getStart(),
            end: node.end,
            text: `${api.isShorthandPropertyAssignment(node.parent) ? `${node.text}: ` : ""}${SHARED}.${names.get(variable) ?? ""}`,
          }))
          .sort((a, b) => a.start - b.start),
      ]),
    );
    const refusals = problems.map(({ file, variable, why, reachedBy }): Refusal => ({
      kind: "refused",
      why: "state",
      specifier: shownName(file),
      variable,
      message: why,
      exports: [...noted.links].flatMap(([specifier, link]) =>
        reachedBy
          .filter((one) => one.file === link.file)
          .map(({ exportName }) => exportKey(specifier, exportName)),
      ),
    }));
    return { refusals, edits, values, imports };
  }

  #known(noted: Noted, kept: Kept, names: ReadonlyMap<string, string>): Copy {
    const empty = emptyOf(kept, noted.pruner.files);
    const { edits, values } = noted.state.state;
    const own = edits.get(kept.file) ?? [];
    const hasNumberMethods = giveNumberMethods(noted.pruner.files.values());
    const version = `${versionOf(kept)};${[...empty].join()};${own.length};${this.inPlace.isHigher};${hasNumberMethods}`;
    const known = noted.copies.get(kept.file);
    if (known?.version === version) return known.copy;
    const copy = this.#copy(kept, names, empty, { edits: own, values, hasNumberMethods });
    noted.copies.set(kept.file, { version, copy });
    return copy;
  }

  #copy(
    kept: Kept,
    names: ReadonlyMap<string, string>,
    empty: ReadonlySet<string>,
    { edits, values, hasNumberMethods }: Copying,
  ): Copy {
    const { ts: api, runtime, rewrite } = this.#host;
    const form = moduleForm(api, kept, edits);
    const source = api.createSourceFile(
      `${kept.file}.js`,
      form.text,
      api.ScriptTarget.ESNext,
      true,
      api.ScriptKind.JS,
    );
    const wrapper = wrapperOf(api, source);
    const { text, problems } =
      wrapper === null
        ? { text: "", problems: ["its source does not parse"] }
        : rewrite(api, source, wrapper, kept.source.text, hasNumberMethods);
    const shown = shownName(kept.file);
    const imports = new Map<string, string>();
    const requires = [...kept.requires].map(
      ([specifier, target]) =>
        `${literal(specifier)}: ${empty.has(specifier) ? "(): any => ({})" : this.#required(target, names, imports)}`,
    );
    const extra = form.params
      .slice(3)
      .map((param) =>
        param === SHARED
          ? `, ${runtime}.shared({ ${sharedText(values, form.text)} })`
          : `, ${runtime}.${param.slice(1)}`,
      )
      .join("");
    // code whose derivatives are differentiated has other operators
    const end = this.inPlace.isHigher ? "h" : "";
    const name = literal(`${shown}#${fingerprint(form.text)}${end}`);
    const statement = `const ${names.get(kept.file) ?? ""}: any = ${runtime}.module(${name}, { ${requires.join(", ")} }, ${text}${extra});`;
    return {
      statement: `// @ts-ignore\n${problems.length > 0 ? statement : (oneLine(api, statement) ?? statement)}`,
      imports,
      refusals: problems.map((message) => ({
        kind: "refused",
        why: "construct",
        specifier: shown,
        message,
      })),
    };
  }

  /** A function that returns the value of `require(specifier)`. */
  #required(
    target: Resolved,
    names: ReadonlyMap<string, string>,
    imports: Map<string, string>,
  ): string {
    switch (target.kind) {
      case "source":
        return `(): any => ${names.get(target.file) ?? "undefined"}()`;
      case "json":
        return `(): any => (${this.#read(target.file)?.trim() ?? "{}"})`;
      case "none":
        return "null";
      case "node": {
        const name = packageCopy(target.specifier);
        imports.set(target.specifier, name);
        return `(): any => ${name}`;
      }
    }
  }
}

/** `options0: (): any => three$real["options"]`, for what the text reads. */
const sharedText = (values: ReadonlyMap<string, string>, text: string): string =>
  [...values]
    .filter(([name]) => text.includes(`${SHARED}.${name}`))
    .map(([name, value]) => `${name}: (): any => ${value}`)
    .join(", ");

/** Specifiers of required modules without retained parts: they have no copy. */
const emptyOf = ({ requires }: Kept, files: ReadonlyMap<string, Kept>): ReadonlySet<string> => {
  const isEmpty = (target: Resolved): boolean => {
    const kept = target.kind === "source" ? files.get(target.file) : undefined;
    return kept !== undefined && !isNeeded(kept);
  };
  return new Set(
    [...requires].filter(([, target]) => isEmpty(target)).map(([specifier]) => specifier),
  );
};

function namesOf(files: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const file of files) {
    const wanted = packageCopy(shownName(file));
    let name = wanted;
    for (let n = 2; taken.has(name); n++) name = `${wanted}${n}`;
    taken.add(name);
    names.set(file, name);
  }
  return names;
}

function linkText(runtime: string, copy: string, locals: ReadonlyMap<string, string>): string {
  const fields = [...locals].map(([name, local]) => `${literal(name)}: ${local}`);
  return `${runtime}.linkModule(() => ({ ${fields.join(", ")} }), ${copy});`;
}

function wrapperOf(api: typeof ts, source: ts.SourceFile): ts.FunctionExpression | null {
  const [statement, second] = source.statements;
  if (
    statement === undefined ||
    second !== undefined ||
    !api.isExpressionStatement(statement) ||
    !api.isParenthesizedExpression(statement.expression)
  )
    return null;
  return api.isFunctionExpression(statement.expression.expression)
    ? statement.expression.expression
    : null;
}

/** FNV-1a, 32 bits: discriminates copies of one module with different retained parts. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(36);
}
