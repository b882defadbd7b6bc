// Which declarations dispose of what they declare. In: a list of declarations. Out: yes or no.

import type ts from "typescript";

type Api = typeof ts;

export const isUsing = (api: Api, { flags }: ts.VariableDeclarationList): boolean =>
  (flags & api.NodeFlags.BlockScoped) === api.NodeFlags.Using;

/** Its disposal waits, and another task may run meanwhile. */
export const isAwaitUsing = (api: Api, { flags }: ts.VariableDeclarationList): boolean =>
  (flags & api.NodeFlags.BlockScoped) === api.NodeFlags.AwaitUsing;

/** `using`, `await using` */
export const isDisposing = (api: Api, list: ts.VariableDeclarationList): boolean =>
  isUsing(api, list) || isAwaitUsing(api, list);
