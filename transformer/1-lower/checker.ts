// The program's checker as lowering asks it. In: a program. Out: its checker, which works out the type and the symbol of a node once.
// Invariant: it answers what the program's own one does. That one keeps no types of expressions: whoever asks of a sum and of its parts has the parts checked twice.

import type ts from "typescript";
import { remembered } from "../ir/visit.ts";

export const checkerOf: (program: ts.Program) => ts.TypeChecker = remembered((program: ts.Program) => {
  const own = program.getTypeChecker();
  const checker: ts.TypeChecker = Object.create(own, {
    getTypeAtLocation: { value: remembered((node: ts.Node) => own.getTypeAtLocation(node)) },
    getSymbolAtLocation: { value: remembered((node: ts.Node) => own.getSymbolAtLocation(node)) },
  });
  return checker;
});
