// What the linter checks: typescript-eslint's strict rules, the sizes of STYLE.md, and who may import
// whom. Layout is Prettier's. Every rule that is off or weaker says why.

import js from "@eslint/js";
import { defineConfig, globalIgnores } from "eslint/config";
import tseslint from "typescript-eslint";

const CODE_ONLY = { skipBlankLines: true, skipComments: true };

/** Sizes. A flat exhaustive switch may be exempt where a comment gives the reason. */
const SIZES = {
  complexity: ["error", 15],
  "max-depth": ["error", 4],
  "max-params": ["error", 5],
  "max-lines-per-function": ["error", { max: 60, ...CODE_ONLY }],
  "max-lines": ["error", { max: 400, ...CODE_ONLY }],
};
const NO_SIZES = Object.fromEntries(Object.keys(SIZES).map((rule) => [rule, "off"]));

const UNSAFE = ["argument", "assignment", "call", "member-access", "return"];
const NO_UNSAFE = Object.fromEntries(
  UNSAFE.map((what) => [`@typescript-eslint/no-unsafe-${what}`, "off"]),
);

const PHASES = ["1-lower", "2-analyse", "3-differentiate", "4-optimise", "5-emit"];
const FILES_OF_THE_CORE = [
  "analyse",
  "arrays",
  "closed",
  "engines",
  "groups",
  "problems",
  "realise",
];

/** What each part of transformer/ may import beside itself. */
const MAY_IMPORT = {
  hosts: ["analyse", "explain", "diagnostics", "ir"],
  analyse: ["pipeline", "kept", "diagnostics", "ir"],
  kept: ["pipeline", "1-lower", "diagnostics", "ir"],
  explain: ["analyse", "arrays", "pipeline", "diagnostics", "ir"],
  ...Object.fromEntries(PHASES.map((phase) => [phase, ["rules", "ir", "diagnostics"]])),
  arrays: ["2-analyse", "3-differentiate", "4-optimise", "ir", "diagnostics"],
  closed: ["ir", "diagnostics"],
  groups: ["ir"],
  problems: ["3-differentiate", "ir", "diagnostics"],
  realise: ["ir"],
  engines: ["1-lower", "delta", "diagnostics"],
  delta: ["rules", "ir", "diagnostics"],
  rules: ["ir", "diagnostics"],
  ir: ["diagnostics"],
  diagnostics: [],
};

export default defineConfig(
  globalIgnores(["dist", "fixtures", "tests/packages/fixtures", "**/.demo", "**/.out", "**/.play"]),
  js.configs.recommended,
  { rules: { "one-var": ["error", "never"], ...SIZES } },
  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      // A number in a template prints as one expects; objects stay forbidden.
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      // `(x) => print(x)` says that a value of `print` is not used as clearly as braces do.
      "@typescript-eslint/no-confusing-void-expression": [
        "error",
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      "@typescript-eslint/no-unused-vars": [
        "error",
        { argsIgnorePattern: "^_", ignoreRestSiblings: true },
      ],
      "@typescript-eslint/no-unnecessary-condition": [
        "error",
        { allowConstantLoopConditions: true },
      ],
    },
  },
);
