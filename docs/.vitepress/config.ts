// The documentation site: title, search, and the order of its pages. Pages are the Markdown files of
// docs/. The build is static and needs no network.

import { defineConfig } from "vitepress";
import { playground } from "./playground/plugin.ts";
import { SIDEBAR } from "./sidebar.ts";

export default defineConfig({
  title: "tsgrad",
  description: "Automatic differentiation for TypeScript, at build time.",
  lang: "en",
  srcExclude: ["node_modules/**"],
  cleanUrls: false,
  lastUpdated: false,
  head: [["link", { rel: "icon", type: "image/svg+xml", href: "/logo.svg" }]],
  markdown: { theme: { light: "github-light", dark: "github-dark" } },
  vite: { plugins: [playground()] },
  themeConfig: {
    logo: "/logo.svg",
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "Guide", link: "/guide/first-gradient", activeMatch: "^/guide/" },
      { text: "Hosts", link: "/hosts/", activeMatch: "^/hosts/" },
      { text: "Reference", link: "/reference", activeMatch: "^/(reference|forms/|vector|testing)" },
      { text: "Playground", link: "/playground" },
    ],
    sidebar: SIDEBAR,
  },
});
