// How easy texts are to read: the Flesch score by `text-readability`. In: README, guide, the other
// pages, and the messages of diagnostics. Out: a score for each; 50 and more is plain English, 100 is
// easier than a children's book. Code, tables and headings do not count; code within a sentence
// counts as one short word.

import { readFileSync } from "node:fs";
import path from "node:path";
import readability from "text-readability";
import { REGISTRY } from "../transformer/diagnostics/registry.ts";
import { pagesOf, README } from "./documents.ts";

export interface Ease {
  readonly name: string;
  readonly score: number;
}

/** The sentences of a document: one block a line, each with an end. */
export function proseOf(document: string): string {
  return document
    .replace(/^---\n[\s\S]*?\n---\n/, "")
    .replace(/<!-- generated[\s\S]*?<!-- end -->/g, "")
    .replace(/^```[\s\S]*?^```$/gm, "\n")
    .replace(/^(?:\||#|<).*$/gm, "\n")
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )/)
    .map(sentencesOf)
    .filter((block) => block !== "")
    .join("\n");
}

function sentencesOf(block: string): string {
  const plain = block
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/`[^`]*`|\{\d\}|\bTSG\d{4}\b/g, "Code")
    .replace(/^\s*(?:[-*]|\d+\.) /, "")
    .replace(/[*_]/g, "")
    .replace(/\s+/g, " ")
    .trim();
  const begun = plain.slice(0, 1).toUpperCase() + plain.slice(1);
  return begun === "" || /[.?!]$/.test(begun) ? begun : `${begun.replace(/[:;,]$/, "")}.`;
}

const scoreOf = (prose: string): number => readability.fleschReadingEase(prose);

const scoresOf = (root: string, names: readonly string[]): readonly Ease[] =>
  names
    .map((name) => ({ name, prose: proseOf(readFileSync(path.join(root, name), "utf8")) }))
    // a page of two sentences has no average
    .filter(({ prose }) => prose.split(" ").length >= 30)
    .map(({ name, prose }) => ({ name, score: scoreOf(prose) }));

/** The README alone. */
export const readmeEase = (root: string): readonly Ease[] => scoresOf(root, [README]);

/** Pages for learning: the guide, hosts, and those for people who know another system. */
export const guideEase = (root: string): readonly Ease[] =>
  scoresOf(root, pagesOf(root).filter(isGuide));

/** The pages for looking things up. */
export const referenceEase = (root: string): readonly Ease[] =>
  scoresOf(
    root,
    pagesOf(root).filter((name) => !isGuide(name) && name !== "docs/diagnostics.md"),
  );

const isGuide = (name: string): boolean => /^docs\/(?:guide|hosts|coming-from)\//.test(name);

/** What diagnostics print: the message and its remedy. */
export const messageEase = (): readonly Ease[] =>
  Object.entries(REGISTRY).map(([name, { message, help }]) => ({
    name,
    score: scoreOf([message, help].map(sentencesOf).join(" ")),
  }));

/** The page of each diagnostic. */
export const diagnosticPageEase = (): readonly Ease[] =>
  Object.entries(REGISTRY).map(([name, { page }]) => ({ name, score: scoreOf(proseOf(page)) }));

export const meanOf = (scores: readonly Ease[]): number =>
  scores.reduce((sum, { score }) => sum + score, 0) / scores.length;
