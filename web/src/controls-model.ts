/** What controls write into the project, and which of them a problem or a search concerns. */

import { reason } from "./problem";
import type { Control, Problem } from "./protocol";
import { keyOf, type Project } from "./state";

/** Whose values are changed: a variant's, by its number, or those of all variants. */
export type Target = number | undefined;

/** What tells a control from the others: a key whose value has two forms has two. */
export const idOf = (control: Control): string => `${control.path} ${control.widget.kind}`;

/** Whether a key is another one, or below it. */
export function isWithin(key: string, other: string): boolean {
  return key === other || key.startsWith(`${other}.`) || key.startsWith(`${other}[`);
}

/** A text in the quotes of TOML. */
export function quoted(text: string): string {
  return JSON.stringify(text).replaceAll("\u007f", "\\u007f");
}

/** What a text that the visitor types for a key sets, `undefined` for none. */
export function valueOf(control: Control, typed: string): string | undefined {
  const text = typed.trim();
  if (text === "") return undefined;
  return control.widget.kind === "text" && control.widget.quoted ? quoted(typed) : text;
}

/** The changes of a target. */
export function changesOf(project: Project, target: Target): string[] {
  return target === undefined ? project.changes : (project.variants[target]?.changes ?? []);
}

/** Whether a target changes a key, or a key below it. */
export function changes(project: Project, target: Target, key: string): boolean {
  return changesOf(project, target).some((change) => isWithin(keyOf(change), key));
}

/**
 * The project with a value of a key, or without it. Changes of keys below it go: they belong to the value that is replaced,
 * such as the settings of another kind.
 */
export function assigned(project: Project, target: Target, key: string, value: string | undefined): Project {
  const others = changesOf(project, target).filter((change) => !isWithin(keyOf(change), key));
  const set = value === undefined ? others : [...others, `${key}=${value}`];
  if (target === undefined) return { ...project, changes: set };
  const variants = project.variants.map((variant, number) => {
    if (number !== target) return variant;
    const scheme = key === "scheme" && value !== undefined ? undefined : variant.scheme;
    return { ...variant, changes: set, scheme };
  });
  return { ...project, variants };
}

/** The variants that have a value of their own of a key, so that a change for all does not concern them. */
export function exceptions(project: Project, key: string): string[] {
  const own = project.variants.filter(
    ({ changes, scheme }) => (scheme !== undefined && key === "scheme") || changes.some((change) => isWithin(key, keyOf(change))),
  );
  return own.map((variant) => variant.name);
}

/** The problems of each control: that of the key, or of the nearest key above it that has a control, or else those below it. */
export function problemsOf(controls: Control[], problems: Problem[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const problem of problems) {
    const { key } = problem;
    if (key === null) continue;
    const text = reason(problem);
    const above = controls.filter(({ path }) => isWithin(key, path));
    const longest = Math.max(...above.map(({ path }) => path.length));
    const nearest = above.length > 0 ? above.filter(({ path }) => path.length === longest) : controls.filter(({ path }) => isWithin(path, key));
    for (const control of nearest) {
      const texts = found.get(idOf(control)) ?? [];
      if (!texts.includes(text)) found.set(idOf(control), [...texts, text]);
    }
  }
  return found;
}

/** The controls that have all words of a search, those with the words in their key first. */
export function matching(controls: Control[], search: string): Control[] {
  const words = search.toLowerCase().split(/\s+/).filter((word) => word !== "");
  const has = (text: string): boolean => words.every((word) => text.toLowerCase().includes(word));
  const inKey = controls.filter((control) => has(`${control.path} ${control.title}`));
  const inMeaning = controls.filter((control) => !inKey.includes(control) && has(`${control.path} ${control.title} ${control.meaning}`));
  return [...inKey, ...inMeaning];
}
