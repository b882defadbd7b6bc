// Runs cells of the table of forms. In: ways, forms and engines. Out: of each cell `right`, the
// code by which it is refused, or what is wrong.

import path from "node:path";
import { buildSync } from "esbuild";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { root } from "../golden.ts";
import { loader } from "../programs/modules.ts";
import { programOf, systemOf, typeErrors } from "../program.ts";
import { type Cell, moduleOf } from "./every-form.ts";

/** A package of TypeScript, as it is installed: built with its derivatives, or as JavaScript alone. */
function installed(name: string, source: string, ships: boolean): Record<string, string> {
  const folder = `/src/node_modules/${name}`;
  const file = `/src/${name}.ts`;
  const host = programOf({ [file]: source });
  const { edits, diagnostics } = analyse(host);
  const refused = diagnostics.find(({ severity }) => severity === "error");
  if (ships && refused !== undefined) throw new Error(refused.message);
  const built = ships ? applyEdits(file, source, edits.get(file) ?? []).text : source;
  const files: Record<string, string> = {
    [`${folder}/package.json`]: JSON.stringify({ name, type: "module", main: "index.js" }),
  };
  const options = { declaration: true, noEmit: false, allowImportingTsExtensions: false };
  const { program } = programOf({ [file]: built }, options);
  program.emit(program.getSourceFile(file), (out, text) => {
    files[`${folder}/index${out.endsWith(".d.ts") ? ".d.ts" : ".js"}`] = text;
  });
  return files;
}

/** `tsgrad/vector` as it is installed: the Delta engine reads its JavaScript. */
function vectorAsInstalled(): Record<string, string> {
  const { outputFiles } = buildSync({
    entryPoints: [path.join(root, "runtime/vector/index.ts")],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
  });
  const manifest = {
    name: "tsgrad",
    type: "module",
    exports: { "./vector": { types: "./vector.d.ts", default: "./vector.js" } },
  };
  return {
    "/src/node_modules/tsgrad/package.json": JSON.stringify(manifest),
    "/src/node_modules/tsgrad/vector.d.ts": "export {};",
    "/src/node_modules/tsgrad/vector.js": outputFiles[0]?.text ?? "",
  };
}

/** Rounding of some hundred operations near 1: a wrong term would be off by its own size. */
const CLOSE = 1e-9;

/** Of an optional number that is missing the static engine gives 0, and Delta nothing. */
function numbersIn(value: unknown): number[] {
  if (typeof value === "number") return [value];
  if (value instanceof Map) return [...value.values()].flatMap(numbersIn);
  if (ArrayBuffer.isView(value)) return Array.from(value as Float64Array);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, own]) => (key === "shift" ? [] : numbersIn(own)));
}

function difference(found: unknown, expected: unknown): string {
  const [own, other] = [numbersIn(found), numbersIn(expected)];
  const isClose = own.every((one, k) => {
    const to = other[k] ?? NaN;
    return Math.abs(one - to) <= CLOSE * Math.max(1, Math.abs(to));
  });
  return isClose && own.length === other.length
    ? "right"
    : `wrong: ${own.join(" ")} for ${other.join(" ")}`;
}

export interface Outcome {
  readonly cell: Cell;
  /** `right`, a code, or what is wrong. */
  readonly outcome: string;
  readonly message?: string;
}

export async function outcomesOf(cells: readonly Cell[]): Promise<readonly Outcome[]> {
  const packagesOf = ({ way }: Cell): string => JSON.stringify(way.packages);
  const all = [...new Set(cells.map(packagesOf))].map((packages) =>
    outcomesOfAlike(cells.filter((cell) => packagesOf(cell) === packages)),
  );
  return (await Promise.all(all)).flat();
}

/** The files of cells with the same packages. */
function filesOf(cells: readonly Cell[]): Record<string, string> {
  const files: Record<string, string> = {};
  for (const [name, { source, ships }] of Object.entries(cells[0]?.way.packages ?? {}))
    Object.assign(files, installed(name, source, ships));
  if (cells.some(({ way }) => way.code.includes("tsgrad/vector")))
    Object.assign(files, vectorAsInstalled());
  for (const { way, form, engine, file } of cells) files[file] = moduleOf(way, form, engine);
  return files;
}

function outcomesOfAlike(cells: readonly Cell[]): Promise<readonly Outcome[]> {
  const files = filesOf(cells);
  const host = programOf(files);
  const { edits, diagnostics } = analyse({ ...host, system: systemOf(files) });
  const emitted = Object.fromEntries(
    Object.entries(files).map(([file, text]) => [
      file,
      applyEdits(file, text, edits.get(file) ?? []).text,
    ]),
  );
  const untyped = [...typeErrors(host), ...typeErrors(programOf(emitted))];
  const load = loader(new Map(Object.entries(emitted)));
  return Promise.all(
    cells.map(async (cell): Promise<Outcome> => {
      const { file, form } = cell;
      const refused = diagnostics.find(
        ({ severity, span, chain }) =>
          severity === "error" && [{ span }, ...chain].some((at) => at.span.file === file),
      );
      const typed = untyped.find((error) => error.startsWith(file));
      if (refused !== undefined) return { cell, outcome: refused.code, message: refused.message };
      if (typed !== undefined) return { cell, outcome: typed };
      try {
        const { run } = load(file);
        if (typeof run !== "function") throw new Error("no run");
        return { cell, outcome: difference(await run(), form.expected) };
      } catch (error) {
        const message = String(error);
        return { cell, outcome: /TSG\d+/.exec(message)?.[0] ?? message, message };
      }
    }),
  );
}
