// What a watching compiler must not miss. In: a sandbox whose src/a.ts prints the derivative of src/b.ts' `square` at 3, and the
// compiler's script. Out: nothing; it fails where a stale derivative is served.

import { spawn } from "node:child_process";
import { expect } from "vitest";
import type { Sandbox } from "./sandbox.ts";

const B = `export function square(x: number): number {\n  return x * x;\n}\n`;
/** Long enough for a build on a loaded machine. */
const PATIENCE_MS = 60_000;

export async function followsChanges(box: Sandbox, script: string): Promise<void> {
  const child = spawn(process.execPath, [script, "-p", ".", "--watch", "--preserveWatchOutput"], {
    cwd: box.dir,
  });
  let out = "";
  child.stdout.on("data", (data: Buffer) => void (out += data.toString()));
  const until = async (what: string): Promise<void> => {
    const end = performance.now() + PATIENCE_MS;
    while (!out.includes(what)) {
      if (performance.now() > end) throw new Error(`no '${what}' in:\n${out}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    out = "";
  };
  const result = (): string => box.run(box.at("dist/a.js")).out.trim();
  try {
    await until("Found 0 errors");
    expect(result()).toBe("1009");
    box.write({ "src/b.ts": B.replace("x * x", "x + x") });
    await until("Found 0 errors");
    expect(result()).toBe("1006");
    box.write({ "src/b.ts": B.replace("x * x", "/* bad */ x") });
    await until("Found 1 error");
    box.write({ "src/b.ts": B });
    await until("Found 0 errors");
    expect(result()).toBe("1009");
  } finally {
    child.kill();
  }
}
