// Exports of user modules that emitted code in other modules or programs needs:
// primal functions, variables, and derivatives with a marker `f$shipped` beside each pair.
// The marker's literal type contains the format and the arguments that f writes.

import { renamedText, stringText } from "../code/quote.ts";
import { statementEnd } from "../code/statement.ts";
import type { ReExport, Shipped } from "../ir/facts.ts";
import { revf, revr, shipped as marker, SHIPPED_FORMAT } from "../ir/names.ts";
import type { CapturedBy, Home, Program } from "../ir/types.ts";
import type { Edits } from "./edits.ts";
import type { VariableExport } from "./names/module-names.ts";

export interface ShipInput {
  readonly program: Program;
  readonly files: (file: string) => string;
  readonly shipped?: readonly Shipped[];
  readonly reExports?: readonly ReExport[];
}

/** Exports each pair with its marker, also from the modules that re-export the primal. */
export function ship(
  { program, files, shipped = [], reExports = [] }: ShipInput,
  edits: Edits,
): void {
  for (const { target, writes } of shipped) {
    const home = program.homes.get(target);
    if (home === undefined) continue;
    const text = `export const ${marker(home.name)} = ${stringText([SHIPPED_FORMAT, ...writes].join(" "))};`;
    edits.code([{ home, lines: [{ indent: 0, text, origin: home.origin }] }]);
  }
  const targets = new Set(shipped.map(({ target }) => target));
  for (const { file, at, target, local, exported, specifier } of reExports) {
    const home = program.homes.get(target);
    if (!targets.has(target) || home === undefined) continue;
    const named = [(f: string) => revf(f, null), (f: string) => revr(f, null), marker].map(
      (name) => {
        const own = specifier === null ? name(home.name) : name(local);
        return renamedText(own, name(exported));
      },
    );
    const from = specifier === null ? "" : ` from ${stringText(specifier)}`;
    const lead = statementEnd(files(file), at);
    const text = `${lead} export { ${named.join(", ")} }${from};`;
    edits.insert(file, {
      start: at,
      end: at,
      text,
      mappings: [{ offset: 0, origin: home.origin }],
    });
  }
}

/** `export { g as g$value };` at the end of the module that declares g. */
export function exportPrimal(name: string, alias: string, program: Program, edits: Edits): void {
  const func = program.funcs.get(name);
  const home = program.homes.get(func === undefined ? name : func.home);
  if (home === undefined) return;
  const text = `export { ${(home.owner ?? home).name} as ${alias} };`;
  edits.code([{ home, lines: [{ indent: 0, text, origin: func?.origin ?? home.origin }] }]);
}

/**
 * `(x) => x ** k  ->  capturing((x) => x ** k, "power/1", { get k() { return k; } })`
 * `{ loss(x) { … } }  ->  capturingMember({ loss(x) { … } }, "loss", …)`
 */
export function capturing(
  { place, code, variables, callee }: CapturedBy & { readonly callee: string },
  edits: Edits,
): void {
  const { file, start, end, kind, name } = place;
  const origin = { file, start, end };
  const accessors = variables.flatMap((one) => [
    `get ${one.name}() { return ${one.name}; }`,
    ...(one.isAssigned ? [`set ${one.name}(value) { ${one.name} = value; }`] : []),
  ]);
  const given = `${stringText(code)}, ${accessors.length === 0 ? "{}" : `{ ${accessors.join(", ")} }`}`;
  const shown = name === "" || kind === "method" ? "" : `, ${stringText(name)}`;
  if (kind === "declaration") {
    const text = `${callee}(${name}, ${given}); `;
    edits.insert(file, { start, end, text, mappings: [{ offset: 0, origin }] });
  } else
    edits.around(
      origin,
      `${callee}(`,
      kind === "method" ? `, ${stringText(name)}, ${given})` : `, ${given}${shown})`,
    );
}

/** `export { buf as buf$value };`, or for a block `function buf$value() { return buf; }`. */
export function exportVariable(
  { kind, file, name, alias, block }: VariableExport,
  files: (file: string) => string,
  edits: Edits,
): void {
  const end = files(file).length;
  if (kind === "this" && block !== undefined) {
    const text = files(file);
    const lead = statementEnd(text, block.at, text.charAt(block.at - 1) === "{");
    edits.insert(file, {
      start: block.at,
      end: block.at,
      text: `${lead} const ${alias} = this;`,
      mappings: [{ offset: 0, origin: { file, start: block.at, end: block.at } }],
    });
    return;
  }
  const origin = { file, start: 0, end: 0 };
  const home: Home =
    block === undefined
      ? { file, name, at: end, scope: "module", indent: "", origin }
      : { file, name, ...block, scope: "block", origin };
  const text =
    kind === "export"
      ? `export { ${name} as ${alias} };`
      : `function ${alias}() { return ${name}; }`;
  edits.code([{ home, lines: [{ indent: 0, text, origin }] }]);
}
