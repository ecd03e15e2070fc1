/** What crosses between the page and its workers. The types of data are those of the Rust crates, in `protocol-types.ts`. */

import type {
  AxisPlace, Control, Entry, Journeys, Lesson, Metric, Problem, Readings, Report, RunFigure, Summary, SweepSuggestion, Variant,
} from "./protocol-types";

export type * from "./protocol-types";

/** A scenario with its changes: all that a run depends on. */
export interface Subject {
  /** Name of the scenario's file, the place beside which it names files. */
  name: string;
  text: string;
  /** Files that the scenario names. */
  files: Record<string, Uint8Array>;
  /** Changes `KEY=VALUE`, as the command's `--set`. */
  changes: string[];
  /** The scheme of every node, as the command's `--scheme`. */
  scheme?: string | undefined;
}

/** What replications gave for a subject of a case; NaN for those without a value. */
export interface Values {
  subject: string;
  replications: Uint32Array;
  values: Float64Array;
}

/** A precision of the mean, as the sweep's `replications = { precision, min, max }`. */
export interface Precision {
  precision: number;
  min: number;
  max: number;
}

/** A variant's run for a lesson: the head of its figure as JSON, and the columns to which it refers. */
export interface LessonRun {
  variant: string;
  head: string;
  columns: Float64Array[];
}

/** What is evaluated on the runs of a lesson: a comparison, or whether a number answers a question. */
export type Evaluated = { holds: string } | { value: string; unit?: string | undefined; tolerance: number; given: number };

/** The calls that a worker answers, with their arguments and results. */
export interface Calls {
  about: { arguments: []; result: { version: string; model: number; schema: string } };
  check: { arguments: [Subject]; result: Problem[] };
  toml: { arguments: [Subject]; result: string };
  summary: { arguments: [Subject]; result: Summary };
  /** The series; with `true` also delays and reports. */
  figure: { arguments: [Subject, boolean]; result: RunFigure };
  /** Where packets are from a time to another, with about so many rows at most: it ends early if there are more. */
  journeys: { arguments: [Subject, number, number, number]; result: Journeys };
  /** The picture of a flow as SVG, from and to a time in ns or over the whole run; with `true` light on dark ground. */
  picture: { arguments: [Subject, number, bigint | undefined, bigint | undefined, boolean]; result: string };
  /** The reports of all flows over TCP, with at most so many findings each. */
  explain: { arguments: [Subject, number]; result: Report[] };
  /** The controls of all keys; values need not be valid. */
  controls: { arguments: [Subject]; result: Control[] };
  /** What to show side by side when the scenario is opened. */
  variants: { arguments: [Subject]; result: Variant[] };
  metrics: { arguments: []; result: Metric[] };
  /** The leading metric, and suggested axes with their values as text. */
  sweep: { arguments: [Subject]; result: SweepSuggestion };
  /** The values of an axis over a key, from a text. */
  axis: { arguments: [string, string]; result: AxisPlace[] };
  /** All metrics of a run; with `true` also those of delays. */
  readings: { arguments: [Subject, boolean]; result: Readings };
  /** Statistics of a metric: of several groups, each the values of its cases. */
  statistics: { arguments: [string, Values[][][]]; result: Entry[][] };
  lesson: { arguments: [string]; result: Lesson };
  /** Texts with results of runs, and the truth of what is asked; a text if it has no value on these runs. */
  evaluate: { arguments: [LessonRun[], string[], Evaluated | undefined]; result: { texts: string[]; truth: boolean | string } };
  /** Further replications that a precision of a metric needs after so many of each case. */
  needed: { arguments: [string, Values[][], Precision, number]; result: number };
}

export type Call = keyof Calls;

/** To a worker: the compiled module once, then calls. */
export type Request = { module: WebAssembly.Module } | { id: number; call: Call; arguments: unknown[] };

/** From a worker. */
export type Response =
  | { id: number; progress: number }
  | { id: number; result: unknown }
  | { id: number; problems: Problem[] }
  | { id: number; failed: string };
