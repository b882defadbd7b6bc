// The two editors of the playground: the user's program, and compiled code, which is read-only. They
// know nothing of the compiler; findings, completions and links between lines come from outside.

import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  type CompletionContext,
  completionKeymap,
  type CompletionResult,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { javascript } from "@codemirror/lang-javascript";
import { bracketMatching, indentOnInput, indentUnit } from "@codemirror/language";
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  highlightActiveLine,
  hoverTooltip,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import type { BrowserFinding } from "../../../transformer/hosts/browser.ts";
import type { Completion, Hover } from "./messages.ts";
import { codeColours } from "./editor-theme.ts";

export interface EditorHooks {
  readonly changed: (text: string) => void;
  readonly complete: (position: number) => Promise<readonly Completion[]>;
  readonly hover: (position: number) => Promise<Hover | null>;
  /** The line, from 1, that the cursor or the pointer is in; null if it has left. */
  readonly line: (line: number | null) => void;
}

const setLinked = StateEffect.define<readonly number[]>();
const linkedLine = Decoration.line({ class: "cm-linked" });

/** Lines that belong to the line of the cursor in the other editor. */
const linked = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(decorations, { effects, state, changes }) {
    const effect = effects.find((each) => each.is(setLinked));
    if (effect === undefined) return decorations.map(changes);
    const lines = (effect.value as readonly number[]).filter((line) => line <= state.doc.lines); // setLinked
    return Decoration.set(lines.map((line) => linkedLine.range(state.doc.line(line).from)));
  },
  provide: (field) => EditorView.decorations.from(field),
});

const common: Extension = [
  lineNumbers(),
  drawSelection(),
  bracketMatching(),
  highlightSelectionMatches(),
  javascript({ typescript: true }),
  EditorState.tabSize.of(2),
  indentUnit.of("  "),
  linked,
  codeColours,
];

/** The editor of the user's program. */
export function programEditor(parent: HTMLElement, text: string, hooks: EditorHooks): EditorView {
  const state = EditorState.create({
    doc: text,
    extensions: [
      common,
      history(),
      indentOnInput(),
      closeBrackets(),
      highlightActiveLine(),
      lintGutter(),
      autocompletion({ override: [completionsFrom(hooks)] }),
      hoverTooltip(async (_, position) => tooltipOf(await hooks.hover(position))),
      keymap.of([
        ...closeBracketsKeymap,
        ...defaultKeymap,
        ...searchKeymap,
        ...historyKeymap,
        ...completionKeymap,
        ...lintKeymap,
        indentWithTab,
      ]),
      EditorView.contentAttributes.of({ "aria-label": "Your program" }),
      EditorView.updateListener.of(({ docChanged, selectionSet, state: now, view }) => {
        if (docChanged) hooks.changed(now.doc.toString());
        if ((docChanged || selectionSet) && view.hasFocus)
          hooks.line(now.doc.lineAt(now.selection.main.head).number);
      }),
    ],
  });
  return new EditorView({ parent, state });
}

/** A view of compiled code. */
export function codeView(
  parent: HTMLElement,
  label: string,
  line: (line: number | null) => void,
): EditorView {
  const pointed = (event: MouseEvent, view: EditorView): void => {
    const at = view.posAtCoords({ x: event.clientX, y: event.clientY });
    line(at === null ? null : view.state.doc.lineAt(at).number);
  };
  const state = EditorState.create({
    extensions: [
      common,
      keymap.of([...defaultKeymap, ...searchKeymap]),
      EditorState.readOnly.of(true),
      EditorView.editable.of(false),
      EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
      EditorView.domEventHandlers({ mousemove: pointed, mouseleave: () => line(null) }),
    ],
  });
  return new EditorView({ parent, state });
}

/** Replaces what differs, so that the cursor and the scroll position stay. */
export function setText(view: EditorView, text: string): void {
  const before = view.state.doc.toString();
  if (before === text) return;
  let start = 0;
  while (start < before.length && before[start] === text[start]) start += 1;
  let end = 0;
  const most = Math.min(before.length, text.length) - start;
  while (end < most && before.at(-1 - end) === text.at(-1 - end)) end += 1;
  view.dispatch({
    changes: { from: start, to: before.length - end, insert: text.slice(start, text.length - end) },
  });
}

/** Marks lines; `scrolls`: and brings the first one into view. */
export function linkLines(view: EditorView, lines: readonly number[], scrolls = false): void {
  const { doc } = view.state;
  const effects: StateEffect<unknown>[] = [setLinked.of(lines)];
  const [first] = lines;
  if (scrolls && first !== undefined && first <= doc.lines)
    effects.push(EditorView.scrollIntoView(doc.line(first).from, { y: "nearest", yMargin: 40 }));
  view.dispatch({ effects });
}

/** Selects a stretch, and scrolls to it. */
export function goTo(
  view: EditorView,
  { start, end }: { readonly start: number; readonly end: number },
): void {
  const { length } = view.state.doc;
  view.dispatch({
    selection: { anchor: Math.min(start, length), head: Math.min(end, length) },
    effects: EditorView.scrollIntoView(Math.min(start, length), { y: "center" }),
  });
  view.focus();
}

/** Underlines findings; the remedy stands below the message. */
export function showFindings(view: EditorView, findings: readonly BrowserFinding[]): void {
  const { length } = view.state.doc;
  const diagnostics = findings.map(({ span, severity, code, message, remedy }): Diagnostic => ({
    from: Math.min(span.start, length),
    to: Math.min(Math.max(span.end, span.start), length),
    severity,
    message,
    renderMessage: () => {
      const box = element("div", "pg-tip");
      box.append(element("b", "pg-tip-code", code), ` ${message}`);
      if (remedy !== "") box.append(element("div", "pg-tip-remedy", `What to do: ${remedy}.`));
      return box;
    },
  }));
  view.dispatch(setDiagnostics(view.state, diagnostics));
}

function element(tag: string, className: string, text = ""): HTMLElement {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}

const completionsFrom =
  ({ complete }: EditorHooks) =>
  async (context: CompletionContext): Promise<CompletionResult | null> => {
    const word = context.matchBefore(/[\w$]+/);
    const afterDot = context.matchBefore(/\.[\w$]*/);
    if (word === null && afterDot === null && !context.explicit) return null;
    const options = await complete(context.pos);
    if (context.aborted || options.length === 0) return null;
    return {
      from: word?.from ?? context.pos,
      options: options.map(({ label, type, sortText }) => ({ label, type, sortText })),
      validFor: /^[\w$]*$/,
    };
  };

function tooltipOf(hover: Hover | null) {
  if (hover === null) return null;
  return {
    pos: hover.start,
    end: hover.end,
    above: true,
    create: () => {
      const dom = element("div", "pg-hover");
      dom.append(element("code", "pg-hover-type", hover.signature));
      const [first = ""] = hover.documentation.split("\n\n");
      if (first !== "") dom.append(element("p", "pg-hover-text", first));
      return { dom };
    },
  };
}
