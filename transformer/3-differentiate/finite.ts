// Code that stops at the first number that is not finite (`debug: "nan"`). `checked`: operations
// carry a `Check`, from which both modes guard what they derive. `withGuards`: a guard follows each
// of them; only once calls are inlined, since guards count for the size of a function.
// Invariant: values stay the same.

import { Builder } from "../ir/build.ts";
import type { ScalarOp } from "../ir/ops.ts";
import { operandTexts } from "../ir/operand-text.ts";
import type { Atom, Body, Check, Expr, Func, Let, Origin, Program, Stmt } from "../ir/types.ts";
import { HAZARDS, hazardText } from "../rules/hazards.ts";
import { slopeOf } from "../rules/slopes.ts";
import { mapBodies, namesOf, stmtAtoms, walkStmts } from "../ir/visit.ts";

/** How user code is quoted: `Math.sqrt(s)`, and `src/loss.ts:5:10`. */
export interface Quote {
  readonly code: (origin: Origin) => string;
  readonly place: (origin: Origin) => string;
}

const CODE = "TSG0025";
const STRING = { kind: "leaf", text: "string" } as const;

/** Operations on numbers that vary get a `Check`. */
export function checked(program: Program, quote: Quote): Program {
  const funcs = [...program.funcs].map(([name, func]): [string, Func] => {
    const shown = program.homes.get(func.home)?.name ?? func.name;
    return [name, func.shipped === true ? func : new Checks(func, shown, quote).func()];
  });
  return { ...program, funcs: new Map(funcs) };
}

class Checks {
  readonly #func: Func;
  readonly #quote: Quote;
  readonly #root: string;
  readonly #textOf: (operand: Atom) => string;
  readonly #uses = new Map<string, string>();

  constructor(func: Func, shown: string, quote: Quote) {
    this.#func = func;
    this.#quote = quote;
    this.#root = `\`${shown}\` (${quote.place(func.origin)})`;
    this.#textOf = operandTexts(func, quote.code);
    walkStmts(func.body, (stmt) => {
      for (const atom of stmt.kind === "let" ? stmtAtoms(stmt) : [])
        if (atom.kind === "var" && !this.#uses.has(atom.name))
          this.#uses.set(atom.name, `\`${quote.code(stmt.origin)}\` (${quote.place(stmt.origin)})`);
    });
  }

  func(): Func {
    return { ...this.#func, checked: this.#root, body: this.#body(this.#func.body) };
  }

  #body(body: Body): Body {
    const stmts = body.stmts.map((stmt): Stmt => {
      const own = mapBodies(stmt, (inner) => this.#body(inner));
      return own.kind === "let" && own.expr.kind === "op" && isComputed(own, own.expr)
        ? { ...own, check: this.#checkOf(own, own.expr) }
        : own;
    });
    return { ...body, stmts };
  }

  #checkOf({ bind, origin }: Let, { op, args }: Expr & { kind: "op" }): Check {
    const operands = args.map(this.#textOf);
    const text = this.#quote.code(origin);
    return {
      ...{ text, place: this.#quote.place(origin), operands },
      use: this.#uses.get(bind.name) ?? null,
      why: whyOf(op, text, operands),
    };
  }
}

/** z = op x y  ->  z = op x y ; if (z is NaN, or infinite of finite operands) throw */
export function withGuards(program: Program): Program {
  const funcs = [...program.funcs].map(([name, func]): [string, Func] => {
    if (func.checked === undefined) return [name, func];
    return [name, { ...func, body: guardedBody(func.body, namesOf(func)) }];
  });
  return { ...program, funcs: new Map(funcs) };
}

const guardedBody = (body: Body, used: Builder["names"]): Body => ({
  ...body,
  stmts: body.stmts.flatMap((stmt): readonly Stmt[] => {
    const own = mapBodies(stmt, (inner) => guardedBody(inner, used));
    if (own.kind !== "let" || own.expr.kind !== "op" || own.check === undefined) return [own];
    if (own.check.isGuarded === true || own.check.isSlope === true) return [own];
    const b = new Builder(used, own.origin, false);
    guardValue(b, own, own.expr.args, own.check);
    return [{ ...own, check: { ...own.check, isGuarded: true } }, ...b.stmts];
  }),
});

/** An operation on numbers that vary. */
const isComputed = ({ bind }: Let, { args }: Expr & { kind: "op" }): boolean =>
  bind.type.kind === "num" &&
  bind.type.literal === undefined &&
  args.some((arg) => arg.kind !== "const" && arg.type.kind === "num");

function guardValue(b: Builder, { bind }: Let, args: readonly Atom[], check: Check): void {
  const varying = args.filter((arg) => arg.kind !== "const" && arg.type.kind === "num");
  const infinite = [...new Set(varying)].reduce<Atom>(
    (test, arg) => b.op("and", test, b.op("isFinite", arg)),
    b.op("not", b.op("isFinite", bind)),
  );
  stopIf(b, b.op("or", b.op("isNaN", bind), infinite), [
    ...[`\`${check.text}\` is `, bind, ` (${check.place})`],
    ...operandLines(check, args, null),
    `\n  the function itself computes it, in the forward pass: no derivative is involved yet`,
  ]);
}

/** What is known of the slope of an operator. */
function whyOf(op: ScalarOp, text: string, operands: readonly string[]): string | null {
  const hazard = HAZARDS[op];
  return hazard?.kind === "pole"
    ? [
        `\n  why: the derivative of \`${text}\` is ${hazardText(hazard.what, operands)}`,
        `\n  what helps: ${hazard.remedy}`,
      ].join("")
    : null;
}

/** One contribution to the cotangent of operand `i`: `part`, for the cotangent `seed`. */
export interface Contribution {
  readonly i: number;
  readonly part: Atom;
  readonly seed: Atom;
  readonly isSeeded: boolean;
  /** The derivative by that operand. */
  readonly slope: (b: Builder) => Atom;
  /** A primal value in reverse code. */
  readonly value: (atom: Atom) => Atom;
}

/** Stops where a contribution of `stmt` is not finite. `root`: the function that is derived. */
export function guardCotangent(
  b: Builder,
  { check, expr, bind }: Let,
  root: string | undefined,
  { i, part, seed, isSeeded, slope, value }: Contribution,
): void {
  if (check === undefined || root === undefined || expr.kind !== "op") return;
  // a slope that is always finite passes on what another guard has seen
  if (part.kind === "const" || slopeOf(expr.op, i, expr.args) === "total") return;
  const operand = check.operands[i] ?? "";
  stopIf(b, b.op("not", b.op("isFinite", part)), [
    `the cotangent of \`${operand}\` becomes `,
    ...[part, ` in the backward pass, at \`${check.text}\` (${check.place})`],
    ...operandLines(check, expr.args.map(value), value(bind)),
    ...[`\n  the derivative of the result by \`${check.text}\`, its cotangent, is `, seed],
    ...(check.use === null ? [] : [`; it comes from ${check.use}`]),
    ...[`\n  the derivative of \`${check.text}\` by \`${operand}\` is `, slope],
    ...[` there, and `, seed, ` * `, slope, ` is `, part],
    isSeeded
      ? `\n  the backward pass came into ${root} with a cotangent that its caller gave`
      : `\n  the backward pass began at the result of ${root}, whose cotangent is 1`,
    check.why ?? "",
  ]);
}

/** Marks the code of a slope since `from`, so that its own derivative is guarded. */
export function markSlope({ stmts }: Builder, from: number, { check }: Let): void {
  if (check === undefined) return;
  stmts.forEach((stmt, at) => {
    if (at >= from && stmt.kind === "let" && stmt.expr.kind === "op")
      stmts[at] = { ...stmt, check: { ...check, isSlope: true } };
  });
}

/** Stops where the tangent of an operation is not finite; `dotOf` gives those of its operands. */
export function guardTangent(
  b: Builder,
  { check, expr, bind }: Let,
  tangent: Atom,
  dotOf: (operand: Atom) => Atom | null,
): void {
  if (check === undefined || expr.kind !== "op" || tangent.kind === "const") return;
  const isSlope = check.isSlope === true;
  stopIf(b, b.op("not", b.op("isFinite", tangent)), [
    ...(isSlope
      ? [`the second derivative at \`${check.text}\` becomes `, tangent, ` (${check.place})`]
      : [`the tangent of \`${check.text}\` becomes `, tangent, ` (${check.place})`]),
    ...(isSlope ? [] : operandLines(check, expr.args, bind)),
    ...(isSlope
      ? []
      : expr.args.flatMap((arg, i) => {
          const dot = dotOf(arg);
          return dot === null ? [] : [`\n  the tangent of \`${check.operands[i] ?? ""}\` is `, dot];
        })),
    check.why ?? "",
  ]);
}

/** `there x is 0, and Math.sqrt(x) is 0` */
function operandLines(check: Check, args: readonly Atom[], result: Atom | null): readonly Part[] {
  const shown = new Map<string, Atom>();
  args.forEach((arg, i) => {
    if (arg.kind !== "const") shown.set(check.operands[i] ?? "", arg);
  });
  if (result !== null) shown.set(check.text, result);
  return [...shown].flatMap(([text, atom], i) => [
    ...[i === 0 ? "\n  there " : ", ", `\`${text}\` is `, atom],
  ]);
}

/** Of a message: text, or a value, which the branch that throws may compute. */
type Part = string | Atom | ((b: Builder) => Atom);

/** `if (test) throw Object.assign(new Error(`…`), { code });` */
function stopIf(b: Builder, test: Atom, message: readonly Part[]): void {
  const then = b.nested();
  const text: string[] = [];
  const args: Atom[] = [];
  let piece = `\`${CODE}: `;
  for (const part of message)
    if (typeof part !== "string") {
      args.push(typeof part === "function" ? part(then) : part);
      text.push(`${piece}\${`);
      piece = "}";
    } else piece += escaped(part);
  text.push(`${piece}\\n  more: npx tsgrad explain ${CODE}\``);
  const said = then.let("t", STRING, {
    kind: "extern",
    text,
    args,
    effect: "pure",
    verbatim: true,
  });
  then.raise("Error", said, CODE);
  b.emit({ kind: "if", cond: test, then: then.body(), else: { stmts: [], result: [] }, binds: [] });
}

const escaped = (text: string): string =>
  text.replace(/[\\`]|\$\{/g, "\\$&").replaceAll("\n", "\\n");
