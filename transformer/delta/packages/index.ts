// Packages, for the engine: see package-source.ts.

export { packagesOf } from "./packages.ts";
export type {
  Packages,
  PackageText,
  PackageValue,
  Refusal,
  RewriteModule,
} from "./package-source.ts";
