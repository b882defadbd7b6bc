// Places the source text of the Delta engine. In: accepted sites and their items. Out: insertions.
// Invariant: hoisted functions go to the end of their block, classes and links after a statement.

import type ts from "typescript";
import { outermost } from "../../syntax/wrappers.ts";
import {
  asStaticMember,
  code,
  type Code,
  emitted,
  id,
  importOf,
  list,
  literal,
  NOTHING,
  renamed,
  source,
  unchecked,
} from "../../code/code.ts";
import { parameter, tidied } from "../../code/temporaries.ts";
import { isShown } from "../../ir/facts.ts";
import type { DeltaHost, DeltaSite } from "./engine-sites.ts";
import { isJavaScript, type Item, type Names } from "./items.ts";
import type { Beside } from "./kept-functions.ts";
import { type Place } from "./places.ts";
import type { RewrittenLine } from "../scope.ts";

type Origin = RewrittenLine["origin"];

interface Insertion {
  readonly start: number;
  readonly end: number;
  readonly text: Code;
  readonly mappings: readonly { readonly offset: number; readonly origin: Origin }[];
}

/** The emitter's edits, which collect insertions. */
export interface EditSink {
  insert(file: string, edit: Insertion): void;
  /** Generated code for all places at one offset. */
  code(placed: readonly { readonly home: Place; readonly lines: readonly RewrittenLine[] }[]): void;
  /** Inserts text after the file's imports. */
  head(file: string, text: Code, origin: Origin): void;
}

export interface SiteText {
  readonly site: DeltaSite;
  readonly item: Item;
  /** The text before and after the function, for each argument of the call. */
  readonly texts: readonly (readonly [Code, Code])[];
  /** The function's name in the site's file; empty for a function in place. */
  readonly name: Code;
}

function laid(
  lines: readonly RewrittenLine[],
  margin: string,
): { readonly text: Code; readonly mappings: { offset: number; origin: Origin }[] } {
  let text = NOTHING;
  const mappings: { offset: number; origin: Origin }[] = [];
  for (const line of lines) {
    if (text !== NOTHING)
      text = code`${text}\n${line.text === NOTHING ? NOTHING : source(margin + "  ".repeat(line.indent))}`;
    mappings.push({ offset: text.length, origin: line.origin });
    text = code`${text}${line.text}`;
  }
  return { text, mappings };
}

const moved = (mappings: Insertion["mappings"], by: number): Insertion["mappings"] =>
  mappings.map((one) => ({ ...one, offset: one.offset + by }));

/** The source text of one function, for `derivativeSource`. */
export const sourceText = (item: Item): Code => code`${laid(item.lines, "").text}\n`;

export function placeAll(
  texts: readonly SiteText[],
  items: ReadonlySet<Item>,
  names: Names,
  host: DeltaHost,
  sink: EditSink,
): void {
  const edits = namingRunTime(sink, names, host);
  // compiled to CommonJS, an import stands where it is written
  placeImports(
    texts.filter(({ site }) => !isShown(site)),
    items,
    names,
    host,
    edits,
  );
  for (const { site } of texts) if (isHeld(site)) placeHold(site, edits);
  placeTwins(host, sink);
  for (const one of texts) placeArgument(one, edits);
  // of functions that end at the same offset the inner ones come first
  for (const item of [...items].sort((a, b) => b.node.pos - a.node.pos))
    if (item.beside !== undefined) placeBeside(item, item.beside, host.ts, edits);
  placeHoisted([...items], edits);
  // the links of an object name functions that are declared after the same statement
  for (const item of [...items].sort(
    (a, b) => Number(host.ts.isArrowFunction(b.node)) - Number(host.ts.isArrowFunction(a.node)),
  )) {
    if (item.behind === null || item.lines.length === 0) continue;
    const { text, mappings } = laid(exported(item, item.behind.isModule), item.behind.indent);
    edits.insert(item.file.fileName, {
      start: item.behind.at,
      end: item.behind.at,
      text: code`${item.behind.lead} ${text}${item.behind.tail ?? NOTHING}`,
      mappings: moved(mappings, item.behind.lead.length + 1),
    });
  }
  for (const item of items) if (item.isMember === true) placeMember(item, edits);
  for (const { file, inside } of items) {
    if (inside !== undefined)
      edits.insert(file.fileName, {
        start: inside.at,
        end: inside.at,
        text: code`${inside.lead}${inside.text} `,
        mappings: [
          { offset: 0, origin: { file: file.fileName, start: inside.at, end: inside.at } },
        ],
      });
  }
  placePackages(items, host, edits);
}

/** Whether a file is no part of the program. */
export const isOutside = (file: string, { program }: DeltaHost): boolean =>
  program.getSourceFile(file) === undefined;

/**
 * Twins of the program's own JavaScript, within what holds function values. They have the run
 * time's name.
 */
function placeTwins(host: DeltaHost, edits: EditSink): void {
  for (const [file, inserted] of host.packages.extensions()) {
    if (isOutside(file, host)) continue;
    for (const { at, text } of inserted)
      edits.insert(file, {
        start: at,
        end: at,
        text,
        mappings: [{ offset: 0, origin: { file, start: at, end: at } }],
      });
  }
}

/** The same sink, for code in which the run time is called `$d`. */
function namingRunTime(edits: EditSink, names: Names, { program }: DeltaHost): EditSink {
  const of = (file: string, text: Code): Code => {
    const found = program.getSourceFile(file);
    return found === undefined ? text : emitted(text, names.runTime(found));
  };
  return {
    insert: (file, edit) => edits.insert(file, { ...edit, text: of(file, edit.text) }),
    code: (placed) =>
      edits.code(
        placed.map(({ home, lines }) => ({
          home,
          lines: lines.map((line) => ({ ...line, text: of(home.file, line.text) })),
        })),
      ),
    head: (file, text, origin) => edits.head(file, of(file, text), origin),
  };
}

const exported = (item: Item, isModule: boolean): readonly RewrittenLine[] =>
  item.isExported && isModule
    ? item.lines.map((line) =>
        line.indent === 0 && declares(line.text, item.name)
          ? { ...line, text: code`export ${line.text}` }
          : line,
      )
    : item.lines;

const declares = (text: string, name: string): boolean =>
  /^(?:async )?(?:function\*?|class|abstract class) /.test(text) &&
  text.split(/[^\p{ID_Continue}$]+/u).includes(name);

function placeHold({ call, target }: DeltaSite, edits: EditSink): void {
  const file = call.getSourceFile().fileName;
  const start = target.getStart();
  const mappings = [{ offset: 0, origin: { file, start, end: target.end } }];
  edits.insert(file, { start, end: start, text: code`$d.hold(`, mappings });
}

/** Whether the function is known only at run time. */
const isHeld = ({ node, isMade }: DeltaSite): boolean => node === null && !isMade;

/**
 * `grad(f)  ->  grad(f, f$delta)`
 * `grad(made())  ->  grad($d.hold(made()), $d.held(($f) => …))`
 */
function placeArgument({ site, item, texts, name }: SiteText, edits: EditSink): void {
  const { call, target } = site;
  const file = call.getSourceFile();
  if (isHeld(site)) {
    const start = target.getStart();
    const mappings = [{ offset: 0, origin: { file: file.fileName, start, end: target.end } }];
    edits.insert(file.fileName, {
      start: target.end,
      end: target.end,
      text: code`)`,
      mappings,
    });
  }
  const at = call.arguments.at(-1)?.end ?? call.end - 1;
  const margin =
    /^[ \t]*/.exec(file.text.slice(file.text.lastIndexOf("\n", call.getStart() - 1) + 1))?.[0] ??
    "";
  const isInPlace = name === NOTHING && !isShown(site);
  const inner = isInPlace
    ? laid(item.lines, margin)
    : { text: isShown(site) ? NOTHING : name, mappings: [] };
  const origin = { file: file.fileName, start: call.getStart(), end: call.end };
  let text = NOTHING;
  const mappings: Insertion["mappings"][number][] = [];
  for (const [before, after] of texts) {
    mappings.push({ offset: text.length, origin });
    text = code`${text}, ${before}`;
    const lead = text.length;
    mappings.push(...moved(inner.mappings, lead));
    text = code`${text}${inner.text}${after}`;
  }
  edits.insert(file.fileName, { start: at, end: at, text, mappings });
}

/**
 * `(x) => …  ->  $d.link((x) => …, function f$delta …)`
 * `{ act(x) { … } }  ->  $d.linkObject({ act(x) { … } }, ["act", "value", function f$delta …])`
 * `model.act.bind(model)  ->  $d.bound(model.act).bind(model)`
 * `class extends B { … }  ->  $d.linkClassWith(class extends B { … }, (C$plain) => class …)`
 */
function placeBeside(item: Item, how: Beside, api: typeof ts, edits: EditSink): void {
  if (how.kind === "default") placeDefault(item, outermost(item.node, api), edits);
  else placeAround(item, how, edits);
}

/** `export default { f }  ->  export default ((v) => { …; return v; })({ f })` */
function placeDefault({ name, file, lines }: Item, value: ts.Node, edits: EditSink): void {
  const [start, end] = [value.getStart(), value.end];
  const { text, mappings } = laid(
    lines.map((line) => ({ ...line, indent: line.indent + 1 })),
    "",
  );
  const lead = code`((${name}) => {\n  `;
  edits.insert(file.fileName, {
    start,
    end: start,
    text: code`${lead}${text}\n  return ${name};\n})(`,
    mappings: moved(mappings, lead.length),
  });
  const origin = { file: file.fileName, start, end };
  edits.insert(file.fileName, {
    start: end,
    end,
    text: code`)`,
    mappings: [{ offset: 0, origin }],
  });
}

/** The class of a twin is not always read: `(_C$plain) => class …`. */
function leadOfClass(plain: Code, text: Code): Code {
  const [lead = NOTHING] = tidied([code`, (${parameter(plain)}: any): any => `, text]);
  return lead;
}

/** What stands between the value and its rewritten form. */
function leadOf(how: Around, text: Code): Code {
  switch (how.kind) {
    case "itself":
      return code`, `;
    case "member":
      return code`, [${how.as.key}, ${literal(how.as.kind)}, `;
    case "class":
      return leadOfClass(how.plain, text);
    case "bound":
      return NOTHING;
  }
}

type Around = Exclude<Beside, { readonly kind: "default" }>;

function placeAround({ node, file, lines }: Item, how: Around, edits: EditSink): void {
  const around = how.kind === "member" ? how.literal : how.kind === "bound" ? how.fn : node;
  const start = around.getStart();
  const margin =
    /^[ \t]*/.exec(file.text.slice(file.text.lastIndexOf("\n", start - 1) + 1))?.[0] ?? "";
  const { text, mappings } = laid(lines, margin);
  const lead = leadOf(how, text);
  const type = how.kind === "itself" ? how.type : null;
  edits.insert(file.fileName, {
    start,
    end: start,
    text: code`$d.${id(BESIDE[how.kind])}${type?.as === "argument" ? code`<${source(type.text)}>` : NOTHING}(`,
    mappings: [{ offset: 0, origin: { file: file.fileName, start, end: around.end } }],
  });
  const behind = code`${how.kind === "member" ? code`]` : NOTHING}${how.kind === "itself" && how.name !== "" ? code`, ${literal(how.name)}` : NOTHING})${type?.as === "assertion" ? code` as ${source(type.text)}` : NOTHING}`;
  edits.insert(file.fileName, {
    start: around.end,
    end: around.end,
    text: code`${lead}${text}${behind}`,
    mappings: moved(mappings, lead.length),
  });
}

/** `#k(x) { … }  ->  #k(x) { … } static #k$delta(this: any, $: any, x: any): any { … }` */
function placeMember({ node, file, lines }: Item, edits: EditSink): void {
  const { text, mappings } = laid(
    lines.map((line, i) => (i === 0 ? { ...line, text: asStaticMember(line.text) } : line)),
    "  ",
  );
  edits.insert(file.fileName, {
    start: node.end,
    end: node.end,
    text: code` ${text}`,
    mappings: moved(mappings, 1),
  });
}

const BESIDE = {
  itself: "link",
  member: "linkObject",
  bound: "bound",
  class: "linkClassWith",
} as const;

function placeHoisted(items: readonly Item[], edits: EditSink): void {
  const byPlace = new Map<
    string,
    { readonly home: Place; readonly lines: readonly RewrittenLine[] }[]
  >();
  for (const item of items) {
    if (item.place === null || item.lines.length === 0) continue;
    const key = `${item.place.file}\n${item.place.at}`;
    byPlace.set(key, [
      ...(byPlace.get(key) ?? []),
      { home: item.place, lines: exported(item, item.place.scope === "module") },
    ]);
  }
  for (const placed of byPlace.values()) edits.code(placed);
}

/** Package copies go after the imports, since top-level code may already execute a derivative. */
function placePackages(items: ReadonlySet<Item>, host: DeltaHost, edits: EditSink): void {
  for (const file of new Set(
    [...items].filter((item) => item.packageUses !== undefined).map((item) => item.file),
  )) {
    const { imports, statements } = host.packages.packageText(file.fileName);
    const at = headOf(file, host).at(-1)?.end ?? file.getStart();
    edits.insert(file.fileName, {
      start: at,
      end: at,
      text: code`\n${list([...imports, ...statements].map(unchecked), "\n")}\n`,
      mappings: [{ offset: 1, origin: { file: file.fileName, start: at, end: at } }],
    });
  }
}

/** The imports before all other statements: code of packages that is read later adds more. */
function headOf({ statements }: ts.SourceFile, { ts: api }: DeltaHost): readonly ts.Statement[] {
  const first = statements.findIndex(
    (one) =>
      !api.isImportDeclaration(one) &&
      !api.isImportEqualsDeclaration(one) &&
      !(api.isExpressionStatement(one) && api.isStringLiteral(one.expression)),
  );
  return first < 0 ? statements : statements.slice(0, first);
}

/** JavaScript that is no ES module: its twins come with the run time. */
const isScript = (file: ts.SourceFile, { ts: api }: DeltaHost): boolean =>
  isJavaScript(file) &&
  !file.statements.some(
    (one) =>
      api.isImportDeclaration(one) ||
      api.isExportDeclaration(one) ||
      api.isExportAssignment(one) ||
      (api.canHaveModifiers(one) &&
        (api.getModifiers(one) ?? []).some(({ kind }) => kind === api.SyntaxKind.ExportKeyword)),
  );

/** The runtime's import; a CommonJS file with `verbatimModuleSyntax` uses `require`. */
function runTimeImport(file: ts.SourceFile, host: DeltaHost): Code {
  if (isScript(file, host)) return NOTHING;
  const { ts: api, program } = host;
  const { fileName, impliedNodeFormat } = file;
  const { module, verbatimModuleSyntax } = program.getCompilerOptions();
  const { CommonJS } = api.ModuleKind;
  const isCommonJsFormat =
    fileName.endsWith(".cts") ||
    impliedNodeFormat === CommonJS ||
    (module === CommonJS && !fileName.endsWith(".mts"));
  const from = host.isHigher === true ? code`"tsgrad/delta-higher"` : code`"tsgrad/delta"`;
  return verbatimModuleSyntax === true && isCommonJsFormat
    ? code`import $d = require(${from}); `
    : code`import * as $d from ${from}; `;
}

function placeImports(
  texts: readonly SiteText[],
  items: ReadonlySet<Item>,
  names: Names,
  host: DeltaHost,
  edits: EditSink,
): void {
  const heads = new Map<ts.SourceFile, Set<Code>>();
  const add = (file: ts.SourceFile, text: Code): void =>
    void heads.set(file, (heads.get(file) ?? new Set()).add(text));
  const named = (name: string, local: string, from: string, to: string): Code =>
    importOf([renamed(name, local)], host.specifier(to, from));
  for (const { site, item, name } of texts) {
    const file = site.call.getSourceFile();
    add(file, runTimeImport(file, host));
    if (item.file !== file && name !== NOTHING)
      add(file, named(item.name, name, item.file.fileName, file.fileName));
  }
  for (const item of items) {
    if (
      host.ts.isSourceFile(item.node) ||
      item.beside !== undefined ||
      item.lines.some(({ text }) => text.includes("$d."))
    )
      add(item.file, runTimeImport(item.file, host));
    for (const one of names.imports.get(item) ?? [])
      add(item.file, named(one.name, one.local, one.from, one.file));
  }
  for (const [file, all] of heads)
    edits.head(file.fileName, list([...all], ""), { file: file.fileName, start: 0, end: 0 });
}
