// What generated code calls things of the standard library. In: text that names them, and the names that mean something else where it stands. Out: the text with
// those written `globalThis.Math`. Invariant: quoted text, fields and keys keep their bytes.

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
