// The file in which an editor shows a derivative: `node_modules/.cache/tsgrad/show/loss.<hash>.ts`.
// It is only read; the build does not use it.

import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { SiteFacts } from "../../explain/sites.ts";
import { cacheFolder, digest, isOwnFolder } from "../cache-folder.ts";

interface DerivativeFile {
  readonly name: string;
  readonly text: string;
}

export function derivativeFile(site: SiteFacts): DerivativeFile {
  const text = [
    "// @ts-nocheck",
    `// The derivative of \`${site.name}\` as tsgrad builds it. Changes here have no effect.`,
    `// ${site.engine} engine: ${site.cost}.`,
    "",
    site.source,
    "",
  ].join("\n");
  const base = path.dirname(site.span.file);
  const folder = path.join(cacheFolder(base) ?? path.join(tmpdir(), "tsgrad"), "show");
  const hash = digest(site.span.file, text).toString("hex").slice(0, 8);
  const name = path.join(folder, `${site.name.replace(/[^\w$]/g, "_")}.${hash}.ts`);
  return { name: name.split(path.sep).join("/"), text };
}

/** Removes it, so that an editor can create it. */
export const removeDerivativeFile = ({ name }: DerivativeFile): void =>
  rmSync(name, { force: true });

/** Writes it; false if that is not possible. */
export function writeDerivativeFile({ name, text }: DerivativeFile): boolean {
  if (!isOwnFolder(path.dirname(name))) return false;
  try {
    rmSync(name, { force: true });
    writeFileSync(name, text, { mode: 0o600, flag: "wx" });
    return true;
  } catch {
    return false;
  }
}
