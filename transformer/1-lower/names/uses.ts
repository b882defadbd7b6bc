// Where code uses a variable, by its symbol.

import type ts from "typescript";
import { nodesIn } from "../../syntax/walk.ts";
import type { Frame } from "../frame.ts";

export const usesIn = (
  f: Frame,
  code: ts.Node,
  symbol: ts.Symbol | null,
): readonly ts.Identifier[] =>
  symbol === null
    ? []
    : nodesIn(f.api, code, f.api.isIdentifier).filter(
        (at) => at.text === symbol.name && f.symbolOf(at) === symbol,
      );
