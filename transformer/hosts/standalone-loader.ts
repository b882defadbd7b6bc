// A webpack loader without the plugin, for tools that run loaders in several processes and rebuild
// only by files. Invariant: no text is stale, as each module depends on all files of the project.

import type { Analyse } from "./core.ts";
import { errorIn, toStderr } from "./diagnostic-text.ts";
import { checkedOptions } from "./options.ts";
import { ProgramService, sourceFileOf, type ServiceOptions } from "./program-service.ts";
import { composedWith } from "./source-map.ts";

interface Context {
  readonly resourcePath: string;
  readonly rootContext?: string;
  getOptions(): ServiceOptions;
  addDependency(file: string): void;
  emitWarning?(warning: Error): void;
  callback(error: Error | null, text?: string, map?: object): void;
}

/** How long the list of the project's files is trusted, in milliseconds. */
const TRUSTED_MS = 500;

export function standaloneLoader(
  core: Analyse,
): (context: Context, text: string, map?: object) => void {
  const services = new Map<string, ProgramService>();
  let begun = -Infinity;
  const serviceOf = (given: ServiceOptions, root: string): ProgramService => {
    const options = { ...given, cwd: given.cwd ?? root };
    const key = JSON.stringify(options);
    const service =
      services.get(key) ?? new ProgramService(core, checkedOptions("tsgrad/loader", options));
    services.set(key, service);
    if (performance.now() - begun > TRUSTED_MS) for (const each of services.values()) each.begin();
    begun = performance.now();
    return service;
  };
  return (context, text, map) => {
    const file = sourceFileOf(context.resourcePath);
    if (file === null) return context.callback(null, text, map);
    const service = serviceOf(context.getOptions(), context.rootContext ?? process.cwd());
    const answer = service.answer(file, text);
    for (const other of [...service.sources(), ...(answer?.dependencies ?? [])])
      if (other !== file) context.addDependency(other);
    const error = errorIn(answer?.findings ?? [], (text) => warn(context, text));
    if (error !== null) return context.callback(error);
    if (answer === null || answer.code === null) return context.callback(null, text, map);
    return context.callback(
      null,
      answer.code,
      answer.map === null ? undefined : composedWith(answer.map, map),
    );
  };
}

function warn(context: Context, text: string): void {
  if (context.emitWarning === undefined) toStderr(text);
  else context.emitWarning(Object.assign(new Error(text), { stack: "" }));
}
