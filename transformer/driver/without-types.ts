// Generated code in JavaScript files. In: a file's text and edits, whose code is TypeScript. Out:
// the edits without types. Invariant: the user's own text stays, whatever it is.

import type ts from "typescript";
import type { Edit } from "../ir/facts.ts";

interface Span {
  readonly start: number;
  readonly end: number;
}

const JAVASCRIPT = /\.[cm]?jsx?$/;

export function withoutTypes(
  api: typeof ts,
  file: string,
  text: string,
  edits: readonly Edit[],
): readonly Edit[] {
  if (!JAVASCRIPT.test(file)) return edits;
  const { edited, starts } = applied(text, edits);
  const source = api.createSourceFile(
    `${file}.tsx`,
    edited,
    api.ScriptTarget.ESNext,
    true,
    api.ScriptKind.TSX,
  );
  const spans: Span[] = [];
  const visit = (node: ts.Node): void => {
    const own = typesOf(node, api);
    spans.push(...own);
    api.forEachChild(node, visit);
  };
  visit(source);
  return edits.map((edit, i) => without(edit, starts[i] ?? 0, spans));
}

/** The edited text, and where in it each edit's text begins. */
function applied(
  text: string,
  edits: readonly Edit[],
): { readonly edited: string; readonly starts: readonly number[] } {
  let edited = "";
  let read = 0;
  const starts = edits.map((edit) => {
    edited += text.slice(read, edit.start);
    read = edit.end;
    const start = edited.length;
    edited += edit.text;
    return start;
  });
  return { edited: edited + text.slice(read), starts };
}

/** The parts of a node that only TypeScript has. */
function typesOf(node: ts.Node, api: typeof ts): readonly Span[] {
  if (api.isTypeAliasDeclaration(node) || api.isInterfaceDeclaration(node)) return [lineOf(node)];
  if (api.isImportDeclaration(node) && node.importClause?.isTypeOnly === true)
    return [lineOf(node)];
  if (api.isParameter(node) && node.name.getText() === "this") return [thisOf(node)];
  if (api.isAsExpression(node) || api.isSatisfiesExpression(node) || api.isNonNullExpression(node))
    return [{ start: node.expression.end, end: node.end }];
  const lists = [
    "typeParameters" in node ? node.typeParameters : undefined,
    "typeArguments" in node ? node.typeArguments : undefined,
  ];
  return [
    ...annotationOf(node, api),
    ...lists.flatMap((list) => (isList(list) ? [{ start: list.pos - 1, end: list.end + 1 }] : [])),
    ...modifiersOf(node, api),
  ];
}

const isList = (value: unknown): value is Span & ts.TextRange =>
  typeof value === "object" && value !== null && "pos" in value && "end" in value;

/** `: T` of a declaration, also `?: T` and `!: T`. */
function annotationOf(node: ts.Node, api: typeof ts): readonly Span[] {
  if (api.isParameter(node) || api.isVariableDeclaration(node) || api.isPropertyDeclaration(node)) {
    const mark = api.isVariableDeclaration(node) ? undefined : node.questionToken;
    const end = (node.type ?? mark)?.end;
    return end === undefined ? [] : [{ start: node.name.end, end }];
  }
  return api.isFunctionLike(node) && node.type !== undefined
    ? [{ start: node.type.pos - 1, end: node.type.end }]
    : [];
}

function modifiersOf(node: ts.Node, api: typeof ts): readonly Span[] {
  const { ReadonlyKeyword, AbstractKeyword, DeclareKeyword } = api.SyntaxKind;
  const { PublicKeyword, PrivateKeyword, ProtectedKeyword, OverrideKeyword } = api.SyntaxKind;
  const kinds: readonly ts.SyntaxKind[] = [
    ...[ReadonlyKeyword, AbstractKeyword, DeclareKeyword, OverrideKeyword],
    ...[PublicKeyword, PrivateKeyword, ProtectedKeyword],
  ];
  const all = api.canHaveModifiers(node) ? (api.getModifiers(node) ?? []) : [];
  return all
    .filter(({ kind }) => kinds.includes(kind))
    .map((one) => ({ start: one.getStart(), end: one.end + 1 }));
}

/** The parameter `this`, with the comma after it. */
function thisOf(node: ts.ParameterDeclaration): Span {
  const next = node.parent.parameters[1];
  return { start: node.getStart(), end: next?.getStart() ?? node.end };
}

/** A statement with the blanks and the line break after it. */
function lineOf(node: ts.Node): Span {
  const rest = /^[ \t]*\n?/.exec(node.getSourceFile().text.slice(node.end, node.end + 100));
  return { start: node.getStart(), end: node.end + (rest?.[0].length ?? 0) };
}

/** The edit without those spans that its text contains; `at` is where that text begins. */
function without(edit: Edit, at: number, spans: readonly Span[]): Edit {
  const own = spans
    .filter(({ start, end }) => start >= at && end <= at + edit.text.length)
    .toSorted((a, b) => a.start - b.start || b.end - a.end);
  let text = "";
  let read = at;
  const gone: Span[] = [];
  for (const { start, end } of own) {
    if (start < read) continue;
    text += edit.text.slice(read - at, start - at);
    gone.push({ start, end });
    read = end;
  }
  const moved = (offset: number): number =>
    gone.reduce(
      (to, { start, end }) => to - Math.max(0, Math.min(end, at + offset) - start),
      offset,
    );
  return gone.length === 0
    ? edit
    : {
        ...edit,
        text: text + edit.text.slice(read - at),
        mappings: edit.mappings.map((one) => ({ ...one, offset: moved(one.offset) })),
      };
}
