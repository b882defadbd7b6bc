// What an editor says of the call sites in one file: engine, cost bound, derivative code, and the
// diagnostics. Results are plain data. Groups that an edit did not change are not compiled again.

import type { Host } from "../analyse.ts";
import { shown } from "../diagnostics/ignored.ts";
import { reasonForDelta } from "../diagnostics/reasons.ts";
import type { Diagnostic, Span } from "../diagnostics/report.ts";
import { sourceText } from "../driver/emission.ts";
import type { Form } from "../ir/facts.ts";
import { type Compiled, derivativesOf, type Part } from "../pipeline.ts";
import { costBound } from "./cost.ts";

/** A call such as `grad(loss)` that has a derivative. */
export interface SiteFacts {
  /** Of the whole call. */
  readonly span: Span;
  readonly form: Form;
  /** Name of the function that is differentiated; one written in place has a name of ours. */
  readonly name: string;
  readonly engine: "static" | "delta";
  /** Why the static engine does not take it. */
  readonly reasons: readonly string[];
  readonly cost: string;
  /** The derivative, and the functions that it calls in its file. */
  readonly source: string;
}

export interface FileFacts {
  /** Of the file's call sites, wherever the code is that they speak of. */
  readonly diagnostics: readonly Diagnostic[];
  readonly sites: readonly SiteFacts[];
}

/** Reads the call sites of one file, in one program after another. */
export class SiteReader {
  /** Those of the last program without errors. */
  #parts: readonly Part[] = [];

  read(host: Host, file: string): FileFacts {
    const { compiled, emitted } = derivativesOf(host, { files: [file] }, this.#parts);
    const { diagnostics, isWhole, parts } = compiled;
    if (isWhole && !diagnostics.some(({ severity }) => severity === "error")) this.#parts = parts;
    return {
      diagnostics: shown(diagnostics, (name) => host.program.getSourceFile(name)?.text),
      sites: [...staticSites(compiled, emitted.source), ...deltaSites(compiled)].filter(
        ({ span }) => span.file === file,
      ),
    };
  }
}

function staticSites(
  { sites, made, inlined }: Compiled,
  source: (name: string) => string,
): readonly SiteFacts[] {
  return sites.flatMap((site): readonly SiteFacts[] => {
    const names = made.derivativesOf.get(site);
    if (site.internal === true || names === undefined) return [];
    const name = inlined.homes.get(site.target)?.name ?? site.target;
    return [
      {
        span: site.origin,
        form: site.form,
        name,
        engine: "static",
        reasons: [],
        cost: costBound(site.form, name),
        source: withoutRepeats(names.map(source)),
      },
    ];
  });
}

function deltaSites({ delta }: Compiled): readonly SiteFacts[] {
  return [...delta.results].flatMap(([site, result]): readonly SiteFacts[] => {
    if (result.kind === "refused") return [];
    const { call } = site;
    const name = site.named?.name ?? result.item.name;
    return [
      {
        span: { file: call.getSourceFile().fileName, start: call.getStart(), end: call.end },
        form: site.form,
        name,
        engine: "delta",
        reasons: [...new Set(site.errors.map(({ message }) => reasonForDelta(message)))],
        cost: `${costBound(site.form, name)}, and a record of each operation`,
        source: withoutRepeats(
          [...result.items].flatMap((item) => (item.lines.length > 0 ? [sourceText(item)] : [])),
        ),
      },
    ];
  });
}

/** Functions and types of several sources, each once: a callee stands in all of them. */
function withoutRepeats(sources: readonly string[]): string {
  const items = sources.flatMap((source) =>
    source.split(/\n+(?=(?:type|function) )/).map((item) => item.trimEnd()),
  );
  return [...new Set(items)].filter((item) => item !== "").join("\n\n");
}
