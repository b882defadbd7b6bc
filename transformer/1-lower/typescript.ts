// The compiler's API as a type. Lowering gets the API as a parameter and never loads it.

import type ts from "typescript";

export type TypeScript = typeof ts;
