// The pages of the site in reading order. A test checks that each file of docs/ is listed here once.

import type { DefaultTheme } from "vitepress";

const page = (text: string, link: string): DefaultTheme.SidebarItem => ({ text, link });

export const SIDEBAR: DefaultTheme.SidebarItem[] = [
  {
    text: "Guide",
    items: [page("Your first gradient", "/guide/first-gradient")],
  },
  {
    text: "Hosts",
    items: [page("Which host do you use?", "/hosts/")],
  },
  {
    text: "Reference",
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
      page("stopGradient", "/forms/stopGradient"),
      page("differentiable", "/forms/differentiable"),
      page("delta", "/forms/delta"),
      page("Implicit functions", "/forms/implicit"),
      page("Vector", "/vector"),
      page("Testing", "/testing"),
      page("Diagnostics", "/diagnostics"),
      page("Caches", "/caches"),
    ],
  },
];
