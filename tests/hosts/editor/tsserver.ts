// A real tsserver process. In: the folder of a TypeScript and a project. Out: its answers, events included.
// Invariant: the process ends with the test file.

import { spawn } from "node:child_process";
import { readFileSync, realpathSync } from "node:fs";
import path from "node:path";
import { afterAll } from "vitest";
import { repository } from "../sandbox.ts";

interface Message {
  readonly type: string;
  readonly request_seq?: number;
  readonly success?: boolean;
  readonly message?: string;
  readonly event?: string;
  readonly body?: unknown;
}

export interface TsServer {
  /** The body of the answer. */
  readonly ask: (command: string, args: object) => Promise<unknown>;
  /** Sends what has no answer. */
  readonly tell: (command: string, args: object) => void;
  /** The next event of that name after this call for which `is` holds. */
  readonly event: (name: string, is?: (body: unknown) => boolean) => Promise<unknown>;
  readonly end: () => void;
}

/** `compiler`: the name of TypeScript's folder in this repository's node_modules. */
export function tsserver(compiler: string, cwd: string): TsServer {
  const folder = path.join(repository, "node_modules", compiler);
  const words = ["--disableAutomaticTypingAcquisition", "--allowLocalPluginLoads"];
  const log = process.env["TSSERVER_LOG"];
  if (log !== undefined) words.push("--logVerbosity", "verbose", "--logFile", log);
  const child = spawn(
    process.execPath,
    [path.join(realpathSync(folder), "lib/tsserver.js"), ...words],
    { cwd, stdio: ["pipe", "pipe", "inherit"] },
  );
  const end = (): void => void child.kill();
  afterAll(end);
  let seq = 0;
  let rest = "";
  const waiting = new Set<(message: Message) => boolean>();
  child.stdout.on("data", (data: Buffer) => {
    rest += data.toString("utf8");
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines.filter((one) => one.startsWith("{"))) {
      const message: Message = JSON.parse(line);
      for (const take of [...waiting]) if (take(message)) waiting.delete(take);
    }
  });
  const send = (command: string, args: object): number => {
    child.stdin.write(
      `${JSON.stringify({ seq: ++seq, type: "request", command, arguments: args })}\n`,
    );
    return seq;
  };
  return {
    tell: (command, args) => void send(command, args),
    ask: (command, args) =>
      new Promise((resolve, reject) => {
        const own = send(command, args);
        waiting.add((message) => {
          if (message.type !== "response" || message.request_seq !== own) return false;
          if (message.success === false) reject(new Error(message.message));
          else resolve(message.body);
          return true;
        });
      }),
    event: (name, is = () => true) =>
      new Promise((resolve) => {
        waiting.add((message) => {
          if (message.event !== name || !is(message.body)) return false;
          resolve(message.body);
          return true;
        });
      }),
    end,
  };
}

/** Line and offset of a text in a file, both from 1. */
export function placeOf(file: string, part: string): { line: number; offset: number } {
  const before = readFileSync(file, "utf8").split(part, 1).join("").split("\n");
  return { line: before.length, offset: (before.at(-1) ?? "").length + 1 };
}
