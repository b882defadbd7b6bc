// `tsgrad build` with the stand-in core; tests bundle it into their sandboxes.

import { createRequire } from "node:module";
import { build } from "../../transformer/hosts/build.ts";
import { fakeCore } from "./fake-core.ts";

process.exitCode =
  build(createRequire(import.meta.url)("typescript"), fakeCore, process.argv.slice(2)) ?? 0;
