// Prints a finding as text: its place and message, and the call sites that led to it.

import type { Finding, Located } from "./findings.ts";

export function findingText(finding: Finding): string {
  const at = finding.at === null ? "" : `${where(finding.at)} - `;
  return [
    `${at}${finding.text}`,
    ...finding.notes.map(
      (note) => `  ${note.text}${note.at === null ? "" : ` (${where(note.at)})`}`,
    ),
  ].join("\n");
}

const where = ({ file, line, column }: Located): string => `${file}:${line}:${column + 1}`;

/** Passes warnings to `warn`, and gives all errors as one, for tools that stop at the first. */
export function errorIn(findings: readonly Finding[], warn: (text: string) => void): Error | null {
  const errors = findings.filter(({ severity }) => severity === "error");
  for (const finding of findings) if (!errors.includes(finding)) warn(findingText(finding));
  if (errors.length === 0) return null;
  return Object.assign(new Error(errors.map(findingText).join("\n")), { stack: "" });
}

/** For hosts without warnings of their own. */
export const toStderr = (text: string): void => void process.stderr.write(`${text}\n`);
