// The same random program as other people would write it: without semicolons, under other flags, as JavaScript.
// Input: a program's text and its seed. Output: a text of the same meaning. Names that clash with generated ones are the
// generator's own (`TAKEN`).

import ts from "typescript";
import { asserted } from "../programs/strict.ts";
import { dice } from "./random-scope.ts";

const CHOICES: readonly ts.CompilerOptions[] = [
  {},
  { noUncheckedIndexedAccess: true },
  { exactOptionalPropertyTypes: true, isolatedModules: true },
  { noPropertyAccessFromIndexSignature: true },
  { strict: false },
  { strict: true, strictNullChecks: false, noImplicitAny: false },
  { noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, verbatimModuleSyntax: true },
  { noImplicitReturns: true, noImplicitOverride: true, useUnknownInCatchVariables: false },
];

/** Programs that are compiled together have the same flags. */
const BATCH = 30;
/** The last seed of a seed's batch. */
export const lastOfBatch = (seed: number): number => Math.ceil(seed / BATCH) * BATCH;
/** The flags of a seed's batch. */
export const flagsOf = (seed: number): ts.CompilerOptions =>
  CHOICES[dice(lastOfBatch(seed) * 31 + 7).below(CHOICES.length)] ?? {};

/** Without `strictNullChecks` types hide what is missing, and gradients of such arguments throw. */
export const saysWhatIsMissing = (text: string, flags: ts.CompilerOptions): boolean =>
  (flags.strictNullChecks ?? flags.strict) !== false || !/null|undefined|\?:/.test(text);

/** The text as it is written under these flags. */
export function disguised(text: string, seed: number, flags: ts.CompilerOptions): string {
  const checked = flags.noUncheckedIndexedAccess === true ? asserted(text) : text;
  return dice(seed * 17 + 3).chance(0.3) ? withoutSemicolons(checked) : checked;
}

/** A line that would continue the one before it keeps the semicolon of that one. */
const withoutSemicolons = (text: string): string =>
  text.replace(/(?<!for \(.*\)|while \(.*\)|;);\n(?=(\s*)(.?))/g, (whole, _space, next: string) =>
    "([`/+-*.,".includes(next) && next !== "" ? whole : "\n",
  );

const INNER = /\/\*= (.*?) =\*\/.*?\/\*;\*\//gs;

/** Inner derivatives in place of their closed forms. */
export const withInnerDerivatives = (text: string): string =>
  text.replace(INNER, (_, derived: string) => derived);

/** JavaScript whose parameters have their types in JSDoc; null where these are types of the module. */
export function javascriptOf(text: string): string | null {
  const head = /^export function f\((.*)\): number \{$/m.exec(text);
  const params = head?.[1]?.split(/, (?=[\w$]+\??:)/).map((param) => param.split(/\??: /)) ?? [];
  const known =
    /^(?:number(?:\[\])*|Float64Array|\[number, number\]\[\]|Map<string, number>|Record<string, number>)$/;
  if (head === null || params.some(([, type]) => !known.test(type ?? ""))) return null;
  const comment = params.map(([name, type]) => `@param {${type}} ${name}`).join(" ");
  const plain = ts.transpileModule(text, {
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      removeComments: false,
    },
  }).outputText;
  return plain.replace(
    /^export function f\(/m,
    `/** ${comment} @returns {number} */\nexport function f(`,
  );
}
