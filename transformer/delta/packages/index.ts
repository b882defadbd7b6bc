// Packages, for the engine. In: see package-source.ts. Out: `packagesOf`.

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
