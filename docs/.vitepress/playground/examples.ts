// The programs of the menu, in its order. Each is a file of `examples/`; the tests compile and run it.

export interface Example {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

const TITLES: Readonly<Record<string, string>> = {
  first: "Your first gradient",
  valley: "A valley in two dimensions",
  loop: "Through a loop",
  logistic: "Logistic regression",
  network: "A neural network",
  arm: "A robot arm",
  throw: "A throw through air",
  newton: "Second derivatives",
  kepler: "Through a solver",
  vector: "Whole arrays",
  delta: "Code that is recorded",
  mistake: "A mistake, and what to do",
};

const texts = import.meta.glob<string>("./examples/*.ts", {
  query: "?raw",
  import: "default",
  eager: true,
});

export const EXAMPLES: readonly Example[] = Object.entries(TITLES).map(([id, title]) => ({
  id,
  title,
  text: texts[`./examples/${id}.ts`] ?? "",
}));
