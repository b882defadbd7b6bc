// The packed tarball beside every TypeScript and ts-patch that tsgrad supports. What they must agree on is the
// emitted text, so one small program is enough.

import { existsSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { install, pack } from "./install.ts";
import type { Sandbox } from "../hosts/sandbox.ts";

const files = {
  "src/cube.ts": `export function cube(x: number): number {\n  return x * x * x;\n}\n`,
  "src/main.ts": `import { grad } from "tsgrad";\nimport { cube } from "./cube.js";\ndeclare const console: { log(x: number): void };\nconsole.log(grad(cube)(2));\n`,
  "tsconfig.json": JSON.stringify({
    compilerOptions: {
      target: "es2022",
      lib: ["es2022"],
      module: "nodenext",
      rootDir: "src",
      outDir: "dist",
      strict: true,
      types: [],
      plugins: [{ transform: "tsgrad/transform", transformProgram: true }],
    },
    include: ["src"],
  }),
};

let tarball = "";
let emitted = "";
beforeAll(() => {
  tarball = pack();
});

const result = (box: Sandbox): string => box.run(box.at("dist/main.js")).out.trim();

test.each([
  ["typescript@5.9.3", "ts-patch@3.3.0"],
  ["typescript@6.0.3", "ts-patch@4.0.1"],
])("%s with %s", (...packages) => {
  const box = install(tarball, packages, files);
  expect(existsSync(box.at("node_modules/tsgrad/node_modules/typescript"))).toBe(false); // shared, not nested
  expect(box.run(box.at("node_modules/ts-patch/bin/tspc.js"), "-p", ".")).toEqual({
    code: 0,
    out: "",
  });
  expect(result(box)).toBe("12");
  emitted ||= box.read("dist/cube.js");
  expect(box.read("dist/cube.js")).toBe(emitted);
});

test("a persistent patch of ts-patch, then plain tsc, and the command beside it", () => {
  const box = install(tarball, ["typescript@6.0.3", "ts-patch@3.3.0"], files);
  expect(box.run(box.at("node_modules/ts-patch/bin/ts-patch.js"), "install", "-s").code).toBe(0);
  expect(box.run(box.at("node_modules/typescript/bin/tsc"), "-p", ".")).toEqual({
    code: 0,
    out: "",
  });
  expect(result(box)).toBe("12");
  expect(
    box.run(box.at("node_modules/.bin/tsgrad"), "build", "-p", ".", "--outDir", "cli"),
  ).toEqual({ code: 0, out: "" });
  expect(box.read("cli/cube.js")).toBe(box.read("dist/cube.js"));
});

test("a user on TypeScript 7 checks with it, and builds with the command", () => {
  const box = install(tarball, ["typescript@7.0.2"], files);
  expect(box.run(box.at("node_modules/.bin/tsc"), "--version").out).toContain("7.0.2");
  expect(box.run(box.at("node_modules/.bin/tsc"), "-p", ".", "--noEmit")).toEqual({
    code: 0,
    out: "",
  });
  expect(box.run(box.at("node_modules/.bin/tsgrad"), "build", "-p", ".")).toEqual({
    code: 0,
    out: "",
  });
  expect(result(box)).toBe("12");
  if (emitted !== "") expect(box.read("dist/cube.js")).toBe(emitted);
});
