// A random program whose parameters and fields have names that are hard to write, or that others use. In: its text and dice.
// Out: a text of the same meaning. Invariant: all names that were equal stay equal; names that no expression can have stand
// in quotes.

import ts from "typescript";
import type { Dice } from "./random-scope.ts";

/** Names of generated code, of JavaScript's objects, of the library, and words that are keywords elsewhere. */
const NAMES: readonly string[] = [
  "x$bar",
  "f$revf",
  "$d",
  "f$grad",
  "t$1",
  "tape$1",
  "seed",
  "dot",
  "delta",
  "runtime",
  "tsgrad",
  "undefined$",
  "of",
  "get",
  "async",
  "type",
  "from",
  "as",
  "name",
  "length",
  "prototype",
  "constructor",
  "toString",
  "__proto__",
  "$",
  "_",
  "self",
  "globalThis$",
];

const FIELDS: readonly string[] = [
  "@type",
  "a-b",
  "",
  "constructor",
  "toString",
  "valueOf",
  "hasOwnProperty",
  "class",
  "default",
  "f$bar",
  "length",
  "size",
  "then",
  "1",
  "007",
  "new",
  'say "hi"',
  "it's",
  "back\\slash",
  "ünï",
];

/** Fields of the declarations around a random function that are no variables, parameters or keys as well. */
const RENAMED: readonly string[] = ["kind", "left", "right", "pts", "w", "h", "v", "hi", "inner"];

/** What calls, statements and the text of the test look for by its name. */
const KEPT: ReadonlySet<string> = new Set(["f", "n", "args", "argnums"]);

/** An inner derivative beside its closed form (`random-hostile.ts`), as code that a parser sees, and back. */
const shown = (text: string): string =>
  text.replace(
    /\/\*= (.*?) =\*\/(.*?)\/\*;\*\//gs,
    (_, derived, closed) => `inner$(${derived}, "=", ${closed})/*;*/`,
  );
const hidden = (text: string): string =>
  text.replace(
    /inner\$\((.*?), "=", (.*?)\)\/\*;\*\//gs,
    (_, derived, closed) => `/*= ${derived} =*/${closed}/*;*/`,
  );

export const renamed = (text: string, d: Dice): string => hidden(renamedCode(shown(text), d));

function renamedCode(text: string, d: Dice): string {
  const file = ts.createSourceFile("program.ts", text, ts.ScriptTarget.ES2023, true);
  const head = file.statements.find(
    (one): one is ts.FunctionDeclaration => ts.isFunctionDeclaration(one) && one.name?.text === "f",
  );
  if (head === undefined) return text;
  const free = NAMES.filter((name) => !mentions(text, name));
  const spare = FIELDS.filter((name) => !text.includes(JSON.stringify(name)));
  const taken = (all: string[]): string | undefined => all.splice(d.below(all.length), 1)[0];
  const names = new Map<string, string>();
  for (const { name } of head.parameters)
    if (ts.isIdentifier(name) && !KEPT.has(name.text) && d.chance(0.5))
      names.set(name.text, taken(free) ?? name.text);
  const fields = new Map<string, string>();
  for (const name of RENAMED) if (d.chance(0.5)) fields.set(name, taken(spare) ?? name);
  const written = changesOf(file, head, { names, fields });
  return written.reduceRight(
    (result, { from, to, by }) => result.slice(0, from) + by + result.slice(to),
    text,
  );
}

const mentions = (text: string, name: string): boolean =>
  text.split(/[^\w$]+/).includes(name) || text.includes(`${name}$`);

interface Change {
  readonly from: number;
  readonly to: number;
  readonly by: string;
}

interface Names {
  /** Of parameters of `f`, within `f`. */
  readonly names: ReadonlyMap<string, string>;
  /** Of fields, everywhere. */
  readonly fields: ReadonlyMap<string, string>;
}

/** In the order of the text. */
function changesOf(file: ts.SourceFile, f: ts.Node, { names, fields }: Names): readonly Change[] {
  const changes: Change[] = [];
  const put = (node: ts.Node, by: string): void => {
    changes.push({ from: node.getStart(file), to: node.end, by });
  };
  const quoted = (name: string): string => JSON.stringify(fields.get(name) ?? name);
  const variable = (name: string, isInside: boolean): string =>
    (isInside ? names.get(name) : undefined) ?? name;
  const visit = (node: ts.Node, isInside: boolean): void => {
    const isIn = isInside || node === f;
    if (ts.isIdentifier(node)) {
      const { parent } = node;
      if (ts.isShorthandPropertyAssignment(parent))
        put(node, shorthand(quoted, node.text, variable(node.text, isIn), fields));
      else if (ts.isBindingElement(parent) && isShorthandBinding(parent, node))
        put(node, shorthand(quoted, node.text, variable(node.text, isIn), fields));
      else if (isFieldName(node)) {
        if (fields.has(node.text)) put(node, quoted(node.text));
      } else if (isIn && names.has(node.text)) put(node, variable(node.text, true));
      return;
    }
    if (ts.isPropertyAccessExpression(node) && fields.has(node.name.text)) {
      visit(node.expression, isIn);
      changes.push({
        from: node.expression.end,
        to: node.end,
        by: `${node.questionDotToken === undefined ? "" : "?."}[${quoted(node.name.text)}]`,
      });
      return;
    }
    ts.forEachChild(node, (child) => visit(child, isIn));
  };
  visit(file, false);
  return changes.sort((a, b) => a.from - b.from);
}

/** `{ x }`, with the field and the variable under their new names. */
function shorthand(
  quoted: (name: string) => string,
  field: string,
  variable: string,
  fields: ReadonlyMap<string, string>,
): string {
  if (fields.has(field)) return `${quoted(field)}: ${variable}`;
  return field === variable ? field : `${field}: ${variable}`;
}

const isShorthandBinding = (element: ts.BindingElement, name: ts.Node): boolean =>
  element.name === name &&
  element.propertyName === undefined &&
  element.dotDotDotToken === undefined &&
  ts.isObjectBindingPattern(element.parent);

/** A name that is a key: of a type, a literal, a class, a pattern. */
function isFieldName(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.name === node;
  if (ts.isBindingElement(parent)) return parent.propertyName === node;
  return (
    (ts.isPropertySignature(parent) ||
      ts.isPropertyAssignment(parent) ||
      ts.isPropertyDeclaration(parent) ||
      ts.isMethodDeclaration(parent) ||
      ts.isAccessor(parent)) &&
    parent.name === node
  );
}
