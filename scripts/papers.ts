// The rows of docs/papers.md: what four papers state, and the program that holds it. In: the
// programs of fixtures/papers, whose exports `K5`, `D12`, … carry a row in the comment above.
// Out: the rows, and their tables.

import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";

export const PAPERS = "fixtures/papers";

export interface Row {
  /** `K5`: the fifth row of the first paper. */
  readonly id: string;
  readonly file: string;
  /** Where it is in the paper. */
  readonly at: string;
  readonly states: string;
  readonly state: "works" | "in another form" | "by design";
  readonly remark: string;
  /** What the emitted code of the file contains. */
  readonly emits: readonly string[];
}

const TITLES: Readonly<Record<string, string>> = {
  K: "Ellis, Peyton Jones, Fitzgibbon: Automatic differentiation in ksc",
  D: "Krawiec, Peyton Jones, Krishnaswami, Ellis, Eisenberg, Fitzgibbon: Provably correct, asymptotically efficient, higher-order reverse-mode automatic differentiation",
  H: "Huot, Shaikhha: Denotationally correct, purely functional, efficient reverse-mode automatic differentiation",
  E: "Estep: Custom derivatives of higher-order functions",
};

const ROW = /\/\*\*\n((?: \*[^\n]*\n)+) \*\/\nexport const ([KDHE]\d+) = /g;

/** All rows, by paper and number. */
export function rowsOf(root: string): readonly Row[] {
  const folder = path.join(root, PAPERS);
  const rows = readdirSync(folder)
    .filter((name) => name.endsWith(".ts"))
    .flatMap((file) =>
      [...readFileSync(path.join(folder, file), "utf8").matchAll(ROW)].map(
        ([, comment = "", id = ""]) => rowOf(id, file, comment),
      ),
    );
  const order = Object.keys(TITLES).join("");
  const place = ({ id }: Row): number => order.indexOf(id.charAt(0)) * 1000 + Number(id.slice(1));
  return rows.sort((a, b) => place(a) - place(b));
}

function rowOf(id: string, file: string, comment: string): Row {
  const lines = comment.split("\n").map((line) => line.replace(/^ \* ?/, ""));
  const emits = lines.flatMap((line) => /^Emits: (.*)$/.exec(line)?.slice(1) ?? []);
  const text = lines
    .filter((line) => !line.startsWith("Emits: "))
    .join(" ")
    .trim();
  const parts = /^(.+?) \| (.+?) (Works|In another form|By design)(?:\.|: (.*))$/.exec(text);
  if (parts === null) throw new Error(`${file}: the comment of ${id} is no row`);
  const [, at = "", states = "", state = "", remark = ""] = parts;
  return { id, file, at, states, state: stateOf(state), remark, emits };
}

function stateOf(word: string): Row["state"] {
  if (word === "Works") return "works";
  return word === "By design" ? "by design" : "in another form";
}

/** How many rows are in each state, and a table for each paper. */
export function papersPage(root: string): string {
  const rows = rowsOf(root);
  const count = (state: Row["state"]): number => rows.filter((row) => row.state === state).length;
  const counts = `Of ${rows.length} rows ${count("works")} work as the paper has them, ${count("in another form")} are there in another form, and ${count("by design")} are left out by design.`;
  const tables = Object.entries(TITLES).map(([letter, title]) =>
    [
      `## ${title}`,
      "",
      "| row | where | what is stated | state | program |",
      "|---|---|---|---|---|",
      ...rows
        .filter(({ id }) => id.startsWith(letter))
        .map(
          ({ id, at, states, state, remark, file }) =>
            `| ${[id, at, states, remark === "" ? state : `${state}: ${remark}`, `\`${file}\``].map(cell).join(" | ")} |`,
        ),
    ].join("\n"),
  );
  return [counts, ...tables].join("\n\n");
}

const cell = (text: string): string => text.replaceAll("|", "\\|");
