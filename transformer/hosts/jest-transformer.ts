// The Jest transformer, before the project's own (ts-jest, babel-jest, @swc/jest).
// Invariant: the cache key of a file covers all inputs of its text.

import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Analyse } from "./core.ts";
import { errorIn, toStderr } from "./diagnostic-text.ts";
import type { Answer } from "./findings.ts";
import type { Loaded } from "./loaded-modules.ts";
import { loadedByNode } from "./node-resolution.ts";
import {
  isOfPackage,
  packageFileOf,
  ProgramService,
  sourceFileOf,
  type ServiceOptions,
} from "./program-service.ts";
import { readProject } from "./project.ts";
import { composedWith, inlineMapIn, type SourceMap } from "./source-map.ts";
import { ownTypeScript } from "./typescript.ts";

/** The part of Jest's options that is used. */
export interface JestOptions {
  readonly config: {
    readonly rootDir: string;
    readonly transformIgnorePatterns?: readonly string[];
    readonly moduleNameMapper?: readonly (readonly [pattern: string, ...unknown[]])[];
  };
  readonly configString: string;
  readonly instrument: boolean;
  readonly supportsStaticESM: boolean;
  readonly transformerConfig: unknown;
}

export interface Transformed {
  readonly code: string;
  readonly map?: unknown;
}

type Compile<R> = (text: string, file: string, options: JestOptions) => R;

/** The part of a Jest transformer that is used. */
export interface Transformer {
  readonly process?: Compile<Transformed>;
  readonly processAsync?: Compile<Promise<Transformed>>;
  readonly getCacheKey?: Compile<string>;
  readonly createTransformer?: (options?: unknown) => Transformer | Promise<Transformer>;
}

/** `own`: the folder of tsgrad's modules, which are compiled to CommonJS where Jest needs that. */
export interface JestSetting extends ServiceOptions {
  readonly own: string;
}

/** The project's transformer and its options. */
export interface Inner {
  readonly name: string;
  readonly options: unknown;
  readonly made: Transformer;
}

export function jestTransformer(
  core: Analyse,
  setting: JestSetting,
  { name, options: innerOptions, made: inner }: Inner,
): Required<Pick<Transformer, "process" | "processAsync" | "getCacheKey">> {
  const serviceOf = servicesOf(core, setting);
  const innerJest = (options: JestOptions): JestOptions => ({
    ...options,
    transformerConfig: innerOptions,
  });
  /** The text of a package's module, with its twins if it has any. */
  const withTwins: Compile<string> = (text, file, options) =>
    packageFileOf(file) === null ? text : (serviceOf(options).extended(file, text)?.code ?? text);
  const isOwn = (file: string): boolean => path.dirname(file) === setting.own;
  const answerTo: Compile<Answer | null> = (text, file, options) => {
    const source = sourceFileOf(file);
    const answer = source === null ? null : serviceOf(options).answer(source, text);
    const error = errorIn(answer?.findings ?? [], toStderr);
    if (error !== null) throw error;
    if (answer !== null && answer.code !== null && /(?:^|[\\/])ts-jest(?:$|[\\/])/.test(name))
      refuseProgram(innerOptions, options.config.rootDir);
    return answer;
  };
  return {
    process(text, file, options) {
      if (isOwn(file)) return asCommonJs(text, file, options);
      const answer = answerTo(text, file, options);
      if (inner.process === undefined)
        throw new Error(
          `tsgrad: the transformer for ${file} compiles modules that Jest loads asynchronously only\nname ts-jest, babel-jest or @swc/jest in the option 'transformer' of tsgrad/jest`,
        );
      const code = answer?.code ?? withTwins(text, file, options);
      return mapped(inner.process(code, file, innerJest(options)), answer);
    },
    async processAsync(text, file, options) {
      if (isOwn(file)) return asCommonJs(text, file, options);
      const answer = answerTo(text, file, options);
      const code = answer?.code ?? withTwins(text, file, options);
      const made =
        inner.processAsync?.(code, file, innerJest(options)) ??
        inner.process?.(code, file, innerJest(options));
      return mapped(await (made ?? { code }), answer);
    },
    getCacheKey(text, file, options) {
      const source = isOwn(file) ? null : (packageFileOf(file) ?? sourceFileOf(file));
      const key = source === null ? "" : keyOf(serviceOf(options), source, text);
      const { configString, instrument, supportsStaticESM } = options;
      const plain = [text, file, configString, instrument, supportsStaticESM];
      const rest = inner.getCacheKey?.(text, file, innerJest(options)) ?? plain;
      const all = JSON.stringify([key, rest, innerOptions]);
      return createHash("sha256").update(all).digest("hex").slice(0, 32);
    },
  };
}

const keyOf = (service: ProgramService, file: string, text: string): string =>
  isOfPackage(file) ? service.key(file) : service.key(file, text);

/** Jest resolves as `require` does. It transforms what no pattern leaves out. */
function loadedByJest({
  transformIgnorePatterns = [],
  moduleNameMapper = [],
}: JestOptions["config"]): Loaded {
  const ignored = transformIgnorePatterns.map((pattern) => new RegExp(pattern));
  const mappings = moduleNameMapper.map(([pattern]) => new RegExp(pattern));
  const byNode = loadedByNode(() => true);
  return (specifier, fromFile, _isRequired, usual) => {
    if (mappings.some((pattern) => pattern.test(specifier))) return { file: null, inPlace: false };
    const { file, inPlace } = byNode(specifier, fromFile, true, usual);
    return { file, inPlace: inPlace && !ignored.some((pattern) => pattern.test(file ?? "")) };
  };
}

/** A program for each root folder. */
function servicesOf(core: Analyse, setting: JestSetting): (options: JestOptions) => ProgramService {
  const services = new Map<string, ProgramService>();
  return ({ config, instrument }: JestOptions): ProgramService => {
    const { rootDir } = config;
    const known =
      services.get(rootDir) ??
      new ProgramService(core, {
        ...setting,
        cwd: setting.cwd ?? rootDir,
        seesAll: true,
        loaded: loadedByJest(config),
      });
    services.set(rootDir, known);
    known.isCovered ||= instrument;
    return known;
  };
}

/** ts-jest compiles the program on disk, unless `isolatedModules` is set. */
function refuseProgram(given: unknown, rootDir: string): void {
  const {
    isolatedModules,
    tsconfig,
  }: { readonly isolatedModules?: unknown; readonly tsconfig?: unknown } =
    typeof given === "object" && given !== null ? given : {};
  const isInline = typeof tsconfig === "object" && tsconfig !== null;
  const known = isInline
    ? tsconfig
    : readProject(
        ownTypeScript(),
        rootDir,
        typeof tsconfig === "string" ? tsconfig.replace("<rootDir>", rootDir) : undefined,
      ).options;
  if (isolatedModules === true || ("isolatedModules" in known && known.isolatedModules === true))
    return;
  throw Object.assign(
    new Error(
      'tsgrad: ts-jest compiles what is on disk, where no derivatives are\nset "isolatedModules": true in the compilerOptions of tsconfig.json, so that it compiles what it is given',
    ),
    { stack: "" },
  );
}

function asCommonJs(text: string, file: string, { supportsStaticESM }: JestOptions): Transformed {
  if (supportsStaticESM) return { code: text };
  const api = ownTypeScript();
  return {
    code: api.transpileModule(text, {
      fileName: file,
      compilerOptions: { module: api.ModuleKind.CommonJS, target: api.ScriptTarget.ES2022 },
    }).outputText,
  };
}

/** Composes the transformer's map, which leads to the edited text, with ours to the user's text. */
function mapped(made: Transformed, answer: Answer | null): Transformed {
  if (answer === null || answer.code === null || answer.map === null) return made;
  const inline = inlineMapIn(made.code);
  const given = inline?.json ?? made.map;
  const map: unknown = typeof given === "string" ? JSON.parse(given) : given;
  if (!isMap(map)) return made;
  return {
    ...made,
    code: inline === null ? made.code : inline.before + inline.behind,
    map: composedWith(map, answer.map),
  };
}

const isMap = (map: unknown): map is SourceMap =>
  typeof map === "object" && map !== null && "mappings" in map && "sources" in map;

/** The transformer of that name, as installed in the project. */
export async function transformerNamed(
  name: string,
  options: unknown,
  folder: string,
): Promise<Transformer> {
  const found: unknown = await import(
    pathToFileURL(createRequire(path.join(folder, "package.json")).resolve(name)).href
  );
  const made = unwrapped(unwrapped(found)) as Transformer; // Jest itself does not check it either
  return made.createTransformer === undefined ? made : await made.createTransformer(options);
}

/** The default export of a module of either kind. */
const unwrapped = (module: unknown): unknown =>
  typeof module === "object" && module !== null && "default" in module ? module.default : module;
