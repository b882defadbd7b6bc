// The Jest transformer around a core. In: files as Jest loads them. Out: their edited text, compiled by the transformer that the project has anyway (ts-jest, babel-jest,
// @swc/jest), and a map that leads back to the user's lines. Invariant: what Jest keeps of a file is kept by a key that names everything the text was made from.

import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Analyse } from "./core.ts";
import { findingText } from "./diagnostic-text.ts";
import {
  type Answer,
  ProgramService,
  sourceFileOf,
  type ServiceOptions,
} from "./program-service.ts";
import { readProject } from "./project.ts";
import { behind, inlineMapIn, type SourceMap } from "./source-map.ts";
import { ownTypeScript } from "./typescript.ts";

/** What Jest says of a file and of how it is to be compiled, as far as it is read here. */
export interface JestOptions {
  readonly config: { readonly rootDir: string };
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

/** What of a transformer of Jest's is used. */
export interface Transformer {
  readonly process?: Compile<Transformed>;
  readonly processAsync?: Compile<Promise<Transformed>>;
  readonly getCacheKey?: Compile<string>;
  readonly createTransformer?: (options?: unknown) => Transformer | Promise<Transformer>;
}

/** `own`: the folder of tsgrad's modules, which are compiled here where Jest cannot load ES modules. */
export interface JestSetting extends ServiceOptions {
  readonly own: string;
}

/** What compiles the text, and the options that Jest is to tell it that it was given. */
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
  const services = new Map<string, ProgramService>();
  const serviceOf = (rootDir: string): ProgramService => {
    const known =
      services.get(rootDir) ??
      new ProgramService(core, { ...setting, cwd: setting.cwd ?? rootDir });
    services.set(rootDir, known);
    return known;
  };
  const told = (options: JestOptions): JestOptions => ({
    ...options,
    transformerConfig: innerOptions,
  });
  const isOwn = (file: string): boolean => path.dirname(file) === setting.own;
  const answerTo: Compile<Answer | null> = (text, file, { config }) => {
    const source = sourceFileOf(file);
    const answer = source === null ? null : serviceOf(config.rootDir).answer(source, text);
    const findings = answer?.findings ?? [];
    const errors = findings.filter(({ severity }) => severity === "error");
    for (const finding of findings)
      if (!errors.includes(finding)) process.stderr.write(`${findingText(finding)}\n`);
    if (errors.length > 0)
      throw Object.assign(new Error(errors.map(findingText).join("\n")), { stack: "" });
    if (answer !== null && answer.code !== null && /(?:^|[\\/])ts-jest(?:$|[\\/])/.test(name))
      refuseProgram(innerOptions, config.rootDir);
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
      return led(inner.process(answer?.code ?? text, file, told(options)), answer);
    },
    async processAsync(text, file, options) {
      if (isOwn(file)) return asCommonJs(text, file, options);
      const answer = answerTo(text, file, options);
      const code = answer?.code ?? text;
      return led(
        await (inner.processAsync?.(code, file, told(options)) ??
          inner.process?.(code, file, told(options)) ?? { code }),
        answer,
      );
    },
    getCacheKey(text, file, options) {
      const source = sourceFileOf(file);
      const key =
        source === null || isOwn(file) ? "" : serviceOf(options.config.rootDir).key(source, text);
      const rest = inner.getCacheKey?.(text, file, told(options)) ?? [
        text,
        file,
        options.configString,
        options.instrument,
        options.supportsStaticESM,
      ];
      return createHash("sha256")
        .update(JSON.stringify([key, rest, innerOptions]))
        .digest("hex")
        .slice(0, 32);
    },
  };
}

/** ts-jest compiles a program of what is on disk, unless it is told to compile each text as it is given. */
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

/** What the transformer's map says of the edited text, said of the user's. */
function led(made: Transformed, answer: Answer | null): Transformed {
  if (answer === null || answer.code === null || answer.map === null) return made;
  const inline = inlineMapIn(made.code);
  const given = inline?.json ?? made.map;
  const map: unknown = typeof given === "string" ? JSON.parse(given) : given;
  if (!isMap(map)) return made;
  return {
    ...made,
    code: inline === null ? made.code : inline.before + inline.behind,
    map: behind(map, answer.map),
  };
}

const isMap = (map: unknown): map is SourceMap =>
  typeof map === "object" && map !== null && "mappings" in map && "sources" in map;

/** The transformer of that name, as the project has it installed. */
export async function transformerNamed(
  name: string,
  options: unknown,
  folder: string,
): Promise<Transformer> {
  const found: unknown = await import(
    pathToFileURL(createRequire(path.join(folder, "package.json")).resolve(name)).href
  );
  const made = unwrapped(unwrapped(found)) as Transformer; // whatever has that name is taken for a transformer, as Jest itself does
  return made.createTransformer === undefined ? made : await made.createTransformer(options);
}

/** What a module of either kind exports by default. */
const unwrapped = (module: unknown): unknown =>
  typeof module === "object" && module !== null && "default" in module ? module.default : module;
