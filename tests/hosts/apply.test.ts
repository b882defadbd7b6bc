import { describe, expect, test } from "vitest";
import { applyEdits, endToOriginal, originOf, toOriginal } from "../../transformer/hosts/apply.ts";

const insert = (at: number, text: string) => ({ start: at, end: at, text, mappings: [] });

describe("applyEdits", () => {
  test("inserts, replaces and removes, and keeps every other byte", () => {
    const text = "one two\r\nthree\n";
    const edited = applyEdits("a.ts", text, [
      insert(0, "<"),
      { start: 4, end: 7, text: "TWO", mappings: [] },
      { start: 9, end: 11, text: "", mappings: [] },
      insert(15, ">"),
    ]);
    expect(edited.text).toBe("<one TWO\r\nree\n>");
  });

  test("two insertions at one place keep their order", () => {
    expect(applyEdits("a.ts", "ab", [insert(1, "1"), insert(1, "2")]).text).toBe("a12b");
  });

  test.each([
    ["overlap", [{ start: 0, end: 3, text: "", mappings: [] }, insert(2, "x")]],
    ["wrong order", [insert(3, "x"), insert(2, "y")]],
    ["past the end", [insert(9, "x")]],
  ])("refuses edits that are in %s", (_, edits) => {
    expect(() => applyEdits("a.ts", "abcdef", edits)).toThrow("a.ts");
  });

  test("maps every kept character back, and no other", () => {
    const text = "function f(x) { return x; }\ngrad(f)\n";
    const edited = applyEdits("a.ts", text, [
      insert(0, "import;"),
      insert(34, ", f$grad"),
      insert(text.length, "more"),
    ]);
    const back = Array.from({ length: edited.text.length }, (_, i) => toOriginal(edited, i));
    expect(back.filter((at) => at !== null)).toEqual(
      Array.from({ length: text.length }, (_, i) => i),
    );
    expect(back.every((at, i) => at === null || text[at] === edited.text[i])).toBe(true);
    expect(toOriginal(edited, edited.text.length)).toBe(text.length);
  });

  test("the end of a span that runs over an insertion is the user's last character", () => {
    const edited = applyEdits("a.ts", "grad(f)", [insert(6, ", f$grad")]);
    expect(endToOriginal(edited, 0, edited.text.length)).toBe(7);
    expect(endToOriginal(edited, 0, edited.text.length - 1)).toBe(6);
  });

  test("generated text knows the user code it comes from", () => {
    const origin = { file: "b.ts", start: 3, end: 5 };
    const edit = { start: 2, end: 2, text: "abcd", mappings: [{ offset: 2, origin }] };
    const edited = applyEdits("a.ts", "xyz", [edit]);
    expect(originOf(edited, edit, 1)).toEqual({ file: "a.ts", start: 2, end: 2 });
    expect(originOf(edited, edit, 3)).toEqual(origin);
  });
});
