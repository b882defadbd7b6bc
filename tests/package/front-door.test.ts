// The package as a stranger meets it: what npm ships, and the first minutes in an empty folder. The
// example's gradient is known in closed form.

import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { buildSync } from "esbuild";
import { beforeAll, describe, expect, test } from "vitest";
import { repository, sandbox, type Sandbox } from "../hosts/sandbox.ts";
import { install, pack } from "./install.ts";

const NODE_MODULES = path.join(repository, "node_modules");
/** k x + cos x, at x = 2 and k = 3. */
const GRADIENT = 6 + Math.cos(2);

let tarball = "";
beforeAll(() => {
  tarball = pack();
});

describe("what is shipped", () => {
  let box: Sandbox;
  beforeAll(() => {
    box = install(tarball, ["typescript@6.0.3"], {});
  });

  test("is 3 MB at most, and has a licence, a changelog and the page of diagnostics", () => {
    const folder = box.at("node_modules/tsgrad");
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
    const sizes = files.map((name) => statSync(path.join(folder, name))).filter((s) => s.isFile());
    expect(sizes.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(3e6);
    expect(files).toEqual(
      expect.arrayContaining(["LICENSE", "CHANGELOG.md", "README.md", "docs/diagnostics.md"]),
    );
  });

  test("a bundle of `grad` alone is 0.4 kB gzipped at most", () => {
    box.write({ "grad.js": `export { grad } from "tsgrad";` });
    const [file] = buildSync({
      absWorkingDir: box.dir,
      entryPoints: ["grad.js"],
      bundle: true,
      minify: true,
      format: "esm",
      write: false,
    }).outputFiles;
    expect(gzipSync(file?.contents ?? "", { level: 9 }).length).toBeLessThanOrEqual(420);
  });

  test("publint finds nothing", () => {
    const words = [path.join(NODE_MODULES, "publint/src/cli.js"), box.at("node_modules/tsgrad")];
    const { stdout, status } = spawnSync(process.execPath, [...words, "--strict"], {
      encoding: "utf8",
    });
    expect(stdout).toContain("All good!");
    expect(status).toBe(0);
  });

  test("attw finds types for every way to import", () => {
    const words = [
      path.join(NODE_MODULES, "@arethetypeswrong/cli/dist/index.js"),
      tarball,
      ...["--format", "json"],
      // Modules of user code are ES modules, which Node 20.19 and later \`require\`; tools are CommonJS.
      ...["--ignore-rules", "cjs-resolves-to-esm"],
      // no types: it is for package managers
      ...["--exclude-entrypoints", "./package.json"],
    ];
    const { stdout, status } = spawnSync(process.execPath, words, { encoding: "utf8" });
    expect(status, stdout.slice(-3000)).toBe(0);
  });

  test("types need no bundler", () => {
    const names = ["vite", "esbuild", "webpack", "jest", "testing", "implicit"];
    const imports = [...names, "vector", "tree", "delta"].map(
      (name) =>
        `import * as ${name} from "tsgrad/${name}";\nexport type T_${name} = typeof ${name};\n`,
    );
    box.write({
      "types/src/use.ts": `import tsgrad, { type Options } from "tsgrad/vite";\nimport plugin from "tsgrad/webpack";\nimport transform from "tsgrad/transform";\n${imports.join("")}export const options: Options = { packages: ["a"] };\nexport const plugins = [tsgrad(options), plugin(), transform];\n`,
      "types/tsconfig.json": JSON.stringify({
        compilerOptions: {
          target: "es2023",
          module: "nodenext",
          strict: true,
          skipLibCheck: false,
          noEmit: true,
          types: ["node"],
          typeRoots: [path.join(NODE_MODULES, "@types")],
        },
        include: ["src"],
      }),
    });
    expect(box.run(box.at("node_modules/typescript/bin/tsc"), "-p", "types")).toEqual({
      code: 0,
      out: "",
    });
  });

  test.each(["vite", "esbuild", "webpack", "bun", "jest"])(
    "tsgrad/%s by `require` and `import`; an unknown option is an error",
    (name) => {
      const call = (plugin: string): string =>
        name === "jest"
          ? `await ${plugin}.createTransformer({ transformr: "x" })`
          : name === "esbuild" // shows it as an error of the build
            ? `${plugin}({ tsConfig: "x" }).setup({ onStart: (start) => console.log(start().errors[0].text) })`
            : `${plugin}({ tsConfig: "x" })`;
      box.write({
        [`${name}.cjs`]: `const tsgrad = require("tsgrad/${name}");\n(async () => { try { ${call("tsgrad")}; } catch (e) { console.log(e.message); } })();\n`,
        [`${name}.mjs`]: `import tsgrad from "tsgrad/${name}";\ntry { ${call("tsgrad")}; } catch (e) { console.log(e.message); }\n`,
      });
      const [word, right] =
        name === "jest" ? ["transformr", "transformer"] : ["tsConfig", "tsconfig"];
      for (const ending of ["cjs", "mjs"]) {
        const { out } = box.run(box.at(`${name}.${ending}`));
        expect(out).toContain(`tsgrad/${name} has no option '${word}'; did you mean '${right}'?`);
      }
    },
  );
});

const run = (box: Sandbox, line: string): string =>
  execFileSync("sh", ["-c", line], { cwd: box.dir, encoding: "utf8", stdio: "pipe" });
const INSTALL = "npm install --prefer-offline --no-audit --no-fund --silent";

describe("from an empty folder", () => {
  test("npm init -y, tsc --init, tsgrad init --yes, build, run", () => {
    const box = sandbox({}, { stubs: false });
    run(box, "rm package.json && npm init -y");
    run(box, `${INSTALL} ${tarball}`);
    run(box, "npx tsc --init");
    run(box, "npx tsgrad init --yes --example");
    // elements of arrays, as in most code of numbers
    box.write({
      "src/dot.ts": `import { grad } from "tsgrad";\nexport function dot(a: Float64Array, b: Float64Array): number {\n  let s = 0;\n  for (let i = 0; i < a.length; i++) s += a[i] * b[i];\n  return s;\n}\nconsole.log([...grad(dot)(Float64Array.of(1, 2), Float64Array.of(3, 4))].join());\n`,
    });
    run(box, "npm run build");
    expect(run(box, "node dist/dot.js")).toBe("3,4\n");
    const [, value] = /: (\S+)\n$/.exec(run(box, "node dist/tsgrad-example.js")) ?? [];
    expect(Number(value)).toBeCloseTo(GRADIENT, 14);
    expect(run(box, "npx tsgrad doctor")).toContain("All is well.");
    expect(run(box, "npx tsgrad init")).toContain("Nothing to change.");
  });

  test("a TypeScript of the project's own: ts-patch", () => {
    const box = sandbox({}, { stubs: false });
    run(box, "rm package.json && npm init -y");
    run(box, `${INSTALL} ${tarball} && ${INSTALL} --save-dev typescript@5.9.3 && npx tsc --init`);
    run(box, "npx tsgrad init --yes --example");
    expect(box.read("package.json")).toMatch(/"ts-patch": "\^3\./);
    expect(box.read("package.json")).toContain(`"build": "tspc -p ."`);
    run(box, "npm run build");
    expect(run(box, "node dist/tsgrad-example.js")).toContain(String(GRADIENT).slice(0, 12));
    expect(run(box, "npx tsgrad doctor")).toContain("All is well.");
  });

  test("a project as create-vite makes it: TypeScript 7 beside it", () => {
    const box = sandbox(
      {
        "package.json": `{ "name": "app", "private": true, "version": "0.0.0", "type": "module", "scripts": { "dev": "vite", "build": "tsc && vite build" } }`,
        "index.html": `<!doctype html><html><body><script type="module" src="/src/main.ts"></script></body></html>`,
        "src/main.ts": `import "./tsgrad-example.ts";\n`,
        "tsconfig.json": `{\n  "compilerOptions": {\n    "target": "es2023",\n    "module": "esnext",\n    "lib": ["ES2023", "DOM"],\n    "types": ["vite/client"],\n    "skipLibCheck": true,\n\n    /* Bundler mode */\n    "moduleResolution": "bundler",\n    "allowImportingTsExtensions": true,\n    "verbatimModuleSyntax": true,\n    "moduleDetection": "force",\n    "noEmit": true,\n\n    /* Linting */\n    "noUnusedLocals": true,\n    "noUnusedParameters": true,\n    "erasableSyntaxOnly": true\n  },\n  "include": ["src"]\n}\n`,
      },
      { stubs: false },
    );
    run(box, `${INSTALL} --save-dev vite@8.3.8 typescript@7.0.2 && ${INSTALL} ${tarball}`);
    const settings = box.read("tsconfig.json");
    run(box, "npx tsgrad init --yes --example");
    expect(box.read("vite.config.js")).toContain("plugins: [tsgrad()]");
    expect(box.read("tsconfig.json")).toBe(settings);
    run(box, "npm run build");
    const [name = ""] = readdirSync(box.at("dist/assets")).filter((file) => file.endsWith(".js"));
    writeFileSync(
      box.at("bundle.mjs"),
      `globalThis.document = { createElement: () => ({ relList: { supports: () => true } }) };\nawait import("./dist/assets/${name}");\n`,
    );
    expect(run(box, "node bundle.mjs")).toContain(String(GRADIENT).slice(0, 12));
    expect(run(box, "npx tsgrad doctor")).toMatch(/static engine, by vite[^]*All is well\./);
  });
});
