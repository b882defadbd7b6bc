// Text of an object literal. In: its fields' texts. Out: `{ x, y: 1, ...(z !== undefined && { z }) }`. Invariant: a field that may not be there is not there where its value is missing.

import { propertyName } from "./types/type-text.ts";

export interface FieldText {
  readonly name: string;
  readonly text: string;
  readonly mayLack?: true;
  readonly there?: string;
}

export function recordText(fields: readonly FieldText[]): string {
  if (fields.length === 0) return "{}";
  // 0, x.y and null are no names of variables
  const isVariable = (name: string): boolean =>
    /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) && !/^(?:null|true|false|this)$/.test(name);
  const written = ({ name, text }: FieldText): string =>
    name === text && isVariable(name) ? name : `${propertyName(name)}: ${text}`;
  const parts = fields.map((field) =>
    field.there !== undefined
      ? `...(${field.there} && { ${written(field)} })`
      : field.mayLack === true
        ? `...(${field.text} !== undefined && { ${written(field)} })`
        : written(field),
  );
  return `{ ${parts.join(", ")} }`;
}
