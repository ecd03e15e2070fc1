/** Lessons as data: their files, changes, answers and progress. Expressions are evaluated by the crate `figure`. */

import { el } from "./dom";
import { assigned } from "./controls-model";
import { fetchExample, written } from "./opened";
import type { Evaluated, Lesson, LessonChange, LessonCheck, LessonRun, RunFigure } from "./protocol";
import type { Project } from "./state";

/** An entry of the index that the build makes. */
export interface Listed {
  file: string;
  title: string;
  question: string;
}

/** What the reader has given: the number or the choice, or a mark's kind with its variant. */
export type Given = { number: number } | { choice: number } | { kind: string; variant: string };

/** All lessons, in their order. */
export async function listed(): Promise<Listed[]> {
  return (await (await fetchExample("lessons/index.json")).json()) as Listed[];
}

/** The text of a lesson's file. */
export async function textOf(file: string): Promise<string> {
  return (await fetchExample(`lessons/${file}`)).text();
}

/** A project with changes of its variants. */
export function followed(project: Project, changes: LessonChange[]): Project {
  let changed = project;
  for (const { variant, set } of changes) {
    const number = project.variants.findIndex(({ name }) => name === variant);
    if (number < 0) continue;
    for (const change of set) {
      const at = change.indexOf("=");
      changed = assigned(changed, number, change.slice(0, at), change.slice(at + 1));
    }
  }
  return changed;
}

/** The lesson's example as it is before a step. */
export async function projectOf(lesson: Lesson, step: number): Promise<Project> {
  const scenario = await written(lesson.example);
  if (!scenario) throw new Error(`the page has no example ${lesson.example}`);
  const variants = lesson.variants.map(({ name, changes, scheme }) => ({ name, changes: changes ?? [], scheme }));
  const project: Project = { ...scenario, changes: [], variants };
  return lesson.steps.slice(0, step).reduce((before, { do: changes }) => followed(before, changes ?? []), project);
}

/** Whether a project still has what the lesson speaks of. */
export function concerns(lesson: Lesson, project: Project): boolean {
  const named = new Set(project.variants.map(({ name }) => name));
  return project.name === lesson.example && lesson.variants.every(({ name }) => named.has(name));
}

/** A run for the evaluation of expressions: the head refers to its columns by their numbers. */
export function runOf(variant: string, figure: RunFigure): LessonRun {
  const columns: Float64Array[] = [];
  const head = JSON.stringify(figure, (_, value: unknown) => {
    if (typeof value !== "object" || value === null || !("values" in value) || !(value.values instanceof Float64Array)) return value;
    columns.push(value.values);
    return { ...value, values: undefined, column: columns.length - 1 };
  });
  return { variant, head, columns };
}

/** What must be evaluated to judge a check; a truth value if it is known without the runs. */
export function questionOf(check: LessonCheck, given: Given | undefined): Evaluated | boolean {
  if (check.kind === "metric") return { holds: check.that };
  if (given === undefined) return false;
  if (check.kind === "mark" && "kind" in given) {
    return given.kind === check.mark && (check.variant === undefined || check.variant === given.variant);
  }
  if (check.kind === "answer" && "number" in given) {
    const { value, unit, tolerance } = check;
    return Number.isFinite(given.number) && { value, unit, tolerance, given: given.number };
  }
  const choice = check.kind === "choice" && "choice" in given ? check.choices[given.choice] : undefined;
  return choice !== undefined && { holds: choice.right_if };
}

/** The hint after what was not right. */
export function hintOf(check: LessonCheck): string {
  return check.kind === "metric" ? check.not_yet : check.kind === "mark" ? check.missed : check.hint;
}

/** Code and emphasis of a line in Markdown. */
function inline(text: string): (Node | string)[] {
  return text.split(/(`[^`]*`|\*[^*]+\*)/).map((part) => {
    const inner = part.slice(1, -1);
    if (part.length > 1 && part.startsWith("`")) return el("code", {}, inner);
    return part.length > 2 && part.startsWith("*") ? el("em", {}, inner) : part;
  });
}

/** The paragraphs of a text in Markdown. */
export function paragraphs(text: string): HTMLElement[] {
  return text.split(/\n\s*\n/).map((paragraph) => el("p", {}, ...inline(paragraph)));
}

/** A text in Markdown of one line, such as a label's. */
export function line(text: string): HTMLElement {
  return el("span", {}, ...inline(text));
}

const PROGRESS = "lasthop-lessons";

/** The files of the lessons that are done. */
export function done(): Set<string> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(PROGRESS) ?? "[]");
    return new Set(Array.isArray(kept) ? kept.filter((file) => typeof file === "string") : []);
  } catch {
    return new Set();
  }
}

/** Keeps that a lesson is done, where the browser permits it. */
export function keepDone(file: string): void {
  try {
    localStorage.setItem(PROGRESS, JSON.stringify([...done().add(file)]));
  } catch {
    // Private windows have no storage: the progress is forgotten.
  }
}
