// Packages, for the engine: see package-source.ts.

export { Dependencies } from "./dependencies.ts";
export { packagesOf } from "./packages.ts";
export { TwinMemo } from "./twin-memo.ts";
export { effectOf, wholePath } from "./effects.ts";
export { packageNameOf } from "./resolve.ts";
export { isRandom } from "./state.ts";
export { exportKey } from "./package-source.ts";
export type {
  Insertion,
  LoadedModule,
  Packages,
  PackageSystem,
  PackageText,
  PackageValue,
  Refusal,
  RewriteModule,
} from "./package-source.ts";
