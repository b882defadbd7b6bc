// Which copies contradict the types that they were given. In: a program with copies. Out: those
// with type errors. The static engine takes types for granted, so such code is left to the other.

import type ts from "typescript";
import { memberAt } from "./classes.ts";
import type { Copy, Placed } from "./copies.ts";
import { toPackage } from "./rendered.ts";

/** What says only that types are incomplete or code unused, or is about elements that may miss. */
const HARMLESS: ReadonlySet<number> = new Set([
  2304, 2367, 2454, 2531, 2532, 2533, 2552, 2554, 2555, 2559, 2678, 2695, 2703, 2774, 2801, 2839,
  2845, 2869, 2870, 2871, 2872, 2873, 2881, 6133, 6192, 6196, 6198, 6199, 18046, 18047, 18048,
  18049,
]);
/** Types that are missing: 7005 to 7060. */
const isOfMissingType = (code: number): boolean => code >= 7005 && code <= 7060;
const ABOUT_UNDEFINED = /\bundefined' is not assignable/;

/** Whether types are true in spite of it. */
export function isHarmless({ code, messageText }: ts.Diagnostic): boolean {
  const message = typeof messageText === "string" ? messageText : messageText.messageText;
  return HARMLESS.has(code) || isOfMissingType(code) || ABOUT_UNDEFINED.test(message);
}

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
    return one === undefined ? [] : [faultIn(one, start)];
  });
  // each round leaves something out that was there before
  const faulty = places.map(({ copy, member }) =>
    member === undefined || copy.shape?.faulty.has(member) === true ? copy : member,
  );
  for (const { copy, member } of places) if (member !== undefined) copy.shape?.faulty.add(member);
  return faulty;
}

/** Without its constructor or its fields a class is another one. */
function faultIn(
  { copy, rendered, start }: Placed,
  at: number,
): { readonly copy: Copy; readonly member: ts.ClassElement | undefined } {
  const member = copy.shape && memberAt(copy.shape, toPackage(rendered, at - start));
  return { copy, member: member !== undefined && isMethod(member) ? member : undefined };
}

const isMethod = (node: ts.ClassElement): boolean =>
  node.name !== undefined && "body" in node && node.body !== undefined;
