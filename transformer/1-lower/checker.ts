// The program's checker as lowering asks it. In: a program. Out: its checker, which works out the type and the symbol of a node once.
// Invariant: it answers what the program's own one does. That one keeps no types of expressions: whoever asks of a sum and of its parts has the parts checked twice.

import type ts from "typescript";
import { remembered } from "../ir/visit.ts";
import type { TypeScript } from "./context.ts";
import { endOf } from "./sites/forms.ts";

export const checkerOf: (program: ts.Program) => ts.TypeChecker = remembered(
  (program: ts.Program) => {
    const own = program.getTypeChecker();
    const checker: ts.TypeChecker = Object.create(own, {
      getTypeAtLocation: { value: remembered((node: ts.Node) => own.getTypeAtLocation(node)) },
      getSymbolAtLocation: { value: remembered((node: ts.Node) => own.getSymbolAtLocation(node)) },
    });
    return checker;
  },
);

/** What is needed to ask what a name means. */
export interface Names {
  readonly api: TypeScript;
  readonly checker: ts.TypeChecker;
}

/** The symbol that a name stands for, aliases followed. */
export function symbolMeant(node: ts.Node, { api, checker }: Names): ts.Symbol | null {
  const { parent } = node;
  const found =
    api.isShorthandPropertyAssignment(parent) && parent.name === node
      ? checker.getShorthandAssignmentValueSymbol(parent)
      : checker.getSymbolAtLocation(node);
  return found === undefined ? null : endOf(found, api, checker);
}
