import { describe, expect, it } from "vitest";
import { Edits, firstStatement } from "../../transformer/5-emit/edits.ts";
import { emit, type EmitInput } from "../../transformer/5-emit/emit.ts";
import type { CallSite, Derived } from "../../transformer/ir/facts.ts";
import { parse } from "../../transformer/ir/parse.ts";
import type { Program } from "../../transformer/ir/types.ts";

const NOWHERE = { file: "", start: 0, end: 0 };

interface Wanted {
  readonly files: Readonly<Record<string, string>>;
  readonly ir: string;
  /** `grad(f)` as it stands in a file -> the derived function it gets. */
  readonly sites: readonly {
    readonly file: string;
    readonly call: string;
    readonly gets: string;
    readonly form?: CallSite["form"];
  }[];
  readonly homes?: Readonly<
    Record<
      string,
      {
        readonly file: string;
        readonly before?: string;
        readonly indent?: string;
        readonly exportName?: string;
      }
    >
  >;
}

function programOf(wanted: Wanted): Program {
  const parsed = parse(wanted.ir);
  const homes = new Map(
    [...parsed.funcs.keys()].map((key) => {
      const given =
        wanted.homes?.[key] ??
        Object.entries(wanted.homes ?? {}).find(([name]) => key.startsWith(`${name}$`))?.[1];
      const file = given?.file ?? "main.ts";
      const text = wanted.files[file] ?? "";
      const at =
        given?.before === undefined
          ? text.length
          : text.indexOf(given.before) + given.before.length - 1;
      return [
        key,
        {
          file,
          name: key.split("$", 1)[0] ?? key,
          at,
          scope: given?.before === undefined ? ("module" as const) : ("block" as const),
          indent: given?.indent ?? "",
          origin: NOWHERE,
          ...(given?.exportName === undefined ? {} : { exportName: given.exportName }),
        },
      ];
    }),
  );
  return { ...parsed, homes };
}

function editsOf(input: EmitInput): ReturnType<Edits["all"]> {
  const edits = new Edits(input.files);
  emit(input, edits);
  return edits.all();
}

function inputOf(wanted: Wanted): EmitInput {
  const program = programOf(wanted);
  const derived = [...program.funcs.values()]
    .filter((func) => func.name.includes("$"))
    .map((func): Derived => ({ kind: "func", home: func.home, func }));
  const gets = new Map<CallSite, string>();
  const sites = wanted.sites.map(({ file, call, gets: name, form = "grad" }): CallSite => {
    const start = (wanted.files[file] ?? "").indexOf(call);
    const site = {
      form,
      origin: { file, start, end: start + call.length },
      target: "f",
      argnums: [0],
      tuple: false,
      hasAux: false,
      into: false,
      insertAt: start + call.length - 1,
      specifier: null,
    };
    gets.set(site, name);
    return site;
  });
  return {
    program,
    derived,
    sites,
    siteDerivatives: (site) => [gets.get(site) ?? ""],
    files: (file) => wanted.files[file] ?? "",
    options: { noUncheckedIndexedAccess: false },
    specifier: (_from, to) => `./${to.replace(".ts", ".js")}`,
  };
}

function edited(wanted: Wanted): Readonly<Record<string, string>> {
  const edits = editsOf(inputOf(wanted));
  return Object.fromEntries(
    Object.entries(wanted.files).map(([file, original]) => {
      let text = original;
      const all = edits.get(file) ?? [];
      expect(all.map((edit) => edit.start)).toEqual(
        all.map((edit) => edit.start).toSorted((a, b) => a - b),
      );
      expect(all.every((edit) => edit.start === edit.end)).toBe(true);
      for (const edit of all.toReversed())
        text = text.slice(0, edit.start) + edit.text + text.slice(edit.end);
      return [file, text];
    }),
  );
}

const GRAD = "func f$grad(x: num) -> num {\n  t = mul 2 x\n  yield t\n}";

describe("edits", () => {
  it("adds the derivative as a last argument and at the end of the module", () => {
    const text =
      'import { grad } from "tsgrad";\nconst f = (x: number) => x * x;\nexport const df = grad(f);\n';
    expect(
      edited({
        files: { "main.ts": text },
        ir: GRAD,
        sites: [{ file: "main.ts", call: "grad(f)", gets: "f$grad" }],
      }),
    ).toEqual({
      "main.ts":
        text.replace("grad(f)", "grad(f, f$grad)") +
        "\nfunction f$grad(x: number): number {\n  return 2 * x;\n}\n",
    });
  });

  it("imports a derivative on the line of the first statement and exports it at home", () => {
    const main =
      '#!/usr/bin/env node\n// who wrote it\n"use strict";\nimport { grad } from "tsgrad";\nimport { f } from "./lib.js";\ngrad(f);';
    expect(
      edited({
        files: { "main.ts": main, "lib.ts": "export function f(x: number) { return x * x; }" },
        ir: GRAD,
        sites: [{ file: "main.ts", call: "grad(f)", gets: "f$grad" }],
        homes: { f: { file: "lib.ts" } },
      }),
    ).toEqual({
      "main.ts": main
        .replace("import { grad }", 'import { f$grad } from "./lib.js"; import { grad }')
        .replace("grad(f)", "grad(f, f$grad)"),
      "lib.ts":
        "export function f(x: number) { return x * x; }\n\nexport function f$grad(x: number): number {\n  return 2 * x;\n}\n",
    });
  });

  it("keeps a derivative of a nested function in its block", () => {
    const main =
      "export function g(k: number) {\n  function f(x: number) { return x * x; }\n  return grad(f)(k);\n}\nconst after = 1;\n";
    expect(
      edited({
        files: { "main.ts": main },
        ir: GRAD,
        sites: [{ file: "main.ts", call: "grad(f)", gets: "f$grad" }],
        homes: { f: { file: "main.ts", before: "(k);\n}", indent: "  " } },
      })["main.ts"],
    ).toBe(
      "export function g(k: number) {\n  function f(x: number) { return x * x; }\n  return grad(f, f$grad)(k);\n" +
        "  function f$grad(x: number): number {\n    return 2 * x;\n  }\n}\nconst after = 1;\n",
    );
  });

  it("numbers a derivative whose name the user has", () => {
    const main = "const f$grad = 1, f$grad1 = 2;\ngrad(f);\n";
    expect(
      edited({
        files: { "main.ts": main },
        ir: GRAD,
        sites: [{ file: "main.ts", call: "grad(f)", gets: "f$grad" }],
      })["main.ts"],
    ).toContain("grad(f, f$grad2);\n\nfunction f$grad2(");
  });

  it("gives derivativeSource the text and emits nothing for it", () => {
    const main = "derivativeSource(f);\n";
    expect(
      edited({
        files: { "main.ts": main },
        ir: GRAD,
        sites: [
          {
            file: "main.ts",
            call: "derivativeSource(f)",
            gets: "f$grad",
            form: "derivativeSource",
          },
        ],
      })["main.ts"],
    ).toBe(
      'derivativeSource(f, "function f$grad(x: number): number {\\n  return 2 * x;\\n}\\n");\n',
    );
  });

  it("emits only what a site reaches", () => {
    const main = "grad(f);\n";
    const ir = `func unused$revf(x: num) -> num { yield x }\nfunc f$revf(x: num) -> num { yield x }\nfunc f$grad(x: num) -> num { t = call f$revf(x)\n yield t }`;
    const text = edited({
      files: { "main.ts": main },
      ir,
      sites: [{ file: "main.ts", call: "grad(f)", gets: "f$grad" }],
    })["main.ts"];
    expect(text).toContain("function f$revf(");
    expect(text).not.toContain("unused$revf");
  });

  it("calls a primal of another module by the name the user imported it under, else imports it", () => {
    const ir =
      "func g(x: num) -> num { yield x }\nfunc f$grad(x: num) -> num { t = call g(x)\n yield t }";
    const site = { file: "main.ts", call: "grad(f)", gets: "f$grad" };
    const lib = "export function g(x: number) { return x; }\n";
    const homes = { g: { file: "lib.ts", exportName: "g" } };
    const renamed = 'import { h, g as k } from "./lib.js";\ngrad(f);\n';
    expect(
      edited({ files: { "main.ts": renamed, "lib.ts": lib }, ir, sites: [site], homes })["main.ts"],
    ).toContain("return k(x);");
    const absent = edited({
      files: { "main.ts": "grad(f);\n", "lib.ts": lib },
      ir,
      sites: [site],
      homes,
    });
    expect(absent["main.ts"]).toMatch(/^import \{ g \} from "\.\/lib\.js"; grad/);
    const hidden = edited({
      files: { "main.ts": "grad(f);\n", "lib.ts": lib },
      ir,
      sites: [site],
      homes: { g: { file: "lib.ts" } },
    });
    expect(hidden["main.ts"]).toContain('import { g$value } from "./lib.js"; ');
    expect(hidden["lib.ts"]).toBe(`${lib}\nexport { g as g$value };\n`);
  });

  it("maps every line of the derivative to user code", () => {
    const edits = editsOf(
      inputOf({
        files: { "main.ts": "grad(f);\n" },
        ir: GRAD,
        sites: [{ file: "main.ts", call: "grad(f)", gets: "f$grad" }],
      }),
    );
    const code = edits.get("main.ts")?.at(-1);
    const lines = (code?.text ?? "").split("\n").filter((line) => line.trim() !== "");
    expect(code?.mappings.map(({ offset }) => code.text.slice(offset).split("\n")[0])).toEqual(
      lines.map((line) => line.trim()),
    );
  });
});

describe("first statement", () => {
  it.each([
    ['import a from "a";', "import"],
    ["#!/bin/sh\nlet a;", "let"],
    ["\uFEFF/* one */ // two\n/** three */\nlet a;", "let"],
    ["\"use strict\";\n'use client'\nlet a;", "let"],
    ['"use strict".length;', '"use strict".length'],
    ["", ""],
  ])("of %j", (text, expected) => {
    expect(text.slice(firstStatement(text)).startsWith(expected)).toBe(true);
    expect(text.slice(0, firstStatement(text))).not.toContain(expected === "" ? "x" : expected);
  });
});
