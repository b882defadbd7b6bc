// Modules that plugin.ts makes, and what Vite adds to `import.meta`.

/// <reference types="vite/client" />

declare module "virtual:tsgrad-library" {
  const files: Readonly<Record<string, string>>;
  export default files;
}

declare module "virtual:tsgrad-runtime" {
  const modules: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  export default modules;
}
