// A folder for what test files of a run share, and what is made there once. In: a run of vitest. Out: the folder, removed behind the run. Invariant: whoever asks first makes it, others wait;
// where making fails, it fails for all of them.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { inject } from "vitest";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    shared: string;
  }
}

/** Called by vitest (`globalSetup`). */
export default function setup(project: TestProject): () => void {
  const shared = realpathSync(mkdtempSync(path.join(tmpdir(), "tsgrad-run-")));
  project.provide("shared", shared);
  project.onTestsRerun(() => {
    rmSync(shared, { recursive: true, force: true });
    mkdirSync(shared);
  });
  return () => rmSync(shared, { recursive: true, force: true });
}

/** The folder of that name, filled by `make` if nobody has. */
export function once(name: string, make: (dir: string) => void): string {
  const dir = path.join(inject("shared"), name);
  const failure = `${dir}.failed`;
  if (isFirst(`${dir}.begun`)) {
    try {
      mkdirSync(`${dir}.begun/made`);
      make(`${dir}.begun/made`);
      renameSync(`${dir}.begun/made`, dir);
    } catch (error) {
      writeFileSync(failure, String(error));
      throw error;
    }
  }
  // whoever makes it may have been ended
  const limit = Date.now() + 300_000;
  while (!existsSync(dir)) {
    if (existsSync(failure) || Date.now() > limit)
      throw new Error(`${name} could not be made: see the test file that made it`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  }
  return dir;
}

function isFirst(mark: string): boolean {
  try {
    mkdirSync(mark);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}
