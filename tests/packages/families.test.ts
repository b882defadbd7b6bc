// Classes of packages that others derive from: a copy of the base must not stand for what overrides
// it. In: packages that derive and override in many ways, and programs that use them. Out: gradients
// against central differences of the packages' own functions, and which engine takes a new instance.

import { beforeAll, describe, expect, test } from "vitest";
import { type Built, built, engineOf, expectGradient, type Program, programOf } from "./built.ts";
import { FAMILIES, packageOf } from "./fixtures/families.ts";

const AT = [0.7, 1.9];

/** Programs with a derived class that they make themselves, or that the package makes. */
const USES: readonly { readonly what: string; readonly before?: string; readonly body: string }[] =
  [
    { what: "made", body: "made(x[0]!).twice() * x[1]!" },
    {
      what: "held",
      before: "const held: Base = made(2), list: readonly Base[] = [made(3), new Base(4)];",
      body: "list.reduce((s, b) => s + b.area() * x[0]! + b.twice() * x[1]!, held.twice() * x[0]!)",
    },
    {
      what: "the program's own",
      before: "class Mine extends Base { area(): number { return this.k ** 3; } }",
      body: "(x[0]! > 0 ? new Mine(x[0]!) : new Base(x[1]!)).twice()",
    },
    {
      what: "new",
      body: "[new Square(x[0]!), new Base(x[1]!)].reduce((s, b: Base) => s + (b instanceof Square ? 3 : x[1]!) * b.twice(), 0)",
    },
  ];

const CASES = FAMILIES.flatMap((family, i) =>
  USES.filter(
    ({ body }) => !body.includes("Square") || family.exports?.includes("Square") !== false,
  ).map((use, j) => ({ ...{ family, use, from: `family${i}`, file: `src/case${i}-${j}.ts` } })),
);

const textOf = ({ use: { before = "", body }, from, file }: (typeof CASES)[number]): Program => {
  const names = ["Base", "Square", "made"].filter((each) => `${before} ${body}`.includes(each));
  return programOf(file, `import { ${names.join(", ")} } from "${from}";`, body, before);
};

let result: Built = { errors: [], made: new Map() };

beforeAll(async () => {
  const packages = FAMILIES.flatMap((family, i) =>
    Object.entries(packageOf(family, `family${i}`)).map(
      ([name, text]) => [`family${i}/${name}`, text] as const,
    ),
  );
  const groups = FAMILIES.map((family) => CASES.filter((one) => one.family === family).map(textOf));
  result = await built(Object.fromEntries(packages), groups);
});

test("everything builds", () => {
  expect(result.errors).toEqual([]);
});

describe.each(CASES.map((one) => [`${one.family.what}: ${one.use.what}`, one] as const))(
  "%s",
  (_, one) => {
    test("the gradient", () => {
      const { module, text } = result.made.get(one.file) ?? {};
      if (module === undefined || text === undefined) throw new Error("not built");
      expectGradient(module, AT);
      if (one.use.what === "new") expect(engineOf(text)).toBe(one.family.engine);
    });
  },
);
