/** What crosses between the page and its workers. Heads of figures are those of the Rust crate `figure`. */

import type { Journeys } from "./journeys";
import type { Variant } from "./state";

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

/** A problem of a scenario, as `lasthop check` reports it. */
export interface Problem {
  file: string | null;
  line: number | null;
  column: number | null;
  key: string | null;
  found: string | null;
  expected: string;
  hint: string | null;
  lint: string | null;
  /** What the command prints. */
  text: string;
}

/** Rows of `width` values. */
export interface Column {
  values: Float64Array;
  width: number;
}

/** All marks of one kind. */
export interface Marks {
  kind: string;
  label: string;
  what: string;
  why: string;
  rule: string;
  /** Rows of time and offset (NaN without one). */
  points: Column;
}

/** A finding of `explain`. */
export interface Finding {
  kind: string;
  avoidable: boolean;
  from_s: number;
  to_s: number;
  cost_ms: number;
  text: string;
}

/** What `lasthop explain --json` prints of a flow. */
export interface Report {
  flow: string;
  completed: boolean;
  took_ms: number;
  timeouts: number;
  budget_ms: Record<string, number>;
  blocked_ms: Record<string, number>;
  lost_ms: number;
  lost_avoidably_ms: number;
  kinds: { kind: string; count: number; cost_ms: number }[];
  findings: Finding[];
}

/** A flow's series; times in seconds, offsets and windows in bytes. Columns are described in the crate `figure`. */
export interface FlowFigure {
  name: string;
  from: string;
  to: string;
  segment: number;
  receive_window: number | null;
  began: number;
  ended: number;
  sent: Column;
  acks: Column;
  windows: Column;
  rtts: Column;
  rtos: Column;
  queue_name: string;
  queue: Column;
  goodput: Column;
  bad: Column;
  blocked: Column;
  blocked_reasons: string[];
  marks: Marks[];
  /** What `explain` finds; null until then. */
  report: Report | null;
}

/** One flow's part of a summary; further keys as in the summary's schema. */
export interface FlowSummary {
  name: string;
  completed: boolean;
  completion_time_s: number | null;
  goodput_bps: number | null;
  timeouts: number;
  [key: string]: unknown;
}

/** The summary of a run, as `lasthop run --json` prints it. */
export interface Summary {
  title: string;
  scheme: string;
  seed: number;
  simulated_s: number;
  flows: FlowSummary[];
  [key: string]: unknown;
}

/** A run with its figure. */
export interface RunFigure {
  summary: Summary;
  ended: number;
  overflowed: boolean;
  flows: FlowFigure[];
}

/** A number of a run. */
export interface Metric {
  name: string;
  unit: string;
  /** Whose it is: run, flow, direction, medium, station, node or arrivals. */
  scope: string;
  /** Which values are better: lower, higher or neither. */
  better: string;
  definition: string;
  /** Whether it has values only if delays are measured. */
  delays: boolean;
}

/** All metrics of one run. */
export interface Readings {
  /** Metric and subject of each value. */
  names: [string, string][];
  /** The values, NaN where the run gave none. */
  values: Column;
}

/** What replications gave for a subject of a case; NaN for those without a value. */
export interface Values {
  subject: string;
  replications: Uint32Array;
  values: Float64Array;
}

/** Statistics of a subject of a case, with the keys of `lasthop sweep --json`. */
export interface Entry {
  /** Number of the case; the others are compared with the first. */
  case: number;
  subject: string;
  n: number;
  without: number;
  mean: number | null;
  ci: [number, number] | null;
  half_width: number | null;
  quantiles: { share: number; value: number; ci: [number, number] | null }[];
  against_first: {
    pairs: number;
    difference: number;
    difference_ci: [number, number] | null;
    change_percent: number | null;
    change_percent_ci: [number, number] | null;
  } | null;
  difference_half_width: number | null;
  change_percent_half_width: number | null;
  /** Sign of the difference, 0 if its interval contains 0. */
  sign: -1 | 0 | 1 | null;
  [key: string]: unknown;
}

/** A precision of the mean, as the sweep's `replications = { precision, min, max }`. */
export interface Precision {
  precision: number;
  min: number;
  max: number;
}

/** An entry of a menu. */
export interface Choice {
  /** How it is shown, and what the control's `current` is if it is chosen. */
  label: string;
  /** How it is written in `KEY=VALUE`. */
  value: string;
  meaning: string;
}

/** The form of a control. */
export type Widget =
  /** The positions as they are written in `KEY=VALUE`, and the one nearest to the current value. */
  | { kind: "slider"; stops: string[]; at: number }
  | { kind: "menu"; choices: Choice[] }
  | { kind: "switch" }
  /** A text that is written in quotes, or a value of TOML. */
  | { kind: "text"; quoted: boolean; example: string };

/** The control of a key, as the crate `scenario` describes it. A key has two if its value has two forms. */
export interface Control {
  path: string;
  /** The table that contains it, empty at the top. */
  group: string;
  title: string;
  meaning: string;
  widget: Widget;
  default: string | null;
  /** The value in the text, null if the text does not set it. */
  written: string | null;
  /** The value with all changes. */
  current: string | null;
  changed: boolean;
  optional: boolean;
  /** Its rank among the important keys. */
  important: number | null;
}

/** Changes of a variant that a step of a lesson makes. */
export interface LessonChange {
  variant: string;
  set: string[];
}

/** What makes a step of a lesson done; the crate `figure` describes the keys. */
export type LessonCheck =
  | { kind: "metric"; that: string; not_yet: string }
  | { kind: "mark"; mark: string; variant?: string; missed: string }
  | { kind: "answer"; ask: string; value: string; unit?: string; tolerance: number; hint: string }
  | { kind: "choice"; ask: string; choices: { text: string; right_if: string }[]; hint: string };

export interface LessonStep {
  try: string;
  do?: LessonChange[];
  see: string;
  why: string;
  range?: [number, number];
  flow?: string;
  check: LessonCheck;
}

/** A lesson, with the keys of its file. */
export interface Lesson {
  title: string;
  example: string;
  question: string;
  introduction: string;
  range?: [number, number];
  flow?: string;
  variants: { name: string; changes?: string[]; scheme?: string }[];
  steps: LessonStep[];
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
  sweep: { arguments: [Subject]; result: { metric: string; axes: { key: string; values: string; declared: boolean }[] } };
  /** The values of an axis over a key, from a text. */
  axis: { arguments: [string, string]; result: { shown: string; change: string }[] };
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
