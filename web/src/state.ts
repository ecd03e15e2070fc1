/** What the visitor works on, with undo. */

import type { Subject } from "./protocol";

/** One of the runs that are shown side by side. */
export interface Variant {
  name: string;
  /** Changes `KEY=VALUE` of this variant alone. */
  changes: string[];
  scheme?: string | undefined;
}

/** A scenario with all changes. It is never modified: each step makes another. */
export interface Project {
  name: string;
  text: string;
  files: Record<string, Uint8Array>;
  /** Changes `KEY=VALUE` of all variants. */
  changes: string[];
  variants: Variant[];
}

/** The key of a change. */
export function keyOf(change: string): string {
  return change.slice(0, change.indexOf("="));
}

/** The changes with another one; an earlier change of its key is replaced. `undefined` for a value removes the key. */
export function changed(changes: string[], key: string, value: string | undefined): string[] {
  const others = changes.filter((change) => keyOf(change) !== key);
  return value === undefined ? others : [...others, `${key}=${value}`];
}

/** What a variant's run depends on. */
export function subjectOf(project: Project, variant: Variant): Subject {
  const { name, text, files } = project;
  return { name, text, files, changes: [...project.changes, ...variant.changes], scheme: variant.scheme };
}

/** Calls its subscribers after each change. */
export class Signal<T> {
  private subscribers = new Set<(value: T) => void>();

  constructor(private current: T) {}

  get value(): T {
    return this.current;
  }

  set value(value: T) {
    this.current = value;
    for (const subscriber of this.subscribers) subscriber(value);
  }

  /** Calls `subscriber` now and after each change; returns a function that ends this. */
  subscribe(subscriber: (value: T) => void): () => void {
    this.subscribers.add(subscriber);
    subscriber(this.current);
    return () => this.subscribers.delete(subscriber);
  }
}

/** Most steps that can be undone. */
const STEPS = 200;

export class Store {
  readonly project: Signal<Project>;
  private past: Project[] = [];
  private future: Project[] = [];
  private merging: string | undefined;
  /** The project as it was opened. */
  private opened: Project;

  constructor(project: Project) {
    this.project = new Signal(project);
    this.opened = project;
  }

  /** Opens another project, which can be undone. */
  open(project: Project): void {
    this.opened = project;
    this.step(project);
  }

  /** Changes the project. Successive steps with the same `merge`, such as the moves of one slider, are undone as one. */
  step(project: Project, merge?: string): void {
    if (merge === undefined || merge !== this.merging) {
      this.past.push(this.project.value);
      if (this.past.length > STEPS) this.past.shift();
    }
    this.merging = merge;
    this.future = [];
    this.project.value = project;
  }

  get canUndo(): boolean {
    return this.past.length > 0;
  }

  get canRedo(): boolean {
    return this.future.length > 0;
  }

  /** Whether the project differs from what was opened. */
  get isChanged(): boolean {
    return this.project.value !== this.opened;
  }

  undo(): void {
    const project = this.past.pop();
    if (project === undefined) return;
    this.future.push(this.project.value);
    this.merging = undefined;
    this.project.value = project;
  }

  redo(): void {
    const project = this.future.pop();
    if (project === undefined) return;
    this.past.push(this.project.value);
    this.merging = undefined;
    this.project.value = project;
  }

  /** Back to the project as it was opened. */
  reset(): void {
    this.step(this.opened);
  }

  /** Sets a key for all variants. */
  set(key: string, value: string | undefined, merge?: string): void {
    const project = this.project.value;
    this.step({ ...project, changes: changed(project.changes, key, value) }, merge);
  }
}
