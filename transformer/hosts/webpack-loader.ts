// The webpack loader, which calls the plugin that added it to the rules.

import type { LoaderContext } from "./webpack-plugin.ts";

export default function loader(this: LoaderContext, text: string, map?: unknown): void {
  const done = this.async();
  this.getOptions()
    .load(this, { text, map })
    .then(
      (made) => {
        done(null, made.text, made.map);
      },
      (error: unknown) => {
        done(error);
      },
    );
}
