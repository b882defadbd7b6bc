// What a project is, as its files say: package.json, configs of tools, versions that are installed.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

export interface Manifest {
  readonly type?: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly jest?: object;
  readonly packageManager?: string;
}

export class ProjectFiles {
  readonly folder: string;
  readonly manifest: Manifest;

  constructor(folder: string) {
    this.folder = folder;
    const text = this.read("package.json");
    this.manifest = text === null ? {} : (JSON.parse(text) as Manifest); // npm checks it
  }

  at(name: string): string {
    return path.join(this.folder, name);
  }

  has(name: string): boolean {
    return existsSync(this.at(name));
  }

  /** The text of a file, or null. */
  read(name: string): string | null {
    return this.has(name) ? readFileSync(this.at(name), "utf8") : null;
  }

  /** The first file `<stem>.<ending>` of a config, whatever its ending. */
  config(stem: string): string | null {
    const endings = ["ts", "mts", "cts", "js", "mjs", "cjs"];
    return endings.map((ending) => `${stem}.${ending}`).find((name) => this.has(name)) ?? null;
  }

  /** The range in package.json, if the project depends on a package. */
  range(name: string): string | null {
    const { dependencies = {}, devDependencies = {} } = this.manifest;
    return dependencies[name] ?? devDependencies[name] ?? null;
  }

  /** The version of a package that the project itself finds. */
  version(name: string): string | null {
    try {
      const load = createRequire(this.at("package.json"));
      // every package has one
      return (load(`${name}/package.json`) as { readonly version: string }).version;
    } catch {
      return null;
    }
  }

  script(pattern: RegExp): boolean {
    return Object.values(this.manifest.scripts ?? {}).some((line) => pattern.test(line));
  }

  /** Source files with one of these endings, outside of folders that hold no sources. */
  sources(pattern: RegExp): readonly string[] {
    const found: string[] = [];
    const visit = (folder: string): void => {
      for (const entry of readdirSync(this.at(folder), { withFileTypes: true })) {
        const name = path.posix.join(folder, entry.name);
        if (entry.isDirectory()) {
          if (!/^(node_modules|dist|build|out|coverage)$|^\./.test(entry.name)) visit(name);
        } else if (pattern.test(name)) found.push(name);
      }
    };
    visit(".");
    return found.sort();
  }

  get packageManager(): "npm" | "pnpm" | "yarn" | "bun" {
    const named = this.manifest.packageManager?.split("@", 1)[0];
    if (named === "pnpm" || named === "yarn" || named === "bun") return named;
    if (this.has("pnpm-lock.yaml")) return "pnpm";
    if (this.has("yarn.lock")) return "yarn";
    return this.has("bun.lock") || this.has("bun.lockb") ? "bun" : "npm";
  }
}
