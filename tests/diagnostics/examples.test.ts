// The examples of the diagnostics' pages. In: the registry. Out: what the static engine says of
// them. What is called wrong has the page's code, and what is offered in its place has not.

import { describe, expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { REGISTRY } from "../../transformer/diagnostics/registry.ts";
import { programOf } from "../program.ts";

/** Pages whose mistake is not in one file, with what it takes. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  TSG1014: "an installed package",
  TSG1017: "an installed package",
  TSG1303: "an installed package",
  TSG8005: "an option of tsconfig.json",
};

const NAMES =
  "checkpoint customJvp customVjp defineDerivative delta derivativeSource differentiable grad hessian hvp inspect jacfwd jacrev jvp linearize scan stopGradient transpose valueAndGrad vjp vmap".split(
    " ",
  );

/** Whether an example asks for a derivative; the others are single statements. */
const calls = (example: string): boolean =>
  new RegExp(`\\b(${NAMES.join("|")})\\(`, "u").test(example);

/** The example as a module. One without a call of a derivative has its last function asked for. */
function moduleOf(example: string): string {
  const last = [...example.matchAll(/^(?:const|let|function) (\w+)/gmu)].at(-1)?.[1] ?? "";
  const isAsked =
    /(?<!\.)\b(grad|hessian|hvp|jacfwd|jacrev|jvp|vjp|valueAndGrad|delta|vmap|derivativeSource)\((?!\()/u.test(
      example,
    );
  const names = NAMES.filter(
    (name) => name === "grad" || new RegExp(`\\b${name}\\b`, "u").test(example),
  );
  const head = /^import .*"tsgrad"/mu.test(example)
    ? ""
    : `import { ${names.join(", ")} } from "tsgrad";\n`;
  return `${head}${example}\n${isAsked ? "" : `grad(${last});\n`}export {};\n`;
}

/** What is said where the Delta engine takes a call. */
const OF_DELTA: ReadonlySet<string> = new Set(["TSG8007"]);

function codesOf(example: string, about: string): readonly string[] {
  const engine = OF_DELTA.has(about) ? {} : { engine: "static" as const };
  const host = { ...programOf({ "/a.ts": moduleOf(example) }), ...engine };
  return analyse(host).diagnostics.map(({ code }) => code);
}

const EXAMPLES = Object.entries(REGISTRY)
  .filter(
    ([code, { bad, raisedBy }]) =>
      raisedBy !== "runtime" && ELSEWHERE[code] === undefined && calls(bad),
  )
  .map(([code, { bad, good }]): [string, string, string] => [code, bad, good]);

describe("pages of diagnostics", () => {
  test.each(EXAMPLES)("%s", (code, bad, good) => {
    expect(codesOf(bad, code)).toContain(code);
    expect(codesOf(good, code)).not.toContain(code);
  });
});
