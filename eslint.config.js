// What the linter checks: typescript-eslint's strict rules, the sizes of STYLE.md, and who may import
// whom. Layout is Prettier's. Every rule that is off or weaker says why.

import js from "@eslint/js";
import { defineConfig, globalIgnores } from "eslint/config";
import tseslint from "typescript-eslint";

const CODE_ONLY = { skipBlankLines: true, skipComments: true };

/** Sizes. A flat exhaustive switch may be exempt, by a comment that gives the reason. */
const SIZES = {
  complexity: ["error", 15],
  "max-depth": ["error", 4],
  "max-params": ["error", 5],
  "max-lines-per-function": ["error", { max: 60, ...CODE_ONLY }],
  "max-lines": ["error", { max: 400, ...CODE_ONLY }],
};

const off = (...rules) => Object.fromEntries(rules.map((rule) => [rule, "off"]));
const typed = (...rules) => rules.map((rule) => `@typescript-eslint/${rule}`);

/** Rules about values of type `any`. */
const UNSAFE = typed(
  "no-unsafe-argument",
  "no-unsafe-assignment",
  "no-unsafe-call",
  "no-unsafe-member-access",
  "no-unsafe-return",
);

const PHASES = ["1-lower", "2-analyse", "3-differentiate", "4-optimise", "5-emit"];

/** What each part of transformer/ may import beside itself. A phase imports no other phase. */
const MAY_IMPORT = {
  hosts: ["analyse", "explain", "diagnostics", "ir", "code", "syntax"],
  analyse: ["pipeline", "incremental", "diagnostics", "ir"],
  incremental: ["pipeline", "driver", "1-lower", "diagnostics", "ir"],
  explain: ["analyse", "pipeline", "driver", "diagnostics", "ir"],
  driver: [...PHASES, "delta", "rules", "ir", "diagnostics", "code", "syntax"],
  ...Object.fromEntries(PHASES.map((phase) => [phase, ["rules", "ir", "diagnostics", "code"]])),
  "1-lower": ["rules", "ir", "diagnostics", "code", "syntax"],
  delta: ["rules", "ir", "diagnostics", "code", "syntax"],
  rules: ["ir", "diagnostics"],
  ir: ["diagnostics", "code"],
  diagnostics: [],
  code: [],
  syntax: [],
};
const PARTS = [...Object.keys(MAY_IMPORT), "pipeline"];

/** Parts that get the compiler's API as a parameter, and may name its types. */
const KNOWS_TYPESCRIPT = [
  ...["1-lower", "hosts", "delta", "driver", "syntax"],
  ...["analyse", "explain", "incremental"],
];

const forbidden = (regex, message, allowTypeImports = false) => ({
  regex,
  message,
  allowTypeImports,
});

const PACKAGES = forbidden("^(?!\\.|typescript$)", "The core needs no package and no Node module.");
const TYPESCRIPT = forbidden(
  "^typescript$",
  "The compiler's API is a parameter; import its types alone.",
  true,
);
const NO_TYPESCRIPT = forbidden(
  "^typescript$",
  "Only the front end and the hosts know TypeScript.",
);

const restrictImports = (...patterns) => ({
  "@typescript-eslint/no-restricted-imports": ["error", { patterns }],
});

function directionOf(part) {
  const allowed = MAY_IMPORT[part];
  const others = PARTS.filter((other) => other !== part && !allowed.includes(other));
  return {
    files: [`transformer/${part}.ts`, `transformer/${part}/**/*.ts`],
    rules: restrictImports(
      forbidden(
        `^(\\./|(\\.\\./)+)(${others.join("|")})(/|\\.ts$)`,
        `${part} may not import this.`,
      ),
      ...(part === "hosts" ? [] : [PACKAGES]),
      KNOWS_TYPESCRIPT.includes(part) ? TYPESCRIPT : NO_TYPESCRIPT,
    ),
  };
}

export default defineConfig(
  globalIgnores([
    ...["dist", "fixtures", "tests/packages/fixtures", "**/.demo", "**/.out", "**/.play"],
    ...[
      "examples",
      "docs/.vitepress/cache",
      "docs/.vitepress/dist",
      "docs/.vitepress/playground/examples",
    ],
  ]),
  js.configs.recommended,
  { rules: { "one-var": ["error", "never"], ...SIZES } },
  {
    files: ["**/*.{js,mjs}"],
    // The type checker knows Node's globals; without it every one would have to be listed.
    rules: off("no-undef"),
  },
  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      // A number in a template prints as one expects; objects stay forbidden.
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      // `(x) => print(x)` is as clear as the same with braces.
      "@typescript-eslint/no-confusing-void-expression": [
        "error",
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      // Stubs declare parameters for their types alone; they begin with `_`.
      "@typescript-eslint/no-unused-vars": [
        "error",
        { argsIgnorePattern: "^_", ignoreRestSiblings: true },
      ],
      // TypeScript's API is an object of functions that use no `this`.
      "@typescript-eslint/unbound-method": "off",
      // `NodeFlags.Using` is compared with flags, as TypeScript's own code does.
      "@typescript-eslint/no-unsafe-enum-comparison": "off",
      // `{}` is the default of options that are absent, and means "no option".
      "@typescript-eslint/no-empty-object-type": ["error", { allowObjectTypes: "always" }],
      // A parameter of a type may be there for users to name, or to infer a literal.
      "@typescript-eslint/no-unnecessary-type-parameters": "off",
      // Host versions differ in what they call deprecated; tests hold each supported version.
      "@typescript-eslint/no-deprecated": "off",
      // Text that comes from a program may hold any character.
      "no-control-regex": "off",
    },
  },
  ...Object.keys(MAY_IMPORT).map(directionOf),
  {
    files: ["transformer/pipeline.ts"],
    rules: restrictImports(PACKAGES, TYPESCRIPT),
  },
  ...["forward", "reverse"].map((engine) => ({
    files: [`transformer/3-differentiate/${engine}/**/*.ts`],
    rules: {
      "no-restricted-imports": [
        "error",
        {
          patterns: [
            {
              regex: `/(${engine === "forward" ? "reverse" : "forward"})/`,
              message: "The two modes do not know each other.",
            },
          ],
        },
      ],
    },
  })),
  {
    files: ["runtime/**/*.ts"],
    rules: restrictImports(
      forbidden("^[^.]|transformer/", "The run time imports nothing but itself."),
    ),
  },
  {
    // Rewritten code has no types: values are `Value`, which is `any` and says why. It passes each
    // value and its id as flat parameters, since an object per value would cost ten times as much.
    files: ["runtime/delta/**/*.ts"],
    rules: off(
      "max-params",
      ...UNSAFE,
      ...typed("no-explicit-any", "restrict-plus-operands", "no-unnecessary-condition"),
      ...typed("no-dynamic-delete", "no-extraneous-class", "no-invalid-void-type"),
      "prefer-rest-params",
    ),
  },
  {
    // The site's packages are installed by `npm run docs`, which also checks types. Rules that need
    // types would fail without them.
    files: ["docs/**/*.ts"],
    extends: [tseslint.configs.disableTypeChecked],
  },
  {
    // Tests load compiled programs, whose exports have no types, and run text as code. They ask
    // whether something is undefined although its type says that it is not.
    files: ["tests/**/*.ts"],
    rules: {
      ...off(
        ...UNSAFE,
        ...typed("no-implied-eval", "no-explicit-any", "restrict-plus-operands", "require-await"),
        ...typed("no-dynamic-delete", "no-extraneous-class", "no-invalid-void-type"),
        ...typed("no-unnecessary-condition", "no-meaningless-void-operator"),
        "prefer-rest-params",
        // A `describe` holds the tests of a file, and a table of cases is as long as its cases.
        "max-lines-per-function",
        "max-lines",
      ),
      // Generators of random programs choose among many forms in one function.
      complexity: ["error", 25],
      "max-params": ["error", 8],
    },
  },
);
