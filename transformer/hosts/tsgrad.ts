// What the bin `tsgrad` runs: the command line of this process.

import { main } from "./cli.ts";

const code = main(process.argv.slice(2));
if (code !== null) process.exitCode = code;
