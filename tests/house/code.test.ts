// Code is made in transformer/code alone. In: the sources of the two parts that emit it. Out: places
// where a string becomes code, or names and keys are spelled, otherwise.

import ts from "typescript";
import { describe, expect, test } from "vitest";
import { nodesOf, type Source, sourcesIn } from "./sources.ts";

const transformer = sourcesIn("transformer");
const delta = transformer.filter(({ name }) => name.startsWith("transformer/delta/"));

/** Parts that make code from text, and whose replacement will not. The list only gets shorter. */
const OF_TEXT = /^transformer\/delta\/(?:packages|kept)\/|\/linear\.ts$/;

/** Other files in which such text becomes code: what they get from those parts, or print. */
const BOUNDARIES = ["plan/engine-edits.ts", "rewrite.ts"].map(
  (name) => `transformer/delta/${name}`,
);

/** `text`: what every file with such a node contains, so that others need not be parsed. */
const found = (
  sources: readonly Source[],
  text: string,
  wanted: (node: ts.Node) => boolean,
): readonly string[] =>
  sources
    .filter((source) => source.text.includes(text))
    .flatMap((source) => nodesOf(source, wanted).map((one) => `${source.name}:${one}`));

const isTemplate = (node: ts.Node): node is ts.TemplateLiteral =>
  ts.isTemplateExpression(node) || ts.isNoSubstitutionTemplateLiteral(node);

/** A template that calls the run time, but is a string. */
const isGlued = (node: ts.Node): boolean =>
  isTemplate(node) &&
  !ts.isTaggedTemplateExpression(node.parent) &&
  /\$d\.\w+\(/.test(node.getText()) &&
  // what code is compared with
  !ts.isVariableDeclaration(node.parent);

const isStringOfRunTime = (node: ts.Node): boolean =>
  ts.isStringLiteral(node) && /\$d\.\w+\(.*\)/.test(node.text);

describe("code", () => {
  test("no assertion makes it outside of its folder", () => {
    const others = transformer.filter(({ name }) => !name.startsWith("transformer/code/"));
    expect(
      found(others, "as Code", (node) => ts.isAsExpression(node) && node.type.getText() === "Code"),
    ).toEqual([]);
  });

  test("text becomes code only where a part still works on text", () => {
    const others = transformer.filter(
      ({ name }) =>
        !name.startsWith("transformer/code/") && !OF_TEXT.test(name) && !BOUNDARIES.includes(name),
    );
    expect(
      found(
        others,
        "unchecked(",
        (node) => ts.isCallExpression(node) && node.expression.getText() === "unchecked",
      ),
    ).toEqual([]);
  });

  test("each of those places is one", () => {
    const used = delta.filter(({ text }) => /\bunchecked\b/.test(text)).map(({ name }) => name);
    expect(BOUNDARIES.filter((name) => !used.includes(name))).toEqual([]);
  });

  test("no call of the run time is glued", () => {
    const own = delta.filter(({ name }) => !OF_TEXT.test(name));
    expect(found(own, "$d.", (node) => isGlued(node) || isStringOfRunTime(node))).toEqual([]);
  });

  test("keys are spelled by the leaf", () => {
    const emitting = transformer.filter(({ name }) =>
      /^transformer\/(?:delta|5-emit)\//.test(name),
    );
    // a key or a name in brackets or before a colon, as text
    const isSpelled = (node: ts.Node): boolean =>
      ts.isTemplateSpan(node) && node.expression.getText().startsWith("JSON.stringify(");
    const isCacheKey = (one: string): boolean => one.includes("JSON.stringify(type)");
    expect(
      found(emitting, "{JSON.stringify(", isSpelled).filter((one) => !isCacheKey(one)),
    ).toEqual([]);
  });
});
