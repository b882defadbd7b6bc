// What webpack runs for each module. In: its text, and the map that an earlier loader has made. Out: what the plugin that has named this file makes of them.

import type { LoaderContext } from "./webpack-plugin.ts";

export default function loader(this: LoaderContext, text: string, map?: unknown): void {
  this.getOptions().load(this, text, map);
}
