// Code of packages that changes under a host, with the real core: derivatives hold copies of it, and no host may keep an old one. Each number stands once, in the package.

import ts from "typescript";
import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { build } from "../../transformer/hosts/build.ts";
import { overlay } from "../../transformer/hosts/overlay.ts";
import { ProgramService } from "../../transformer/hosts/program-service.ts";
import { sandbox, type Sandbox } from "./sandbox.ts";

const MAIN = `import { grad } from "tsgrad";\nimport { wave } from "waves";\nexport const slope = grad((x: number): number => wave(x));\n`;
const waves = (factor: number): Record<string, string> => ({
  "node_modules/waves/index.js": `export function wave(x) { return x * ${factor}; }\n`,
});

function project(): Sandbox {
  const compilerOptions = {
    target: "es2022",
    module: "nodenext",
    strict: true,
    types: [],
    lib: ["es2022"],
    skipLibCheck: true,
    composite: true,
    rootDir: "src",
    outDir: "dist",
  };
  return sandbox({
    "tsconfig.json": JSON.stringify({ compilerOptions, include: ["src"] }),
    "src/main.ts": MAIN,
    "src/engine.d.ts": `declare module "tsgrad/delta";\n`,
    ...waves(1234.5),
    "node_modules/waves/package.json": `{ "name": "waves", "type": "module", "exports": { "types": "./index.d.ts", "default": "./index.js" } }`,
    "node_modules/waves/index.d.ts": "export declare function wave(x: number): number;\n",
  });
}

const factorIn = (text: string): readonly string[] =>
  ["1234.5", "5432.1"].filter((factor) => text.includes(factor));

test("bundlers: a file of a package is a dependency, and another text of it another derivative", () => {
  const box = project();
  const service = new ProgramService(analyse, { cwd: box.dir });
  const answer = () => service.answer(box.at("src/main.ts"), MAIN);
  expect(answer()?.dependencies).toContain(box.at("node_modules/waves/index.js"));
  const key = service.key(box.at("src/main.ts"));
  expect(factorIn(answer()?.code ?? "")).toEqual(["1234.5"]);
  box.write(waves(5432.1));
  service.begin();
  expect(factorIn(answer()?.code ?? "")).toEqual(["5432.1"]);
  expect(service.key(box.at("src/main.ts"))).not.toBe(key);
});

test("-b, which looks at a project's own files only, builds again", () => {
  const box = project();
  const run = () => build(ts, analyse, ["-b", box.dir]);
  const built = () => factorIn(box.read("dist/main.js"));
  expect([run(), built()]).toEqual([0, ["1234.5"]]);
  box.write(waves(5432.1));
  expect([run(), built()]).toEqual([0, ["5432.1"]]);
});

test("--watch, which looks at a program's own files only, sees them change", () => {
  const box = project();
  const module = box.at("node_modules/waves/index.js");
  const built = () => factorIn(box.read("dist/main.js"));
  const watched = new Map<string, ts.FileWatcherCallback>();
  const waiting: (() => void)[] = [];
  const nothing: ts.FileWatcher = { close: () => undefined };
  const system: ts.System = {
    ...ts.sys,
    write: () => undefined,
    watchDirectory: () => nothing,
    setTimeout: (run: () => void) => waiting.push(run),
    clearTimeout: () => undefined,
    watchFile: (file, changed) => {
      watched.set(file, changed);
      return nothing;
    },
  };
  const create: ts.CreateProgram<ts.EmitAndSemanticDiagnosticsBuilderProgram> = (
    roots,
    options = {},
    host = ts.createCompilerHost(options),
    old,
    errors,
  ) =>
    ts.createEmitAndSemanticDiagnosticsBuilderProgram(
      overlay(
        ts,
        analyse,
        ts.createProgram([...(roots ?? [])], options, host, old?.getProgram()),
        host,
      ).program,
      host,
      old,
      errors,
    );
  const watching = ts.createWatchProgram(
    ts.createWatchCompilerHost(
      box.at("tsconfig.json"),
      { watch: true },
      system,
      create,
      () => undefined,
      () => undefined,
    ),
  );
  expect(built()).toEqual(["1234.5"]);
  box.write(waves(5432.1));
  watched.get(module)?.(module, ts.FileWatcherEventKind.Changed);
  for (const run of waiting.splice(0)) run();
  expect(built()).toEqual(["5432.1"]);
  watching.close();
});
