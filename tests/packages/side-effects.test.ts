// Which modules may do something to others when they are evaluated. In: package.json texts. Out: answers for files.

import { expect, test } from "vitest";
import { SideEffects } from "../../transformer/delta/packages/side-effects.ts";

const said = (sideEffects: unknown, file: string): boolean =>
  new SideEffects((name) =>
    name === "/p/node_modules/@a/b/package.json" ? JSON.stringify({ sideEffects }) : undefined,
  ).has(`/p/node_modules/@a/b/${file}`);

test.each<[unknown, string, boolean]>([
  [undefined, "index.js", true],
  [true, "index.js", true],
  [false, "index.js", false],
  [["./index.js"], "index.js", true],
  [["./index.js"], "src/index.js", false],
  [["index.js"], "src/index.js", true],
  [["./src/*.js"], "src/a.js", true],
  [["./src/*.js"], "src/b/a.js", false],
  [["src/**/*.js"], "src/b/c/a.js", true],
  [["src/**"], "src/b/c/a.js", true],
  [[], "src/a.js", false],
])("%j: %s is %s", (sideEffects, file, expected) => {
  expect(said(sideEffects, file)).toBe(expected);
});

test("what cannot be read may have effects", () => {
  expect(new SideEffects(() => "{").has("/p/node_modules/a/x.js")).toBe(true);
  expect(new SideEffects(() => undefined).has("/elsewhere/x.js")).toBe(true);
});
