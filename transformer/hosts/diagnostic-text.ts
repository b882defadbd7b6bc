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
