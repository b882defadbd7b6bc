// Text of calls: of functions and class members of the program, and of verbatim user code.

import { PREC } from "../ir/ops.ts";
import { memberText } from "../code/quote.ts";
import { assertedText, mutable } from "./casts.ts";
import type { Value } from "./code.ts";
import { closingQuote } from "./wrap.ts";
import { called, operandText, type Text, type Writing } from "./writing.ts";

/** `f(x)`, or for a class member `o.m(x)`, `o.x`, `C.m(x)`, `new C(x)`. */
export function callText(value: Extract<Value, { kind: "call" }>, writing: Writing): Text {
  const takes = writing.parameterTypes(value.callee);
  const args = value.args.map(
    (arg, i) =>
      assertedText(arg, takes[i] ?? null, writing) ??
      (writing.isStructural(value.callee, i)
        ? mutable(arg, PREC.conditional, writing)
        : operandText(PREC.conditional, arg, writing)),
  );
  const member = writing.member(value.callee);
  const [self] = value.args;
  if (member === null) {
    // `undefined!` is assignable to every type, and the function ignores these arguments
    const spare = new Array<string>(writing.extraArguments(value.callee)).fill("undefined!");
    return called(`${writing.callee(value.callee)}(${[...args, ...spare].join(", ")})`);
  }
  if (member.kind === "new") {
    const given = args.slice(0, args.findLastIndex((arg) => arg !== "undefined") + 1);
    return called(`new ${writing.callee(value.callee)}(${given.join(", ")})`);
  }
  const of = (object: string): string => memberText(object, member.name, member.hidden);
  if (member.kind === "static" || self === undefined)
    return called(`${of(writing.callee(value.callee))}(${args.join(", ")})`);
  if (member.kind === "super")
    return called(`${of(`${writing.callee(value.callee)}.prototype`)}.call(${args.join(", ")})`);
  const place = of(operandText(PREC.call, self, writing));
  if (member.kind === "getter") return called(place);
  if (member.kind === "setter") return { text: `${place} = ${args[1] ?? "undefined"}`, prec: 0 };
  return called(`${place}(${args.slice(1).join(", ")})`);
}

/** User code. An operand is bracketed unless it is atomic, a call, or between two commas. */
export function externText(value: Extract<Value, { kind: "extern" }>, writing: Writing): Text {
  const isAlone = (i: number): boolean => {
    const before = value.text[i] ?? "";
    const behind = value.text[i + 1] ?? "";
    if (before === " = " && behind === "") return true;
    return /(?:[([]|, |\$\{)$/.test(before) && /^[)\]},]/.test(behind);
  };
  const text = value.text
    .map((piece, i) => {
      const atom = value.args[i];
      const written = value.verbatim === true ? piece : writing.library(piece);
      return atom === undefined
        ? written
        : `${written}${operandText(isAlone(i) ? PREC.conditional : PREC.call, atom, writing)}`;
    })
    .join("");
  if (isCallChain(text)) return called(text);
  // other user code may have any precedence
  const isMembership = /^"[^"\\]*" in [\p{ID_Continue}$.!]+$/u.test(text);
  return { text, prec: isMembership ? PREC.relation : 0 };
}

/** Whether the code is a name or literal with calls, reads and `!` on it, and no operator. */
function isCallChain(text: string): boolean {
  let depth = 0;
  for (let i = text.startsWith("new ") ? 4 : 0; i < text.length; i++) {
    const char = text.charAt(i);
    if (char === '"' || char === "'" || char === "`") i = closingQuote(text, i);
    else if (char === "(" || char === "[") depth++;
    else if (char === ")" || char === "]") depth--;
    else if (depth === 0 && !/[\p{ID_Continue}$.]/u.test(char) && !isNonNull(text, i)) return false;
  }
  return true;
}

/** Whether the character is the `!` of `x!.y`, `x![i]`, `x!(y)` or of `x!` at the end. */
const isNonNull = (text: string, i: number): boolean =>
  text.charAt(i) === "!" && /^!(?:[.[(]|$)/.test(text.slice(i, i + 2)) && i > 0;
