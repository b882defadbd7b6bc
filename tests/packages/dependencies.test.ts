// Of which packages a package may run code: by manifests in the layouts of npm and pnpm, with links, and without some of them.

import { expect, test } from "vitest";
import { Dependencies } from "../../transformer/delta/packages/index.ts";

type Manifests = Readonly<Record<string, object>>;

const inMemory = (manifests: Manifests, links: Readonly<Record<string, string>> = {}) => {
  const real = (file: string): string => {
    const link = Object.keys(links).find((one) => `${file}/`.startsWith(`${one}/`));
    return link === undefined ? file : `${links[link] ?? ""}${file.slice(link.length)}`;
  };
  return {
    readFile: (file: string): string | undefined => {
      const manifest = manifests[real(file).replace(/\/package\.json$/, "")];
      return manifest === undefined || !file.endsWith("/package.json")
        ? undefined
        : JSON.stringify(manifest);
    },
    realpath: real,
  };
};

const STORE = "/p/node_modules/.pnpm";
const LAYOUTS: Readonly<Record<string, readonly [Manifests, Readonly<Record<string, string>>]>> = {
  npm: [
    {
      "/p/node_modules/a": { name: "a", dependencies: { b: "1" }, peerDependencies: { c: "1" } },
      "/p/node_modules/a/node_modules/b": { name: "b", optionalDependencies: { d: "1" } },
      "/p/node_modules/b": { name: "b", dependencies: { wrong: "1" } },
      "/p/node_modules/c": { name: "c", dependencies: { a: "1" } },
    },
    {},
  ],
  pnpm: [
    {
      [`${STORE}/a@1/node_modules/a`]: {
        ...{ name: "a", dependencies: { b: "1" }, peerDependencies: { c: "1" } },
      },
      [`${STORE}/b@1/node_modules/b`]: { name: "b", optionalDependencies: { d: "1" } },
      [`${STORE}/c@1/node_modules/c`]: { name: "c", dependencies: { a: "1" } },
    },
    {
      "/p/node_modules/a": `${STORE}/a@1/node_modules/a`,
      [`${STORE}/a@1/node_modules/b`]: `${STORE}/b@1/node_modules/b`,
      [`${STORE}/a@1/node_modules/c`]: `${STORE}/c@1/node_modules/c`,
      [`${STORE}/c@1/node_modules/a`]: `${STORE}/a@1/node_modules/a`,
    },
  ],
};

test.each(Object.entries(LAYOUTS))("in the layout of %s", (_, [manifests, links]) => {
  const of = new Dependencies(inMemory(manifests, links));
  // `d` is not installed
  expect([...(of.of("/p/node_modules/a/dist/index.js") ?? [])].sort()).toEqual([
    "a",
    "b",
    "c",
    "d",
  ]);
});

test("a folder without a name belongs to the one around it; a file may be in none", () => {
  const of = new Dependencies(
    inMemory({
      "/r/packages/own": { name: "own", peerDependencies: { other: "1" } },
      "/r/packages/own/esm": { type: "module" },
      "/p/node_modules/@s/a": { name: "@s/a", peerDependencies: { b: "1" } },
      "/p/node_modules/@s/a/sub": { name: "@s/a/sub" },
      "/p/node_modules/unnamed": {},
      "/p/node_modules/alias": { name: "other" },
    }),
  );
  expect([...(of.of("/r/packages/own/esm/index.js") ?? [])]).toEqual(["own", "other"]);
  expect([...(of.of("/p/node_modules/@s/a/sub/index.js") ?? [])]).toEqual(["@s/a", "b"]);
  expect([...(of.of("/p/node_modules/unnamed/index.js") ?? [])]).toEqual(["unnamed"]);
  expect([...(of.of("/p/node_modules/alias/index.js") ?? [])]).toEqual(["other", "alias"]);
  expect(of.of("/elsewhere/index.js")).toBeNull();
});

test.each(["{", undefined])("of a package whose manifest is %j nothing is known", (text) => {
  const of = new Dependencies({ readFile: () => text });
  expect(of.of("/p/node_modules/a/index.js")).toBeNull();
});

test("of a package whose dependency is not found nothing is known", () => {
  const of = new Dependencies(
    inMemory({ "/p/node_modules/a": { name: "a", dependencies: { b: "1" } } }),
  );
  expect(of.of("/p/node_modules/a/index.js")).toBeNull();
});
