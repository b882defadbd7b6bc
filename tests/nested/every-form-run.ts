// Runs cells of the table of forms. In: ways, forms and engines. Out: of each cell `right`, the code
// by which it is refused, or what is wrong.

import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { loader } from "../programs/modules.ts";
import { programOf, systemOf, typeErrors } from "../program.ts";
import { FORMS, moduleOf, WAYS, type Engine, type Form, type Way } from "./every-form.ts";

export interface Cell {
  readonly way: Way;
  readonly form: Form;
  readonly engine: Engine;
  readonly file: string;
}

export const CELLS: readonly Cell[] = WAYS.flatMap((way, k) =>
  FORMS.flatMap((form, n) =>
    (["static", "delta"] as const)
      .filter((engine) => (form.alone ?? engine) === engine)
      .map((engine) => ({ way, form, engine, file: `/src/w${k}f${n}${engine}.ts` })),
  ),
);

export const cellsOf = (isIn: (cell: Cell) => boolean): readonly Cell[] => CELLS.filter(isIn);

/** A package of TypeScript, as it is installed: built with its derivatives, or as JavaScript alone. */
export function installed(name: string, source: string, ships: boolean): Record<string, string> {
  const folder = `/src/node_modules/${name}`;
  const file = `/src/${name}.ts`;
  const host = programOf({ [file]: source });
  const built = ships ? applyEdits(file, source, analyse(host).edits.get(file) ?? []).text : source;
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

const CLOSE = 1e-9;

function numbersIn(value: unknown): number[] {
  if (typeof value === "number") return [value];
  if (value instanceof Map) return [...value.values()].flatMap(numbersIn);
  if (ArrayBuffer.isView(value)) return Array.from(value as Float64Array);
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(numbersIn);
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

const codeIn = (error: unknown): string =>
  /TSG\d+/.exec(String(error))?.[0] ?? `crash: ${String(error).slice(0, 300)}`;

export async function outcomesOf(
  cells: readonly Cell[],
): Promise<readonly { readonly cell: Cell; readonly outcome: string }[]> {
  const packagesOf = ({ way }: Cell): string => JSON.stringify(way.packages);
  const all = [...new Set(cells.map(packagesOf))].map((packages) =>
    outcomesOfAlike(cells.filter((cell) => packagesOf(cell) === packages)),
  );
  return (await Promise.all(all)).flat();
}

/** Of cells with the same packages. */
async function outcomesOfAlike(
  cells: readonly Cell[],
): Promise<readonly { readonly cell: Cell; readonly outcome: string }[]> {
  const files: Record<string, string> = {};
  for (const [name, { source, ships }] of Object.entries(cells[0]?.way.packages ?? {}))
    Object.assign(files, installed(name, source, ships));
  for (const { way, form, engine, file } of cells) files[file] = moduleOf(way, form, engine);
  const host = programOf(files);
  const untyped = typeErrors(host);
  const { edits, diagnostics } = analyse({ ...host, system: systemOf(files) });
  const emitted = Object.fromEntries(
    Object.entries(files).map(([file, text]) => [
      file,
      applyEdits(file, text, edits.get(file) ?? []).text,
    ]),
  );
  const badlyTyped = typeErrors(programOf(emitted));
  const load = loader(new Map(Object.entries(emitted)));
  const outcomes = cells.map(async (cell) => {
    const { file, form } = cell;
    const refused = diagnostics.find(
      ({ severity, span, chain }) =>
        severity === "error" &&
        [span, ...chain.map((link) => link.span)].some((at) => at.file === file),
    );
    const typed = [...untyped, ...badlyTyped].find((error) => error.startsWith(file));
    if (refused !== undefined) return { cell, outcome: `${refused.code} ${refused.message}` };
    if (typed !== undefined) return { cell, outcome: `types: ${typed}` };
    try {
      const { run } = load(file);
      if (typeof run !== "function") throw new Error("no run");
      return { cell, outcome: difference(await run(), form.expected) };
    } catch (error) {
      const code = codeIn(error);
      return {
        cell,
        outcome: code.startsWith("TSG")
          ? String(error)
              .replace(/^.*?(?=TSG)/s, "")
              .slice(0, 300)
          : code,
      };
    }
  });
  return Promise.all(outcomes);
}
