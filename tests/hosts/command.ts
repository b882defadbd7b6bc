// Runs a command of `tsgrad` in this process.

import ts from "typescript";
import { analyse } from "../../transformer/analyse.ts";
import { main } from "../../transformer/hosts/cli.ts";

/** What a command prints on either stream, and its exit code. */
export async function command(...words: string[]): Promise<{ code: number | null; out: string }> {
  let out = "";
  const write = (text: string | Uint8Array): boolean => {
    out += String(text);
    return true;
  };
  const { stdout, stderr } = process;
  const [one, other] = [stdout.write.bind(stdout), stderr.write.bind(stderr)];
  Object.assign(stdout, { write });
  Object.assign(stderr, { write });
  try {
    const code = await main(words, {
      core: analyse,
      typescript: () => ts,
      version: () => "0.0.0",
      startServer: () => undefined,
    });
    return { code, out };
  } finally {
    Object.assign(stdout, { write: one });
    Object.assign(stderr, { write: other });
  }
}
