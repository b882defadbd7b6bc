// Emitted code that counts what it keeps. In: the edits of a file. Out: edits whose code calls `$kept` for each value that goes onto a tape, `$round` and `$done` around each round of a
// loop, and `$made` for each tape that is made. Invariant: it computes what it did; loops are known by the user code that they come from.

import ts from "typescript";
import type { Edit } from "../../transformer/ir/facts.ts";
import type { Origin } from "../../transformer/ir/types.ts";

const TAPE = /^tape\d*$/;
const REFS = /^refs\d*$/;

/** A derivative, and which loop of the user's one of its loops comes from: as explain tells them apart. */
export const loopKey = (derivative: string, { file, start, end }: Origin): string =>
  `${derivative} ${file}:${start}:${end}`;

export function counting(edits: readonly Edit[]): readonly Edit[] {
  return edits.map((edit) =>
    edit.mappings.length === 0 ? edit : { ...edit, text: countingText(edit), mappings: [] },
  );
}

function countingText({ text, mappings }: Edit): string {
  const source = ts.createSourceFile("emitted.ts", text, ts.ScriptTarget.Latest, true);
  const inserted: { readonly at: number; readonly text: string }[] = [];
  const around = (node: ts.Node, before: string, after: string): void => {
    inserted.push({ at: node.getStart(), text: before }, { at: node.end, text: after });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isIterationStatement(node, false)) {
      const origin = mappings.findLast(({ offset }) => offset <= node.getStart())?.origin;
      if (origin !== undefined)
        around(
          node.statement,
          `{ $round(${JSON.stringify(loopKey(functionOf(node), origin))}); try {`,
          "} finally { $done(); } }",
        );
    }
    if (
      ts.isBinaryExpression(node) &&
      node.operatorToken.kind === ts.SyntaxKind.EqualsToken &&
      ts.isElementAccessExpression(node.left) &&
      ts.isIdentifier(node.left.expression)
    ) {
      const { text: name } = node.left.expression;
      if (TAPE.test(name) || REFS.test(name)) around(node.right, `$kept(${TAPE.test(name)}, `, ")");
    }
    if (
      ts.isVariableDeclaration(node) &&
      ts.isIdentifier(node.name) &&
      (TAPE.test(node.name.text) || REFS.test(node.name.text)) &&
      node.initializer !== undefined
    ) {
      const { initializer } = node;
      const made = ts.isBinaryExpression(initializer) ? initializer.right : initializer;
      if (ts.isArrayLiteralExpression(made))
        around(made, `$made(${JSON.stringify(`${functionOf(node)} ${node.name.text}`)}, `, ")");
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  // of what starts at one place the outer comes first, of what ends at one place the inner
  return inserted
    .sort((x, z) => z.at - x.at)
    .reduce((all, { at, text: more }) => all.slice(0, at) + more + all.slice(at), text);
}

function functionOf(node: ts.Node): string {
  for (let at: ts.Node = node; at.parent !== undefined; at = at.parent)
    if (ts.isFunctionDeclaration(at)) return at.name?.text ?? "";
  return "";
}

/** What one round of a loop has kept, without the rounds of inner loops. */
export interface Kept {
  readonly numbers: number;
  readonly references: number;
}

export interface Count {
  /** By loop: what its rounds kept, each case once. */
  readonly rounds: ReadonlyMap<string, readonly Kept[]>;
  /** Tapes that were made, by function and name. */
  readonly made: readonly string[];
}

/** Runs code that counts. */
export function counted(run: () => unknown): Count {
  const rounds = new Map<string, Kept[]>();
  const made: string[] = [];
  const open: { loop: string; numbers: number; references: number }[] = [];
  Object.assign(globalThis, {
    $round: (loop: string) => {
      open.push({ loop, numbers: 0, references: 0 });
    },
    $done: () => {
      const round = open.pop();
      const known = round === undefined ? undefined : rounds.get(round.loop);
      if (round !== undefined && known === undefined) rounds.set(round.loop, [round]);
      else if (
        round !== undefined &&
        !known?.some(
          (kept) => kept.numbers === round.numbers && kept.references === round.references,
        )
      )
        known?.push(round);
    },
    $kept: (isNumber: boolean, value: unknown) => {
      const round = open.at(-1);
      if (round !== undefined) {
        if (isNumber) round.numbers++;
        else round.references++;
      }
      return value;
    },
    $made: (tape: string, value: unknown) => {
      made.push(tape);
      return value;
    },
  });
  run();
  return { rounds, made };
}
