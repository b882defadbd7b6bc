// Records an analysis' file system queries with their answers, and checks whether they still hold.
// Invariant: an analysis with the same answers makes the same queries.

import type { PackageSystem } from "../analyse.ts";
import { digest } from "./cache-folder.ts";

/** A query, its argument, and the answer; for a file's text its digest. */
export type Query = readonly [question: Question, about: string, answer: unknown];

type Question =
  | "fileExists"
  | "readFile"
  | "directoryExists"
  | "realpath"
  | "loaded"
  | "getDirectories"
  | "getCurrentDirectory"
  | "useCaseSensitiveFileNames";

export interface RecordedSystem {
  readonly system: PackageSystem;
  readonly readings: () => readonly Query[];
}

/** Records the files that are queried, and checks by `version` whether they have changed since. */
export function versionedSystem(
  system: PackageSystem,
  version: (file: string) => string,
): { readonly system: PackageSystem; readonly isCurrent: () => boolean } {
  const noted = new Map<string, string>();
  const note = (file: string): string => {
    if (!noted.has(file)) noted.set(file, version(file));
    return file;
  };
  return {
    system: {
      ...system,
      fileExists: (file) => system.fileExists(note(file)),
      readFile: (file) => system.readFile(note(file)),
    },
    isCurrent: () => [...noted].every(([file, before]) => version(file) === before),
  };
}

const textOf = (text: string | undefined): string | null =>
  text === undefined ? null : digest(text).toString("hex");

export function recordQueries(system: PackageSystem): RecordedSystem {
  const noted = new Map<string, Query>();
  const note = <A>(question: Question, about: string, answer: A, shown: unknown = answer): A => {
    noted.set(`${question} ${about}`, [question, about, shown ?? null]);
    return answer;
  };
  const {
    directoryExists,
    realpath,
    getDirectories,
    getCurrentDirectory,
    useCaseSensitiveFileNames,
    loaded,
  } = system;
  return {
    readings: () => [...noted.values()],
    system: {
      fileExists: (file) => note("fileExists", file, system.fileExists(file)),
      readFile: (file) => {
        const text = system.readFile(file);
        return note("readFile", file, text, textOf(text));
      },
      ...(directoryExists === undefined
        ? {}
        : {
            directoryExists: (name) =>
              note("directoryExists", name, directoryExists.call(system, name)),
          }),
      ...(realpath === undefined
        ? {}
        : { realpath: (name) => note("realpath", name, realpath.call(system, name)) }),
      ...(getDirectories === undefined
        ? {}
        : {
            getDirectories: (name) =>
              note("getDirectories", name, getDirectories.call(system, name)),
          }),
      ...(loaded === undefined
        ? {}
        : {
            loaded: (...question) =>
              note("loaded", JSON.stringify(question), loaded.call(system, ...question)),
          }),
      ...(getCurrentDirectory === undefined
        ? {}
        : {
            getCurrentDirectory: () =>
              note("getCurrentDirectory", "", getCurrentDirectory.call(system)),
          }),
      ...(useCaseSensitiveFileNames === undefined
        ? {}
        : {
            useCaseSensitiveFileNames: () =>
              note("useCaseSensitiveFileNames", "", isCaseSensitive(system)),
          }),
    },
  };
}

export const hasSameAnswers = (
  readings: readonly Query[],
  system: PackageSystem | undefined,
): boolean =>
  readings.every(
    ([question, about, answer]) =>
      system !== undefined &&
      JSON.stringify(answerOf(system, question, about) ?? null) === JSON.stringify(answer),
  );

function answerOf(system: PackageSystem, question: Question, about: string): unknown {
  switch (question) {
    case "fileExists":
      return system.fileExists(about);
    case "readFile":
      return textOf(system.readFile(about));
    case "directoryExists":
      return system.directoryExists?.(about);
    case "realpath":
      return system.realpath?.(about);
    case "getDirectories":
      return system.getDirectories?.(about);
    case "getCurrentDirectory":
      return system.getCurrentDirectory?.();
    case "loaded":
      return system.loaded?.(
        // as `loaded` below has written it
        ...(JSON.parse(about) as Parameters<NonNullable<PackageSystem["loaded"]>>),
      );
    case "useCaseSensitiveFileNames":
      return isCaseSensitive(system);
  }
}

function isCaseSensitive({ useCaseSensitiveFileNames: is }: PackageSystem): boolean {
  return typeof is === "function" ? is() : (is ?? true);
}
