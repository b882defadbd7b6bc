// Members of packages' classes that take other types in other calls. In: classes in plain JavaScript
// with declarations, and programs that call them. Out: gradients against central differences of the
// packages' own functions, and which engine takes the program. Where a value contradicts its type,
// an error is right, too; another number is not.

import { beforeAll, describe, expect, test } from "vitest";
import { type Built, built, engineOf, expectGradient, programOf } from "./built.ts";
import { BODIES, packageOf } from "./fixtures/bodies.ts";

const AT = [0.7, 1.9, 2.3];
const CASES = BODIES.flatMap((one, i) =>
  one.bodies.map((body, j) => ({ ...{ one, body, i }, file: `src/case${i}-${j}.ts` })),
);

let result: Built = { errors: [], made: new Map() };

beforeAll(async () => {
  const packages = BODIES.map((one, i) => packageOf(one, `pack${i}`));
  const programs = CASES.map(({ one, body, i, file }) => {
    const names = (one.exports ?? ["V"]).filter((name) =>
      `${body} ${one.before ?? ""}`.includes(name),
    );
    return [programOf(file, `import { ${names.join(", ")} } from "pack${i}";`, body, one.before)];
  });
  result = await built(Object.assign({}, ...packages), programs);
});

test("everything builds", () => {
  expect(result.errors).toEqual([]);
});

describe.each(CASES.map((each) => [`${each.one.what}: ${each.body}`, each] as const))(
  "%s",
  (_, { one, file }) => {
    test("the gradient", () => {
      const { module, text } = result.made.get(file) ?? {};
      if (module === undefined || text === undefined) throw new Error("not built");
      const { engine = "static" } = one;
      if (engine !== "either") expect(engineOf(text)).toBe(engine);
      if (one.mayThrow === true && throws(() => module.d([...AT]))) return;
      expectGradient(module, AT);
    });
  },
);

function throws(run: () => unknown): boolean {
  try {
    run();
    return false;
  } catch {
    return true;
  }
}
