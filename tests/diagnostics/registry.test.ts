import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { pageOf } from "../../transformer/diagnostics/page.ts";
import { REGISTRY } from "../../transformer/diagnostics/registry.ts";
import { Sink } from "../../transformer/diagnostics/sink.ts";

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");

describe("the registry", () => {
  test.each(Object.entries(REGISTRY))("%s is written in the house's words", (code, entry) => {
    expect(entry.message).not.toMatch(/non-differentiable|not differentiable|gradient of/);
    expect(entry.message).not.toMatch(/\.$/);
    expect(entry.help).not.toMatch(/\.$/);
    expect(entry.severity).toBe(code.startsWith("TSG8") ? "warning" : "error");
  });

  test("the page is fresh", async () => {
    await expect(pageOf(REGISTRY)).toMatchFileSnapshot(path.join(ROOT, "docs/diagnostics.md"));
  });
});

describe("the sink", () => {
  const span = { file: "/a.ts", start: 3, end: 5 };

  test("fills in the names", () => {
    const sink = new Sink();
    expect(sink.report("TSG1005", span, [], "2")).toMatchObject({
      code: "TSG1005",
      severity: "error",
      message: "`argnums` lists argument 2 twice",
      span,
      chain: [],
    });
    expect(sink.report("TSG8002", span, [], "f", "x")).toMatchObject({
      severity: "warning",
      message:
        "the derivative of `f` with respect to `x` is always zero: the result does not depend on it",
    });
  });

  test("says one thing once per place, with the chain of the first time", () => {
    const sink = new Sink();
    sink.report("TSG1101", span, [{ text: "first", span }], "f");
    sink.report("TSG1101", span, [{ text: "second", span }], "f");
    sink.report("TSG1101", { ...span, start: 4 }, [], "f");
    sink.report("TSG1102", span, [], "f");
    expect(
      sink.diagnostics.map(({ code, chain }) => `${code} ${chain[0]?.text ?? ""}`.trim()),
    ).toEqual(["TSG1101 first", "TSG1101", "TSG1102"]);
  });
});
