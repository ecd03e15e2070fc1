/** Problems of a scenario as the page shows them. */

import type { Problem } from "./protocol";

/** What is wrong with a value, without its place in the text and without its key. */
export function reason({ key, hint, text }: Problem): string {
  const line = text.split("\n")[0] ?? "";
  const start = line.lastIndexOf(`${key}: `);
  const said = start < 0 ? line : line.slice(start + `${key}: `.length);
  return hint === null ? said : `${said} (${hint})`;
}

/** The same with the key, for a list beside the text. */
export function brief(problem: Problem): string {
  const { file, line, column, key, hint, text } = problem;
  const place = `${file}:${line}:${column}: `;
  const first = text.split("\n")[0] ?? "";
  if (key !== null) return `${key}: ${reason(problem)}`;
  const said = first.startsWith(place) ? first.slice(place.length) : first;
  return hint === null ? said : `${said} (${hint})`;
}
