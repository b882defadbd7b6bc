// What a page that uses a derivative downloads of tsgrad's. In: the run time's sources, bundled as a user's bundler does. Out: bytes after gzip. The emitted code itself is not counted.

import { gzipSync } from "node:zlib";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { describe, expect, test } from "vitest";

const runtime = (name: string): string => JSON.stringify(fileURLToPath(new URL(`../../runtime/${name}`, import.meta.url)));

async function bytes(contents: string): Promise<number> {
  const { outputFiles } = await build({ stdin: { contents, resolveDir: ".", loader: "js" }, bundle: true, minify: true, write: false, format: "esm", logLevel: "silent" });
  return gzipSync(outputFiles[0]?.contents ?? new Uint8Array(), { level: 9 }).length;
}

const EMITTED = "const f$grad = (x) => 2 * x;";
const own = async (imports: string, use: string): Promise<number> => (await bytes(`${imports}\n${EMITTED}\nexport const g = ${use};`)) - (await bytes(`${EMITTED}\nexport const g = f$grad;`));

describe("bytes after gzip", () => {
  test("a static gradient: the words of TSG0001, and nothing to compute with", async () => {
    const size = await own(`import { grad } from ${runtime("index.ts")};`, "grad((x) => x * x, f$grad)");
    expect(size).toBeGreaterThan(100);
    expect(size).toBeLessThanOrEqual(500);
  });

  test("a Delta gradient: the tape, and what rewritten code may ask of the language", async () => {
    const size = await own(`import * as $d from ${runtime("delta/index.ts")};`, "(...args) => $d.grad(([x], a) => $d.mul(a, x, a, x), args)");
    // 3,000 are wanted; the handlers of natives (Array, Map, Promise, typed arrays, …) are most of it, and are found by identity when it runs. No more than now:
    expect(size).toBeLessThanOrEqual(26_200);
  });
});
