// Spells names, keys and strings as source text. In: any text, of the user's or ours. Out: text
// that means exactly that and nothing else, wherever it is inserted.

import { withoutMarks } from "./marks.ts";

/** Whether it can be written after a dot, or as a name unless it is a keyword. */
export const isIdentifier = (name: string): boolean =>
  /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u.test(name);

/** A string literal. */
export const stringText = (text: string): string => withoutMarks(JSON.stringify(text));

/** `x.k`, `x["my-key"]`; `isHidden` members of classes are read by key, which TypeScript allows. */
export const memberText = (object: string, name: string, isHidden = false): string =>
  isIdentifier(name) && !isHidden ? `${object}.${name}` : `${object}[${stringText(name)}]`;

/** The key of a property in a type, or of a member in a class: `k`, `"my-key"`. */
export const keyText = (name: string): string => (isIdentifier(name) ? name : stringText(name));

/** The key of a property in an object literal, where `__proto__: e` would set the prototype. */
export const literalKeyText = (name: string): string =>
  name === "__proto__" ? `["__proto__"]` : keyText(name);

/** `import { a, b as c } from "…"; ` */
export const importText = (names: readonly string[], specifier: string, isType = false): string =>
  `import ${isType ? "type " : ""}{ ${names.join(", ")} } from ${stringText(specifier)}; `;

/** The name in an import or export list: `a`, `a as b`. */
export const renamedText = (name: string, as: string): string =>
  name === as ? keyText(name) : `${keyText(name)} as ${keyText(as)}`;
