// Packages, for the engine: see package-source.ts.

export { packagesOf } from "./packages.ts";
export type {
  PackageImport,
  Packages,
  PackagesHost,
  PackageSystem,
  PackageText,
  PackageValue,
  Refusal,
  RewriteModule,
} from "./package-source.ts";
