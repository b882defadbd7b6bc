// The text of `--help`, from the table of commands.

import type { Command, Flag } from "./command.ts";

const INDENT = 2;

/** Rows of two columns; the second begins at the same place in all of them. */
function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length)) + INDENT;
  return rows.map(([left, right]) => `  ${left.padEnd(width)}${right}`).join("\n");
}

export function helpOf(name: string, command: Command): string {
  const { usage, about, details = [], examples, flags, codes, takesCompilerFlags } = command;
  const all: Readonly<Record<string, Flag>> = {
    ...flags,
    help: { short: "h", about: "print this text" },
  };
  const sections = [
    `tsgrad ${name} ${usage}`.trimEnd(),
    [about, ...details].join("\n"),
    `Flags${takesCompilerFlags === true ? " (besides tsc's own)" : ""}:\n${columns(
      Object.entries(all).map(([flag, { short, value, about: text }]) => [
        `${short === undefined ? "    " : `-${short}, `}--${flag}${value === undefined ? "" : ` ${value}`}`,
        text,
      ]),
    )}`,
    `Exit codes:\n${columns(Object.entries(codes))}`,
    `Examples:\n${examples.map((line) => `  ${line}`).join("\n")}`,
  ];
  return `${sections.join("\n\n")}\n`;
}

export function overview(commands: Readonly<Record<string, Command>>): string {
  const rows = Object.entries(commands).map(
    ([name, { usage, about }]) =>
      [`tsgrad ${name} ${usage}`.trimEnd(), about.split("\n", 1)[0] ?? ""] as const,
  );
  return `tsgrad: derivatives of TypeScript functions, at build time

${columns([...rows, ["tsgrad --version", "print the versions of tsgrad and of its TypeScript"]])}

tsgrad <command> --help says more: flags, exit codes, examples.
`;
}
