// Derivatives requested on the command line, without a call. Input: functions by file and name.
// Output: sites of form `derivativeSource`: `grad` for a numeric result, else `vjp`.
// Functions without such a derivative are reported.

import type ts from "typescript";
import type { Code } from "../../diagnostics/registry.ts";
import type { CallSite } from "../../ir/facts.ts";
import { hasNumbers, type Types } from "../../ir/shadow.ts";
import type { Func } from "../../ir/types.ts";
import { checkerOf } from "../checker.ts";
import type { TypeScript } from "../typescript.ts";
import { type Functions } from "../functions.ts";
import type { TargetNode, Targets } from "./targets.ts";
import { originOf } from "../../syntax/places.ts";

export interface FunctionName {
  readonly file: string;
  /** The declared name; "default" for a default export. */
  readonly name: string;
}

export interface RequestedFunction {
  /** Its name in Program.funcs. */
  readonly name: string;
  readonly node: TargetNode | ts.CallExpression;
}

type Report = (code: Code, at: ts.Node, ...args: readonly string[]) => void;

interface Host {
  readonly ts: TypeScript;
  readonly program: ts.Program;
}

/** Registers the functions, to be lowered with the rest. */
export function requestedFunctions(
  wishes: readonly FunctionName[],
  targets: Targets,
  functions: Functions,
  host: Host,
  report: Report,
): readonly RequestedFunction[] {
  return wishes.flatMap((wish) => {
    const file = host.program.getSourceFile(wish.file);
    const declaration = file === undefined ? undefined : declarationOf(file, wish.name, host);
    if (declaration === undefined) return [];
    const target = targets.ofSymbol(declaration.symbol, wish.name, declaration.at);
    if (target.kind === "problem") {
      report(target.code, declaration.at, ...target.args);
      return [];
    }
    if (target.kind === "shipped") return [];
    const chain = [{ text: `asked for: \`${wish.name}\``, span: originOf(declaration.at) }];
    const name =
      target.kind === "made"
        ? functions.registerMade(target.call, chain)
        : functions.register(target.node, chain);
    const node = target.kind === "made" ? target.call : target.node;
    return name === null ? [] : [{ name, node }];
  });
}

/** Sites of the lowered functions, by the first argument that holds numbers, with callees. */
export function requestedSites(
  wished: readonly RequestedFunction[],
  functions: Functions,
  types: Types,
  report: Report,
): readonly { readonly reached: ReadonlyMap<string, Func>; readonly site: CallSite }[] {
  return wished.flatMap(({ name, node }) => {
    const reached = functions.reachable(name);
    const func = reached?.get(name);
    if (reached === null || func === undefined) return [];
    const position = sourcePosition(func, types);
    if (!func.params.some((param) => hasNumbers(param.type, types))) {
      report(
        "TSG2004",
        node,
        name,
        func.params[0]?.name ?? "argument 0",
        ("parameters" in node ? node.parameters[0]?.type?.getText() : undefined) ?? "void",
      );
      return [];
    }
    const site: CallSite = {
      form: "derivativeSource",
      origin: func.origin,
      target: "parameters" in node ? name : derivativeCalled(func, functions.derivationsOf([name])),
      argnums: [position],
      tuple: false,
      hasAux: false,
      into: false,
      insertAt: func.origin.end,
      specifier: null,
    };
    return [{ reached, site }];
  });
}

/** Position of the first argument that holds numbers. */
export const sourcePosition = (func: Func, types: Types): number =>
  Math.max(
    0,
    func.params.findIndex((param) => hasNumbers(param.type, types)),
  );

/** The derivative that a function calls and does nothing else; otherwise the function itself. */
export function derivativeCalled(
  { name, params, body }: Func,
  derivations: ReadonlyMap<string, unknown>,
): string {
  const [stmt, ...others] = body.stmts;
  if (stmt?.kind !== "let" || stmt.expr.kind !== "call" || others.length > 0) return name;
  const { args, callee } = stmt.expr;
  return derivations.has(callee) &&
    args.length === params.length &&
    args.every((arg, i) => arg === params[i]) &&
    body.result[0] === stmt.bind
    ? callee
    : name;
}

interface Declaration {
  readonly symbol: ts.Symbol;
  readonly at: ts.Node;
}

/** The declared function or constant of that name, the outermost in the file. */
function declarationOf(
  file: ts.SourceFile,
  name: string,
  { ts: api, program }: Host,
): Declaration | undefined {
  const checker = checkerOf(program, api);
  const module = checker.getSymbolAtLocation(file);
  const exported =
    module === undefined || name !== "default"
      ? undefined
      : checker.tryGetMemberInModuleExports(name, module);
  if (exported !== undefined) return { symbol: exported, at: exported.declarations?.[0] ?? file };
  for (
    let level: readonly ts.Node[] = [file];
    level.length > 0;
    level = level.flatMap((node) => childrenOf(node, api))
  ) {
    for (const node of level) {
      const own =
        api.isFunctionDeclaration(node) || api.isVariableDeclaration(node) ? node.name : undefined;
      const isNamed = own !== undefined && api.isIdentifier(own) && own.text === name;
      const symbol = isNamed ? checker.getSymbolAtLocation(own) : undefined;
      if (symbol !== undefined) return { symbol, at: node };
    }
  }
  return undefined;
}

function childrenOf(node: ts.Node, api: TypeScript): readonly ts.Node[] {
  const children: ts.Node[] = [];
  api.forEachChild(node, (child) => void children.push(child));
  return children;
}
