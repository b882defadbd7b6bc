// Lines and blocks of the part that still makes code from text: stretches.
// In: text. Out: code. The optimiser that works on text goes, and this file with it.

import type ts from "typescript";
import { type Code, unchecked } from "../code/code.ts";
import * as lines from "../code/lines.ts";
import * as work from "./work.ts";

export { unchecked };

export const uncheckedLines = (all: readonly string[]): Code[] => all.map(unchecked);

/** The same of what may be none. */
export const uncheckedOf = (all: readonly string[] | null | undefined): Code[] | undefined =>
  all?.map(unchecked);

export const block = (head: string, inner: readonly string[]): Code =>
  lines.block(unchecked(head), uncheckedLines(inner));

export const marked = (node: ts.Node, text: string): Code => work.marked(node, unchecked(text));
