// Colours of code, by CSS variables of playground.css: dark mode changes those, and no editor.

import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { tags as t } from "@lezer/highlight";

const style = HighlightStyle.define([
  { tag: [t.keyword, t.modifier, t.operatorKeyword], color: "var(--pg-keyword)" },
  { tag: [t.controlKeyword, t.moduleKeyword], color: "var(--pg-keyword)" },
  { tag: [t.string, t.regexp, t.special(t.string)], color: "var(--pg-string)" },
  { tag: [t.number, t.bool, t.null, t.atom], color: "var(--pg-number)" },
  { tag: [t.comment], color: "var(--pg-comment)", fontStyle: "italic" },
  { tag: [t.typeName, t.className, t.namespace], color: "var(--pg-type)" },
  { tag: [t.function(t.variableName), t.function(t.propertyName)], color: "var(--pg-function)" },
  { tag: [t.definition(t.variableName), t.variableName], color: "var(--pg-text)" },
  { tag: [t.propertyName], color: "var(--pg-property)" },
  { tag: [t.operator, t.punctuation, t.bracket], color: "var(--pg-punctuation)" },
]);

const theme = EditorView.theme({
  "&": { height: "100%", color: "var(--pg-text)", backgroundColor: "transparent" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--vp-font-family-mono)", fontSize: "13px", lineHeight: "1.6" },
  ".cm-content": { padding: "10px 0", caretColor: "var(--vp-c-brand-1)" },
  ".cm-line": { padding: "0 12px 0 6px" },
  // text scrolls below them
  ".cm-gutters": {
    backgroundColor: "var(--vp-c-bg)",
    border: "none",
    color: "var(--vp-c-text-3)",
  },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "28px", padding: "0 8px 0 4px" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--pg-active-line)" },
  ".cm-linked": {
    backgroundColor: "var(--pg-linked)",
    boxShadow: "inset 2px 0 var(--vp-c-brand-1)",
  },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground":
    { backgroundColor: "var(--pg-selection)" },
  ".cm-cursor": { borderLeftColor: "var(--vp-c-brand-1)", borderLeftWidth: "2px" },
  ".cm-matchingBracket": { backgroundColor: "var(--pg-selection)", outline: "none" },
  ".cm-tooltip": {
    backgroundColor: "var(--vp-c-bg-elv)",
    color: "var(--vp-c-text-1)",
    border: "1px solid var(--vp-c-divider)",
    borderRadius: "8px",
    boxShadow: "var(--vp-shadow-3)",
    overflow: "hidden",
    maxWidth: "560px",
  },
  ".cm-tooltip-autocomplete > ul > li": { padding: "3px 10px", fontSize: "13px" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--vp-c-brand-soft)",
    color: "var(--vp-c-text-1)",
  },
  ".cm-diagnostic": { padding: "8px 12px", borderLeftWidth: "3px", whiteSpace: "normal" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--vp-c-danger-1)" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--vp-c-warning-1)" },
  ".cm-lintRange-error": {
    backgroundImage: "none",
    textDecoration: "underline wavy var(--vp-c-danger-1)",
    textUnderlineOffset: "3px",
  },
  ".cm-lintRange-warning": {
    backgroundImage: "none",
    textDecoration: "underline wavy var(--vp-c-warning-1)",
    textUnderlineOffset: "3px",
  },
  ".cm-panels": { backgroundColor: "var(--vp-c-bg-alt)", color: "var(--vp-c-text-1)" },
});

export const codeColours: Extension = [syntaxHighlighting(style), theme];
