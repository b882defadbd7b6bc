// Quick fixes: remedies that need no thought. Input: a diagnostic and its file. Output: text edits
// after which the diagnostic is gone. Each reads the syntax at the diagnostic's place.

import { distance } from "fastest-levenshtein";
import type ts from "typescript";
import type { TypeScript } from "../../analyse.ts";
import type { Diagnostic } from "../../diagnostics/report.ts";
import { nodeAt } from "./located.ts";
import { type Fix, importName, insert, remove, replace } from "./text-edits.ts";

interface Place {
  readonly ts: TypeScript;
  readonly program: ts.Program;
  readonly source: ts.SourceFile;
  readonly diagnostic: Diagnostic;
  /** The innermost node at the place that has its length, or more. */
  readonly node: ts.Node;
}

type Fixer = (place: Place) => Fix | null;

const FIXERS: Readonly<Record<string, Fixer>> = {
  TSG0003: staticImport,
  TSG1003: optionInPlace,
  TSG1004: lastArgument,
  TSG1005: argumentOnce,
  TSG1006: knownOption,
  TSG1008: blockBody,
  TSG1010: arrowFunction,
  TSG1022: (place) => withoutOption(place, "into"),
  TSG2003: pullback,
  TSG3012: copyOfPart,
  TSG8001: withoutArgument,
  TSG8002: withoutArgument,
};

/** The codes that have a quick fix. */
export const FIXABLE: readonly string[] = Object.keys(FIXERS);

export function fixOf(
  api: TypeScript,
  program: ts.Program,
  source: ts.SourceFile,
  diagnostic: Diagnostic,
): Fix | null {
  const fixer = FIXERS[diagnostic.code];
  if (fixer === undefined || diagnostic.span.file !== source.fileName) return null;
  let node = nodeAt(api, source, diagnostic.span.start);
  while (node.end < diagnostic.span.end && !api.isSourceFile(node)) node = node.parent;
  return fixer({ ts: api, program, source, diagnostic, node });
}

const around = <T extends ts.Node>(
  { ts: api, node }: Place,
  is: (node: ts.Node) => node is T,
): T | undefined => api.findAncestor(node, is);

/** The options of the call around the place, if they are written there. */
function optionsAt(place: Place): ts.ObjectLiteralExpression | undefined {
  const { ts: api } = place;
  let call = around(place, api.isCallExpression);
  while (call !== undefined && !call.arguments.some((one) => api.isObjectLiteralExpression(one)))
    call = api.findAncestor(call.parent, api.isCallExpression);
  return call?.arguments.find((one) => api.isObjectLiteralExpression(one));
}

function optionNamed(
  place: Place,
  name: string,
): { readonly options: ts.ObjectLiteralExpression; readonly it: ts.PropertyAssignment } | null {
  const options = optionsAt(place);
  const it = options?.properties.find(
    (property): property is ts.PropertyAssignment =>
      place.ts.isPropertyAssignment(property) && property.name.getText(place.source) === name,
  );
  return options === undefined || it === undefined ? null : { options, it };
}

/** `{ argnums: [0, 1] }`: its numbers. */
function argnumsAt(place: Place): ts.ArrayLiteralExpression | null {
  const value = optionNamed(place, "argnums")?.it.initializer;
  return value !== undefined && place.ts.isArrayLiteralExpression(value) ? value : null;
}

/** Removes an option; the whole argument if it is the only one. */
function withoutOption(place: Place, name: string): Fix | null {
  const found = optionNamed(place, name);
  if (found === null) return null;
  const { options, it } = found;
  const isOnly = options.properties.length === 1;
  const edit =
    isOnly && place.ts.isCallExpression(options.parent)
      ? remove<ts.Node>(place.source, options.parent.arguments, options)
      : remove<ts.Node>(place.source, options.properties, it);
  return { title: `Remove the option \`${name}\``, edits: [edit] };
}

// grad(f, 1)  ->  grad(f, { argnums: 1 })      const i = 1; { argnums: i }  ->  { argnums: 1 }
function optionInPlace(place: Place): Fix | null {
  const { ts: api, source, node } = place;
  if (api.isCallExpression(node.parent)) {
    if (!isPositions(api, node)) return null;
    const text = `{ argnums: ${node.getText(source)} }`;
    return { title: `Write \`${text}\``, edits: [replace(source, node, text)] };
  }
  const value = api.isPropertyAssignment(node.parent) ? node.parent.initializer : node;
  const text = constantText(place, value);
  if (text === null) return null;
  return { title: `Write \`${text}\` in place`, edits: [replace(source, value, text)] };
}

/** `1`, or `[0, 2]` */
const isPositions = (api: TypeScript, node: ts.Node): boolean =>
  api.isNumericLiteral(node) ||
  (api.isArrayLiteralExpression(node) && node.elements.every((one) => api.isNumericLiteral(one)));

/** The literal that a name stands for: `1` of `const which = 1`. */
function constantText({ ts: api, program }: Place, name: ts.Node): string | null {
  if (!api.isIdentifier(name)) return null;
  const declared = program.getTypeChecker().getSymbolAtLocation(name)?.valueDeclaration;
  if (declared === undefined || !api.isVariableDeclaration(declared)) return null;
  const { initializer: value } = declared;
  const isConstant = (api.getCombinedNodeFlags(declared) & api.NodeFlags.Const) !== 0;
  if (value === undefined || !isConstant) return null;
  const isLiteral =
    isPositions(api, value) ||
    api.isStringLiteral(value) ||
    value.kind === api.SyntaxKind.TrueKeyword;
  return isLiteral ? value.getText() : null;
}

function lastArgument({ ts: api, source, diagnostic, node }: Place): Fix | null {
  const last = /\d+$/.exec(diagnostic.help)?.[0];
  if (last === undefined || !api.isNumericLiteral(node)) return null;
  return {
    title: `Use argument ${last}, the last one`,
    edits: [replace(source, node, last)],
  };
}

function argumentOnce(place: Place): Fix | null {
  const { source } = place;
  const list = argnumsAt(place);
  if (list === null) return null;
  const texts = list.elements.map((one) => one.getText(source));
  const once = [...new Set(texts)];
  return {
    title: "List each argument once",
    edits: [replace(source, list, `[${once.join(", ")}]`)],
  };
}

/** The option that is nearest in spelling, or none. */
function knownOption(place: Place): Fix | null {
  const { source, node, diagnostic } = place;
  const written = node.getText(source).replace(/["']/g, "");
  const known = [...diagnostic.help.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name);
  const near = (name: string): number => distance(written.toLowerCase(), name.toLowerCase());
  const [best] = known.sort((x, z) => near(x) - near(z));
  if (best === undefined || near(best) > 2) return withoutOption(place, written);
  return { title: `Write \`${best}\``, edits: [replace(source, node, best)] };
}

// (k) => grad((x) => k * x)  ->  (k) => { return grad((x) => k * x); }
function blockBody({ ts: api, source, node }: Place): Fix | null {
  const call = api.findAncestor(node, api.isCallExpression);
  const arrow = api.findAncestor(
    call,
    (one): one is ts.ArrowFunction => api.isArrowFunction(one) && !api.isBlock(one.body),
  );
  if (arrow === undefined) return null;
  const text = bareText(api, source, arrow.body);
  return {
    title: "Use a block body",
    edits: [replace(source, arrow.body, `{\n  return ${text};\n}`)],
  };
}

function bareText(api: TypeScript, source: ts.SourceFile, body: ts.Node): string {
  return api.isParenthesizedExpression(body)
    ? body.expression.getText(source)
    : body.getText(source);
}

// grad(model.loss)  ->  grad((x: number[]) => model.loss(x))
function arrowFunction({ ts: api, source, program, node }: Place): Fix | null {
  const member = api.findAncestor(node, api.isPropertyAccessExpression);
  if (member === undefined) return null;
  const checker = program.getTypeChecker();
  const [signature] = checker.getTypeAtLocation(member).getCallSignatures();
  if (signature === undefined || signature.typeParameters !== undefined) return null;
  const params = signature.parameters.map((symbol) => ({
    name: symbol.name,
    type: checker.typeToString(checker.getTypeOfSymbolAtLocation(symbol, member)),
  }));
  const listed = params.map(({ name, type }) => `${name}: ${type}`).join(", ");
  const passed = params.map(({ name }) => name).join(", ");
  return {
    title: "Call the method in an arrow function",
    edits: [replace(source, member, `(${listed}) => ${member.getText(source)}(${passed})`)],
  };
}

// const { grad } = await import("tsgrad");  ->  import { grad } from "tsgrad";
function staticImport(place: Place): Fix | null {
  const { ts: api, source } = place;
  const statement = around(place, api.isVariableStatement);
  if (statement === undefined || statement.declarationList.declarations.length > 1) return null;
  const [declared] = statement.declarationList.declarations;
  const module = /["']([\w@/-]+)["']/.exec(declared?.initializer?.getText(source) ?? "")?.[1];
  if (declared === undefined || module === undefined) return null;
  if (!api.isObjectBindingPattern(declared.name)) return null;
  const names = declared.name.elements.map((one) => one.getText(source).replace(/\s*:\s*/, " as "));
  const text = `import { ${names.join(", ")} } from "${module}";\n`;
  const gap = /^[^\S\n]*\n?/.exec(source.text.slice(statement.end))?.[0].length ?? 0;
  return {
    title: `Import \`${module}\` at the top of the file`,
    edits: [
      insert(source.getStart(), text),
      { start: statement.getFullStart(), end: statement.end + gap, text: "\n" },
    ],
  };
}

// grad(f)  ->  vjp(f)
function pullback(place: Place): Fix | null {
  const { ts: api, source } = place;
  const call = around(place, api.isCallExpression);
  if (call === undefined || !api.isIdentifier(call.expression)) return null;
  const imports = importName(api, source, "tsgrad", "vjp");
  if (imports === null) return null;
  return { title: "Use `vjp`", edits: [...imports, replace(source, call.expression, "vjp")] };
}

// a.subarray(i, j)  ->  a.slice(i, j)
function copyOfPart(place: Place): Fix | null {
  const { ts: api, source, node } = place;
  const call = api.isCallExpression(node) ? node : around(place, api.isCallExpression);
  const callee = call?.expression;
  if (callee === undefined || !api.isPropertyAccessExpression(callee)) return null;
  if (callee.name.text !== "subarray") return null;
  return {
    title: "Copy the part with `slice`",
    edits: [replace(source, callee.name, "slice")],
  };
}

/** Leaves an argument whose derivative is zero out of `argnums`. */
function withoutArgument(place: Place): Fix | null {
  const { ts: api, source, program, diagnostic, node } = place;
  const name = /with respect to `(\w+)`/.exec(diagnostic.message)?.[1];
  const list = argnumsAt(place);
  const call = api.isCallExpression(node) ? node : around(place, api.isCallExpression);
  const [target] = call?.arguments ?? [];
  if (name === undefined || list === null || target === undefined) return null;
  const [signature] = program.getTypeChecker().getTypeAtLocation(target).getCallSignatures();
  const position = signature?.parameters.findIndex((param) => param.name === name) ?? -1;
  const item = list.elements.find((one) => one.getText(source) === String(position));
  if (item === undefined || list.elements.length < 2) return null;
  return {
    title: `Leave \`${name}\` out of \`argnums\``,
    edits: [remove<ts.Node>(source, list.elements, item)],
  };
}
