// What a value and its gradient by all arguments together cost in scalar operations of the reference interpreter over those of the function. In: programs of the corpus as they were compiled to be run
// (../programs/programs.test.ts). Out: for each of one file that the static engine takes, and its arguments, the operations of both. No clock.

import { run } from "../../transformer/ir/eval.ts";
import type { ScalarOp } from "../../transformer/ir/ops.ts";
import type { Func, Program } from "../../transformer/ir/types.ts";
import { walkAtoms, walkStmts } from "../../transformer/ir/visit.ts";
import type { Compiled } from "../../transformer/pipeline.ts";
import { type Built, callerOf, type Source } from "../programs/corpus.ts";

export interface Cost {
  readonly what: string;
  readonly straight: boolean;
  readonly primal: number;
  readonly gradient: number;
}

const textOf = ({ files, main }: Source): string => files[main] ?? "";
/** One file, a number as result, no engine of its own choice. */
const isPlain = (source: Source): boolean =>
  Object.keys(source.files).length === 1 &&
  /export function f\([^]*?\): number \{/.test(textOf(source)) &&
  !/import |tsgrad|engine/.test(textOf(source));

function isStraight({ body }: Func): boolean {
  let straight = true;
  walkStmts(body, (stmt) => {
    if (
      stmt.kind === "for" ||
      stmt.kind === "while" ||
      (stmt.kind === "let" && stmt.expr.kind === "call")
    )
      straight = false;
  });
  return straight;
}

/** What operations that are several take beyond the one that they are counted as: `hypot` of n numbers 2n, `max` and `min` of them n - 1, `pow` three (exp(z log x)). */
function hidden({ body }: Func): number {
  let more = 0;
  walkStmts(body, (stmt) => {
    if (stmt.kind === "let" && stmt.expr.kind === "op")
      more += hiddenIn(stmt.expr.op, stmt.expr.args.length);
  });
  return more;
}

function hiddenIn(op: ScalarOp, count: number): number {
  switch (op) {
    case "hypot":
      return 2 * count - 1;
    case "max":
    case "min":
      return Math.max(0, count - 2);
    case "pow":
      return 2;
    default:
      return 0;
  }
}

/** The interpreter knows neither variables of the module nor code that runs as it stands. */
function isClosed({ body }: Func, { funcs }: Program, seen = new Set<string>()): boolean {
  let closed = true;
  walkAtoms(body, (atom) => {
    if (atom.kind === "global") closed = false;
  });
  walkStmts(body, (stmt) => {
    if (stmt.kind !== "let") return;
    if (stmt.expr.kind === "extern") closed = false;
    const callee =
      stmt.expr.kind === "call" && !seen.has(stmt.expr.callee)
        ? funcs.get(stmt.expr.callee)
        : undefined;
    if (callee !== undefined)
      closed &&= isClosed(
        callee,
        { funcs, stage: "ssa", types: new Map(), homes: new Map() },
        seen.add(callee.name),
      );
  });
  return closed;
}

export function costsOf(programs: Iterable<Built>, compiled: Compiled): readonly Cost[] {
  const derived: Program = {
    ...compiled.inlined,
    types: compiled.types,
    funcs: new Map([
      ...compiled.inlined.funcs,
      ...compiled.derived.flatMap((item): [string, Func][] =>
        item.kind === "func" ? [[item.func.name, item.func]] : [],
      ),
    ]),
  };
  const plain = new Map(
    [...programs]
      .filter(({ source }) => isPlain(source))
      .map((built) => [callerOf(built.source), built]),
  );
  return compiled.sites
    .filter(({ form }) => form === "valueAndGrad")
    .flatMap((site): Cost[] => {
      const built = plain.get(site.origin.file);
      const func = compiled.inlined.funcs.get(site.target);
      const name = compiled.made.derivativesOf.get(site)?.[0];
      if (
        built === undefined ||
        func === undefined ||
        name === undefined ||
        !isClosed(func, compiled.inlined)
      )
        return [];
      return built.traits.args.flatMap((one, k): Cost[] => {
        const run1 = (program: Program, target: string): number | null => {
          try {
            return run(program, target, structuredClone([...one])).counts.ops;
          } catch {
            return null;
          }
        };
        const [primal, gradient] = [run1(compiled.inlined, site.target), run1(derived, name)];
        // what the function throws on has no cost
        const straight = isStraight(func);
        const whole = (of: Func | undefined): number =>
          straight && of !== undefined ? hidden(of) : 0;
        return primal === null || gradient === null
          ? []
          : [
              {
                what: `${built.source.name}[${k}]`,
                straight,
                primal: primal + whole(func),
                gradient: gradient + whole(derived.funcs.get(name)),
              },
            ];
      });
    });
}
