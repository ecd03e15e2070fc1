/** The command line that repeats a run. */

import type { Project, Variant } from "./state";

const HARMLESS = /^[A-Za-z0-9_./=:,%+@-]+$/;

/** A character of a text in `$'...'`. */
function escaped(letter: string): string {
  if (letter === "'" || letter === "\\") return `\\${letter}`;
  const code = letter.codePointAt(0) ?? 0;
  if (!/\p{C}/u.test(letter)) return letter;
  return code < 0x80 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\U${code.toString(16).padStart(8, "0")}`;
}

/**
 * A word for a shell. Control characters are written as escapes (bash, zsh, ksh): a terminal would act on them when the
 * line is pasted.
 */
export function quote(word: string): string {
  if (HARMLESS.test(word)) return word;
  if (/\p{C}/u.test(word)) return `$'${Array.from(word, escaped).join("")}'`;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A name for a file to be saved: the last part of `name`, without characters that file systems refuse. */
export function fileName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? "";
  const safe = last.replace(/[\p{C}"*:<>?|]/gu, "-").trim().replace(/^[.-]+/, "").slice(0, 100);
  return safe || "scenario.toml";
}

/** The command that runs a variant of the scenario in `file`. */
export function command(project: Project, variant: Variant, file: string): string {
  const changes = [...project.changes, ...variant.changes].flatMap((change) => ["--set", quote(change)]);
  const scheme = variant.scheme === undefined ? [] : ["--scheme", quote(variant.scheme)];
  return ["lasthop", "run", quote(file), ...changes, ...scheme].join(" ");
}
