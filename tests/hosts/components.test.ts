// Script blocks of components: what is code, and where edits go. In: components. Out: modules of the
// same offsets, and edited components.

import { describe, expect, test } from "vitest";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { scriptsOf, withinBlocks } from "../../transformer/hosts/components.ts";

const VUE = `<!-- <script>no</script> -->
<script setup lang="ts" generic="T extends Array<number>">
const a = 1;
</script>
<template><p>{{ a }}</p></template>
`;

describe("a component's module", () => {
  test("has the offsets of the component, and its code alone", () => {
    const scripts = scriptsOf("/src/App.vue", VUE);
    expect(scripts?.module).toBe("/src/App.vue.ts");
    expect(scripts?.text.length).toBe(VUE.length);
    expect(scripts?.text.trim()).toBe("const a = 1;");
    expect(scripts?.text.indexOf("const a")).toBe(VUE.indexOf("const a"));
  });
  test.each([
    [`<script>let a;</script>`, ".svelte", "js"],
    [`<script lang='tsx'>let a;</script>`, ".vue", "tsx"],
    [`<script module>let b;</script>\n<script lang=ts>let a;</script>`, ".svelte", "ts"],
    [`---\nlet a;\n---\n<p />\n<script>no</script>`, ".astro", "ts"],
    [`\n---\nlet a = "---";\n---\n`, ".astro", "ts"],
  ])("%j in %s is %s", (text, ending, language) => {
    const scripts = scriptsOf(`/src/a${ending}`, text);
    expect(scripts?.module).toBe(`/src/a${ending}.${language}`);
    expect(scripts?.text).toMatch(/let a/);
    expect(scripts?.text).not.toMatch(/no|<|\n---/);
  });
  test.each([
    ["<template />", ".vue"],
    [`<script src="./a.ts"></script>`, ".vue"],
    ["<p>---</p>\n---\n---\n", ".astro"],
  ])("%j in %s has no code", (text, ending) => {
    expect(scriptsOf(`/src/a${ending}`, text)).toBeNull();
  });
});

describe("edits", () => {
  const edit = (start: number, end: number, text: string) => ({ start, end, text, mappings: [] });
  const edited = (text: string, edits: ReturnType<typeof edit>[]): string | null => {
    const scripts = scriptsOf("/src/App.svelte", text);
    const within = withinBlocks(scripts?.blocks ?? [], edits);
    return within === null ? null : applyEdits("/src/App.svelte", text, within).text;
  };
  const TWO = `<script module>\nA\n</script>\n<script>\nB\n</script>\n<p />\n`;
  const at = (name: string): number => TWO.indexOf(name);

  test("at the file's end move to the end of the edited block", () => {
    expect(
      edited(TWO, [edit(at("B"), at("B") + 1, "C"), edit(TWO.length, TWO.length, "D\n")]),
    ).toBe(TWO.replace("B\n", "C\nD\n"));
    expect(
      edited(TWO, [edit(at("A"), at("A") + 1, "C"), edit(TWO.length, TWO.length, "D\n")]),
    ).toBe(TWO.replace("A\n", "C\nD\n"));
  });
  test("before all blocks move to the start of one; imports choose none", () => {
    const imported = edit(0, 0, "import x;");
    expect(edited(TWO, [imported, edit(at("B"), at("B") + 1, "C")])).toBe(
      TWO.replace("\nB", "import x;\nC"),
    );
    const first = edit(at("A"), at("A"), `import x from "x"; `);
    const rest = [edit(at("B"), at("B") + 1, "C"), edit(TWO.length, TWO.length, "D\n")];
    expect(edited(TWO, [first, ...rest])).toBe(
      TWO.replace("A", `import x from "x"; A`).replace("B\n", "C\nD\n"),
    );
  });
  test("of two blocks have no common place", () => {
    expect(
      edited(TWO, [
        edit(at("A"), at("A") + 1, "C"),
        edit(at("B"), at("B") + 1, "C"),
        edit(TWO.length, TWO.length, "D"),
      ]),
    ).toBeNull();
  });
});
