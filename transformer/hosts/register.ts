// The package entry `tsgrad/register`: `node --import tsgrad/register main.ts` runs a program with
// its derivatives.

import { hookModules } from "./node-hooks.ts";

hookModules(null);
