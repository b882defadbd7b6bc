// What `tsgrad emit` and `tsgrad explain` print. In: a host, a file and a function. Out: text.
// Invariant: the text describes what `analyse` emits for the same host.

import { analyse, type Host } from "./analyse.ts";

/** The derivative code in `file`, or the part that belongs to `fn`; empty where there is none. */
export function sourceOf(host: Host, file: string, fn?: string): string {
  const inserted = (analyse(host).edits.get(file) ?? []).map((edit) => edit.text.trim()).filter((text) => /^(?:export )?(?:type|function|const) /m.test(text));
  if (fn === undefined) return inserted.join("\n\n");
  return inserted
    .flatMap((text) => text.split(/\n(?=(?:export )?(?:type|function|const) )/))
    .filter((text) => text.replace(/^export /, "").replace(/^(?:type|function|const) /, "").startsWith(`${fn}$`))
    .join("\n");
}

export function explain(_host: Host, _file: string, fn: string): string {
  return `tsgrad cannot explain '${fn}' yet.`;
}
