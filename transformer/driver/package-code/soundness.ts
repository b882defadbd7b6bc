// Which copies contradict the types that they were given. In: a program with copies. Out: those
// with type errors. The static engine takes types for granted, so such code is left to the other.

import type ts from "typescript";
import { hideOverridden, memberAt } from "./classes.ts";
import { baseOf, type Copy, type Placed } from "./copies.ts";
import { toPackage } from "./rendered.ts";

/**
 * What says only that types are incomplete, that code is unused or an element is only read, or is
 * about elements that may miss.
 */
const HARMLESS: ReadonlySet<number> = new Set([
  2304, 2358, 2362, 2363, 2367, 2392, 2393, 2454, 2531, 2532, 2533, 2542, 2552, 2554, 2555, 2559,
  2678, 2695, 2703, 2774, 2801, 2839, 2845, 2869, 2870, 2871, 2872, 2873, 2881, 6133, 6192, 6196,
  6198, 6199, 18046, 18047, 18048, 18049,
]);
/** Types that are missing: 7005 to 7060. */
const isOfMissingType = (code: number): boolean => code >= 7005 && code <= 7060;
const ABOUT_UNDEFINED = /\bundefined' is not assignable/;

/** Whether types are true in spite of it. */
export const isHarmless = ({ code, messageText }: ts.Diagnostic): boolean =>
  typeof messageText === "string"
    ? isHarmlessMessage(code, messageText)
    : isHarmlessChain(messageText);

/** Of a call that fits no overload (2769): whether it fits one as far as it matters. */
const isHarmlessChain = ({ code, messageText, next }: ts.DiagnosticMessageChain): boolean =>
  isHarmlessMessage(code, messageText) ||
  ((code === 2769 || code === 2772) && next?.some(isHarmlessChain) === true);

const isHarmlessMessage = (code: number, message: string): boolean =>
  HARMLESS.has(code) || isOfMissingType(code) || ABOUT_UNDEFINED.test(message);

/** TypeScript has a third parameter of its own: the nodes that are checked. */
interface Checked {
  getSemanticDiagnostics(
    source: ts.SourceFile,
    token: undefined,
    nodes: readonly ts.Node[],
  ): readonly ts.Diagnostic[];
}

/** Of a class, a member is left out where the fault is in a member. */
export function faultyCopies(
  api: typeof ts,
  program: ts.Program,
  file: string,
  placed: readonly Placed[],
): readonly (Copy | ts.ClassElement)[] {
  const [first] = placed;
  const source = program.getSourceFile(file);
  if (first === undefined || source === undefined) return [];
  const checked: Checked = program;
  const copies = source.statements.filter(({ end }) => end > first.start);
  const found = [
    ...program.getSyntacticDiagnostics(source),
    ...checked.getSemanticDiagnostics(source, undefined, copies),
  ].filter(({ start }) => start !== undefined && start >= first.start);
  const places = found.flatMap((diagnostic) => {
    const { start = 0 } = diagnostic;
    const one = isHarmless(diagnostic) ? undefined : placed.findLast((each) => each.start <= start);
    return one === undefined ? [] : [faultIn(api, one, start)];
  });
  const inferred = places.filter(({ copy, member }) => isInferred(copy, member));
  // without what they said, other faults may be gone
  if (inferred.length > 0) return inferred.flatMap(({ member }) => member ?? []);
  // each iteration leaves something out that was there before
  const faulty = places.map(({ copy, member }) =>
    member === undefined || copy.shape?.faulty.has(member) === true ? copy : member,
  );
  for (const { copy, member } of places) if (member !== undefined) leaveOut(api, copy, member);
  return faulty;
}

/** Methods that are declared to return `this`, and may return another instance: bodies say. */
function isInferred({ shape }: Copy, member: ts.ClassElement | undefined): boolean {
  const types = member && shape?.live.get(member);
  if (member === undefined || types?.result !== "this") return false;
  shape?.live.set(member, { ...types, result: null });
  return true;
}

/** Bases have no such member then, since it would stand for this one. */
function leaveOut(api: typeof ts, copy: Copy, member: ts.ClassElement): void {
  copy.shape?.faulty.add(member);
  for (let base = baseOf(copy); base?.shape !== undefined; base = baseOf(base))
    hideOverridden(api, base.shape, member);
}

/** Without its constructor or its fields a class is another one; an accessor may stand for one. */
function faultIn(
  api: typeof ts,
  { copy, rendered, start }: Placed,
  at: number,
): { readonly copy: Copy; readonly member: ts.ClassElement | undefined } {
  const member = copy.shape && memberAt(copy.shape, toPackage(rendered, at - start));
  const isApart =
    member !== undefined &&
    (api.isMethodDeclaration(member) || (api.isAccessor(member) && baseOf(copy) === undefined));
  return { copy, member: isApart ? member : undefined };
}
