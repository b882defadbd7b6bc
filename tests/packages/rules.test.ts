// Rules of a package whose JavaScript is followed. In: programs that call its functions, also when
// their modules are loaded, in forms of both orders. Out: derivatives by hand, of which the rule's
// factor 7 shows that it counts.

import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { loader } from "../programs/modules.ts";
import { programOf, systemOf } from "../program.ts";

const PACKAGE = {
  "/src/node_modules/ruled/package.json": JSON.stringify({
    name: "ruled",
    type: "module",
    main: "index.js",
  }),
  "/src/node_modules/ruled/index.d.ts": `export declare const square: (x: number) => number;
export declare const twice: (f: (x: number) => number, x: number) => number;
export declare function cube(x: number): number;
`,
  "/src/node_modules/ruled/index.js": `import { customVjp } from "tsgrad";
const plain = (x) => x * x;
export const square = customVjp(plain, (x) => [plain(x), (b) => [7 * x * b]]);
export const twice = customVjp((f, x) => f(f(x)), (f, x) => {
  const [y, p] = f.vjp(x);
  return [f(y), (b) => { const [dx, df] = p(7 * b); return [df, dx]; }];
});
export function cube(x) { return square(x) * x; }
`,
};

const PROGRAMS: Readonly<Record<string, readonly [text: string, expected: number]>> = {
  "a rule": ["export const at = grad((x: number): number => square(x))(3);", 21],
  "a rule under try": [
    "export const at = grad((x: number): number => { try { return square(x); } finally { void 0; } })(3);",
    21,
  ],
  "a rule in the package": ["export const at = grad((x: number): number => cube(x))(3);", 72],
  "a rule of a function that takes functions": [
    "export const at = grad((x: number): number => twice((v) => v * x, 3))(2);",
    21,
  ],
  "second order": ["export const at = hvp((x: number): number => square(x) * x)([3], 1);", 63],
  "beside a derivative that the package's code is followed for": [
    "const f = (k: number): number => twice((x) => x * k, k);\nexport const at = grad(f)(2);\nexport const h = hvp((x: number): number => cube(x));",
    28,
  ],
};

test.each(Object.entries(PROGRAMS))("%s", (_, [text, expected]) => {
  const forms = ["grad", "hvp"].filter((form) => text.includes(`${form}(`));
  const names = ["square", "twice", "cube"].filter((name) => text.includes(`${name}(`));
  const main = `import { ${forms.join(", ")} } from "tsgrad";\nimport { ${names.join(", ")} } from "ruled";\n${text}\n`;
  const files: Record<string, string> = { ...PACKAGE, "/src/main.ts": main };
  const { edits, diagnostics } = analyse({ ...programOf(files), system: systemOf(files) });
  expect(diagnostics).toEqual([]);
  const emitted = Object.entries(files).map(
    ([file, own]) => [file, applyEdits(file, own, edits.get(file) ?? []).text] as const,
  );
  expect(loader(new Map(emitted))("/src/main.ts")["at"]).toBeCloseTo(expected, 10);
});
