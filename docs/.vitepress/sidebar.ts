// The pages of the site in reading order. A test checks that each file of docs/ is listed here once.

import type { DefaultTheme } from "vitepress";

const page = (text: string, link: string): DefaultTheme.SidebarItem => ({ text, link });

export const SIDEBAR: DefaultTheme.SidebarItem[] = [
  {
    text: "Guide",
    items: [
      page("Your first gradient", "/guide/first-gradient"),
      page("Train a network", "/guide/training"),
      page("Fit a curve", "/guide/curve-fitting"),
      page("Move an arm", "/guide/inverse-kinematics"),
      page("Differentiate a simulation", "/guide/physics"),
      page("Differentiate a solution", "/guide/implicit"),
      page("Write a rule of your own", "/guide/custom-rules"),
      page("Test derivatives", "/guide/testing"),
      page("Find a NaN", "/guide/nan"),
      page("Performance", "/guide/performance"),
      page("How it works", "/guide/how-it-works"),
      page("What is accepted", "/accepted"),
    ],
  },
  {
    text: "Hosts",
    items: [
      page("Which build do you use?", "/hosts/"),
      page("tsc and tsgrad build", "/hosts/tsc"),
      page("Vite", "/hosts/vite"),
      page("vitest", "/hosts/vitest"),
      page("esbuild", "/hosts/esbuild"),
      page("Rollup and Rolldown", "/hosts/rollup"),
      page("webpack and Rspack", "/hosts/webpack"),
      page("Jest", "/hosts/jest"),
      page("Node without a build", "/hosts/node"),
      page("Vue, Svelte, Astro, Nuxt", "/hosts/components"),
      page("Next", "/hosts/next"),
      page("Bun", "/hosts/bun"),
      page("Your editor", "/hosts/editor"),
    ],
  },
  {
    text: "Coming from",
    items: [
      page("JAX", "/coming-from/jax"),
      page("PyTorch", "/coming-from/pytorch"),
      page("TensorFlow.js", "/coming-from/tfjs"),
      page("Stan", "/coming-from/stan"),
      page("Enzyme", "/coming-from/enzyme"),
    ],
  },
  {
    text: "Reference",
    items: [
      page("All forms", "/reference"),
      {
        text: "Forms",
        collapsed: true,
        items: [
          page("grad", "/forms/grad"),
          page("valueAndGrad", "/forms/valueAndGrad"),
          page("vjp", "/forms/vjp"),
          page("jvp", "/forms/jvp"),
          page("linearize", "/forms/linearize"),
          page("jacfwd", "/forms/jacfwd"),
          page("jacrev", "/forms/jacrev"),
          page("hessian", "/forms/hessian"),
          page("hvp", "/forms/hvp"),
          page("customVjp", "/forms/customVjp"),
          page("customJvp", "/forms/customJvp"),
          page("defineDerivative", "/forms/defineDerivative"),
          page("checkpoint", "/forms/checkpoint"),
          page("vmap", "/forms/vmap"),
          page("stopGradient", "/forms/stopGradient"),
          page("inspect", "/forms/inspect"),
          page("differentiable", "/forms/differentiable"),
          page("delta", "/forms/delta"),
        ],
      },
      page("tsgrad/implicit", "/forms/implicit"),
      page("tsgrad/vector", "/vector"),
      page("tsgrad/tree", "/tree"),
      page("tsgrad/testing", "/testing"),
      page("All exports", "/api"),
      page("Command line", "/cli"),
      page("Diagnostics", "/diagnostics"),
      page("Every form of everything", "/every-form"),
      page("Kinks", "/kinks"),
      page("The papers", "/papers"),
      page("Caches", "/caches"),
    ],
  },
];
