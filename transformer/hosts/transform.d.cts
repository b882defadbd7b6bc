import ts = require("typescript");

/**
 * The ts-patch entry: { "transform": "tsgrad/transform", "transformProgram": true }
 *
 * What a build has found out is kept in node_modules/.cache/tsgrad, so that one of the same sources and packages need not find it out again; TSGRAD_CACHE=off in the environment does without.
 */
declare function transformProgram(
  program: ts.Program,
  host: ts.CompilerHost | undefined,
  config: unknown,
  extras: { readonly ts: typeof ts },
): ts.Program;
export = transformProgram;
