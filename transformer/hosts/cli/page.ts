// `tsgrad explain TSG1103`: the page of a diagnostic, as docs/diagnostics.md has it.

import { sectionOf } from "../../diagnostics/page.ts";
import { isCode, REGISTRY } from "../../diagnostics/registry.ts";
import { print, printJson, WrongWords } from "./command.ts";
import { suggested } from "./words.ts";

/** Whether a word is meant as a diagnostic's code. */
export const isCodeLike = (word: string): boolean => /^TSG\w*$/i.test(word);

export function printPage(word: string, isJson: boolean): number {
  const code = word.toUpperCase();
  if (!isCode(code))
    throw new WrongWords(`there is no diagnostic ${word}${suggested(code, Object.keys(REGISTRY))}`);
  const entry = REGISTRY[code];
  if (isJson) printJson({ code, ...entry });
  else print(sectionOf(code, entry));
  return 0;
}
