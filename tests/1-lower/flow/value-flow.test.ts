// Value flow against runs: whatever ran at a place must be among the values of the place, and what
// was never brought there must not be. Programs are chains of the ways in `routes.ts`.

import typescript from "typescript";
import { describe, expect, test } from "vitest";
import { ValueFlow } from "../../../transformer/1-lower/flow/value-flow.ts";
import { isLong } from "../../breadth.ts";
import { programOf } from "../../program.ts";
import { WAYS } from "./routes.ts";

/** The kinds of values. `call`: how one is called. Each says its name when it runs. */
const KINDS = {
  function: {
    type: "type T = (x: number) => number;",
    make: (name: string) => `(x: number): number => hit("${name}", x)`,
    call: "(w)!(1)",
  },
  instance: {
    type: "interface T { run(x: number): number }",
    make: (name: string) =>
      `new (class { run(x: number): number { return hit("${name}", x); } })()`,
    call: "w!.run(1)",
  },
  literal: {
    type: "interface T { run(x: number): number }",
    make: (name: string) => `{ run: (x: number): number => hit("${name}", x) }`,
    call: "w!.run(1)",
  },
} as const;

/** Source text of two modules. */
interface Written {
  readonly main: string;
  readonly other: string;
}

type Kind = keyof typeof KINDS;
type Chain = readonly string[];

/** A program in which one value goes each chain of ways, and another one goes a copy of it. */
function written(kind: Kind, chains: readonly Chain[]): Written {
  const { type, make, call } = KINDS[kind];
  const outside: string[] = [];
  const other: string[] = ["export {};"];
  let count = 0;
  const along = (chain: Chain, value: string): string =>
    chain.reduce((inner, name) => {
      const way = WAYS[name];
      if (way === undefined) throw new Error(name);
      const at = count++;
      const numbered = (text: string): string => text.replaceAll(/\$(?!\{)/g, `_${at}`);
      outside.push(numbered(way.outside ?? ""));
      other.push(numbered(way.other ?? ""));
      return `((v: T) => { ${numbered(way.inside)} return w; })((${inner})!)`;
    }, value);
  const statements = chains.map(
    (chain, i) =>
      `{ const w = ${along(chain, make(`value${i}`))}; at(${i}); ${call}; void ${along(chain, make(`decoy${i}`))}; }`,
  );
  return {
    other: other.join("\n"),
    main: `import * as other from "./other";
${type}
declare const record: (name: string) => void;
declare const at: (call: number) => void;
function hit(name: string, x: number): number { record(name); return x; }
${outside.join("\n")}
${statements.join("\n")}
void other;
`,
  };
}

/** By call: the names of what ran. */
function run({ main, other }: Written): readonly ReadonlySet<string>[] {
  const hits: Set<string>[] = [];
  const record = (name: string): void => void hits.at(-1)?.add(name);
  const at = (): void => void hits.push(new Set());
  const options = {
    module: typescript.ModuleKind.CommonJS,
    target: typescript.ScriptTarget.ES2022,
    useDefineForClassFields: true,
  };
  const load = (text: string, require: (name: string) => unknown): unknown => {
    const exports = {};
    const code = typescript.transpile(text, options);
    new Function("exports", "require", "record", "at", code)(exports, require, record, at);
    return exports;
  };
  load(main, () => load(other, () => ({})));
  return hits;
}

interface Answer {
  readonly names: readonly string[];
  /** Whether code outside of the program may put something there. */
  readonly isOpen: boolean;
}

/** By call: what the analysis finds. */
function answers({ main, other }: Written): readonly Answer[] {
  const { ts: api, program } = programOf({ "main.ts": main, "other.ts": other });
  const file = program.getSourceFile("/src/main.ts");
  const flow = new ValueFlow(api, program);
  return [...(file?.statements ?? [])].filter(api.isBlock).map(({ statements: [, , call] }) => {
    if (
      call === undefined ||
      !api.isExpressionStatement(call) ||
      !api.isCallExpression(call.expression)
    )
      throw new Error("no call");
    const values = flow.valuesOf(call.expression.expression);
    return {
      names: values.flatMap(({ kind, node }) =>
        kind === "function" ? [/hit\("(\w+)"/.exec(node?.getText() ?? "")?.[1] ?? "?"] : [],
      ),
      isOpen: values.some(({ kind }) => kind === "outside"),
    };
  });
}

/** Ways that mix all values, or those of the outside. */
const IMPRECISE: ReadonlySet<string> = new Set(["thrown"]);

function check(kind: Kind, chains: readonly Chain[]): void {
  const program = written(kind, chains);
  const hits = run(program);
  const found = answers(program);
  expect(found).toHaveLength(chains.length);
  chains.forEach((chain, i) => {
    const label = `${kind}: ${chain.join(" → ")}`;
    expect([...(hits[i] ?? [])], label).toEqual([`value${i}`]);
    expect(found[i]?.names, label).toContain(`value${i}`);
    if (!chain.some((way) => IMPRECISE.has(way)))
      expect(found[i], label).toEqual({ names: [`value${i}`], isOpen: false });
  });
}

const KIND_NAMES = Object.keys(KINDS) as Kind[]; // its own keys
const NAMES = Object.keys(WAYS);

describe("what runs at a call is among the values there, and nothing else is", () => {
  test.each(KIND_NAMES)("%s: each way", (kind) =>
    check(
      kind,
      NAMES.map((name) => [name]),
    ),
  );

  test.each(KIND_NAMES)("%s: chains of ways", (kind) => {
    // steps that are coprime to the number of ways, so that each way meets many others
    const chains = (isLong ? [1, 2, 5] : [7]).flatMap((step) =>
      NAMES.filter((_, i) => isLong || i % 8 === 0).map((name, i): Chain => [
        name,
        NAMES[(i * step + step) % NAMES.length] ?? name,
        NAMES[(i + 7 * step) % NAMES.length] ?? name,
      ]),
    );
    check(kind, chains);
  });
});
