// Locals for what is put aside. In: emitted lines. Out: the same without what nothing reads, of temporaries and of handles.
// Invariant: what is evaluated stays evaluated, in the same order.

import { withoutUnreadHandles } from "./handles.ts";

const NAME = /(?<![\p{ID_Continue}$])t\$\d+(?!\d)/gu;
const DECLARATION = /let t\$\d+(?:: any)?(?:, t\$\d+(?:: any)?)*; ?/g;

/** `(t$1 = e, t$2 = $d.id, t$1)  ->  (t$1 = e, t$1)` where `t$2` is not read. */
export function tidied(lines: readonly string[]): string[] {
  let text = withoutUnreadHandles(lines).join("\n");
  for (let unread = unreadIn(text); unread.size > 0; unread = unreadIn(text)) {
    text = text.replace(DECLARATION, (all) => {
      const kept = all.slice(4, all.lastIndexOf(";")).split(", ").filter((one) => !unread.has(one.replace(": any", "")));
      return kept.length === 0 ? "" : `let ${kept.join(", ")}${all.endsWith(" ") ? "; " : ";"}`;
    });
    for (const name of unread) text = text.replace(new RegExp(`, t\\${name.slice(1)} = (?:\\$d\\.id|[\\p{ID_Continue}$]+), `, "u"), ", ").replace(`(${name} = `, "(").replace(`, ${name} = `, ", ");
  }
  return text.split("\n").filter((line) => line.trim() !== "");
}

/** What is declared and written once, and nothing else. */
function unreadIn(text: string): ReadonlySet<string> {
  const uses = new Map<string, number>();
  for (const [name] of text.matchAll(NAME)) uses.set(name, (uses.get(name) ?? 0) + 1);
  return new Set([...text.matchAll(DECLARATION)].flatMap(([all]) => all.match(NAME) ?? []).filter((name) => (uses.get(name) ?? 0) <= 2));
}
