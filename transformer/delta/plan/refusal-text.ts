// Explains why a call into a package is refused. In: a refusal. Out: text, with any remedy.

import { packageNameOf, type Refusal } from "../packages/index.ts";

/** The diagnostic for a refusal. */
export const codeOf = ({ why }: Refusal): "TSG1301" | "TSG1303" =>
  why === "state" ? "TSG1303" : "TSG1301";

/** "it contains {…}" */
export function refusalText(refusal: Refusal): string {
  switch (refusal.why) {
    case "no-source":
      return `a call into the package \`${refusal.specifier}\`, which has no JavaScript source that can be read`;
    case "untyped":
      return `a call into the package \`${refusal.specifier}\`, which has no types (the plugin's option \`packages: ["${packageNameOf(refusal.specifier)}"]\` has it followed all the same)`;
    case "referred":
      return `a call of \`${refusal.exportName}\` of the project behind \`${refusal.specifier}\`, whose code may change without this project being built again (marked \`/** @differentiable */\` there, and with tsgrad's plugin in its tsconfig, its derivative is built with it)`;
    case "no-export":
      return `a use of \`${refusal.exportName}\`, which the package \`${refusal.specifier}\` does not export`;
    case "state":
      return refusal.message;
    case "construct":
      return `a call into the package \`${refusal.specifier}\`, whose source contains ${refusal.message}`;
  }
}
