// The host, the request and the services of one lowering run: checker, module graph, types,
// worklist. Everything here belongs to one program and is built once per run.

import type ts from "typescript";
import type { Span } from "../diagnostics/report.ts";
import type { CapturingPlace, Home } from "../ir/types.ts";
import type { Lowering } from "./lowering.ts";
import { Sink } from "../diagnostics/sink.ts";
import type { Code } from "../diagnostics/registry.ts";
import { checkerOf } from "./checker.ts";
import { noteCopies } from "./flow/value-flow.ts";
import type { TypeScript } from "./typescript.ts";
import { Classes } from "./classes/classes.ts";
import { type ClassNode } from "./classes/class-declarations.ts";
import { reportConstantPullbacks } from "./sites/constant-pullbacks.ts";
import { definitionsOf } from "./sites/definitions.ts";
import { formsOf } from "./sites/forms.ts";
import { Functions } from "./functions.ts";
import { moduleGraph } from "./sites/module-graph.ts";
import { Targets } from "./sites/targets.ts";
import { TypeTable } from "./types/types.ts";
import type { FunctionName } from "./sites/command-line-sites.ts";
import { originOf } from "../syntax/places.ts";

export interface LowerHost {
  readonly ts: TypeScript;
  readonly program: ts.Program;
  /** "static": the Delta engine is used only for calls that request it. */
  readonly engine?: "static";
  readonly packageCode?: CopiedCode;
  /** The source of packages is followed where they ship derivatives, too. */
  readonly followsShipped?: true;
  /** Absent where JavaScript has no types. */
  readonly javascript?: JavaScript;
}

/** JavaScript whose types were checked. */
export interface JavaScript {
  /** Nodes whose types are not true. */
  readonly faults: ReadonlySet<ts.Node>;
}

/** Code of packages that stands after the user's in a file. */
export interface CopiedCode {
  /** The copy of a package's function that the user's expression means. */
  functionAt(node: ts.Node): ts.Symbol | null;
  isCopied(node: ts.Node): boolean;
  /** Whether a member of a copied class has no name outside of it. */
  isOnlyInCopy(node: ts.Node): boolean;
  /** A place of a copy in the module that runs; null where the host cannot change that. */
  changeable(span: Span): (Span & Pick<CapturingPlace, "isCommonJs">) | null;
  /** The copy of a declared class. */
  classOf(declaration: ts.Node): ts.ClassDeclaration | null;
  /** How emitted code imports the class of a copy. */
  importOf(
    node: ts.Node,
  ): (Pick<Home, "file"> & Required<Pick<Home, "exportName" | "specifier">>) | null;
  /** Whether the package's declarations of a copied class lack a field, or hide it. */
  lacks(node: ts.Node, field: string): boolean;
}

export interface LowerRequest {
  /** Restricts the call sites to those of these files. */
  readonly files?: readonly string[];
  /** "static": the Delta engine is used only for calls that request it. */
  readonly engine?: "static";
  /** Functions to derive without a call: `grad`, or `vjp` if the result is no number. */
  readonly also?: readonly FunctionName[];
}

/**
 * Facts about classes that a run finds. `left`: their instances are exchanged with other code.
 * `together`: their instances meet records that stand for instances of other classes.
 */
export interface ClassFacts {
  readonly left: Set<ts.Node>;
  readonly together: Set<ClassNode>;
}

/** Functions on which lowering failed by an internal error, which is reported for them. */
export type Failures = Map<ts.Node, unknown>;

export type Report = (code: Code, at: ts.Node, ...args: readonly string[]) => void;

/** Builds the services of one run. */
export function servicesOf(
  { ts: api, program, packageCode, javascript, followsShipped }: LowerHost,
  lowering: Lowering,
  { left, together }: ClassFacts,
  failures: Failures = new Map(),
) {
  const checker = checkerOf(program, api);
  if (packageCode !== undefined) noteCopies(program, packageCode);
  const sink = new Sink();
  const report: Report = (code, at, ...args) => void sink.report(code, originOf(at), [], ...args);
  const graph = moduleGraph(api, program);
  const forms = formsOf(api, checker, graph);
  const classes = new Classes(api, program, lowering, {
    left: new Set(left),
    together: new Set(together),
    packageCode,
  });
  const types = new TypeTable(api, program, classes, graph);
  const definitions = definitionsOf(graph.files, forms, api, checker, report);
  reportConstantPullbacks(graph.files, forms, api, checker, report);
  const targets = new Targets({
    ...{ api, program, forms, definitions, classes, packageCode, javascript },
    follows: followsShipped === true,
  });
  return {
    checker,
    sink,
    report,
    graph,
    forms,
    classes,
    types,
    definitions,
    targets,
    functions: new Functions({
      ...{ api, program, checker, graph, targets, types, classes, sink, lowering, failures },
      ...{ packageCode, javascript },
    }),
  };
}

export type Services = ReturnType<typeof servicesOf>;
