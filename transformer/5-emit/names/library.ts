// Qualifies globals of the standard library that user code shadows: `globalThis.Math`.
// Invariant: strings, fields and keys stay as they are.

export type Library = (text: string) => string;

const asItStands: Library = (text) => text;

export function libraryNames(hidden: readonly string[] = []): Library {
  if (hidden.length === 0) return asItStands;
  const names = new RegExp(
    `("(?:[^"\\\\]|\\\\.)*")|(?<![.\\p{ID_Continue}$])(${hidden.join("|")})(?![\\p{ID_Continue}$])`,
    "gu",
  );
  return (text) =>
    text.replaceAll(names, (all, _, name?: string) =>
      name === undefined ? all : `globalThis.${name}`,
    );
}
