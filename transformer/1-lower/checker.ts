// The program's checker as lowering asks it. In: a program. Out: its checker, which works out the type and the symbol of a node once.
// Invariant: it answers what the program's own one does. That one keeps no types of expressions: whoever asks of a sum and of its parts has the parts checked twice.

import type ts from "typescript";

const KNOWN = new WeakMap<ts.Program, ts.TypeChecker>();

export function checkerOf(program: ts.Program): ts.TypeChecker {
  const known = KNOWN.get(program);
  if (known !== undefined) return known;
  const own = program.getTypeChecker();
  const made: ts.TypeChecker = Object.create(own, {
    getTypeAtLocation: { value: once((node: ts.Node) => own.getTypeAtLocation(node)) },
    getSymbolAtLocation: { value: once((node: ts.Node) => own.getSymbolAtLocation(node)) },
  });
  KNOWN.set(program, made);
  return made;
}

function once<R>(ask: (node: ts.Node) => R): (node: ts.Node) => R {
  const answers = new Map<ts.Node, R>();
  return (node) => {
    const before = answers.get(node);
    if (before !== undefined) return before;
    const answer = ask(node);
    answers.set(node, answer);
    return answer;
  };
}
