// What modules of packages with twins import.

import path from "node:path";

export const RUN_TIME = /^tsgrad\/(?:delta(?:-higher)?|captured)$/;

/** The file of the run time as CommonJS, in a folder of twins. */
export const requiredRunTime = (folder: string, name: string): string =>
  path.join(folder, "run-time", `${name}.js`);
