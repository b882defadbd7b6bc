// What was found, for tools that print text only. In: a finding. Out: its message with its place, and the calls that led to it, each with its own.

import type { Finding, Located } from "./program-service.ts";

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
