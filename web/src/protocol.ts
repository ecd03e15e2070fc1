/** What crosses between the page and its workers. Heads of figures are those of the Rust crate `figure`. */

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

/** The calls that a worker answers, with their arguments and results. */
export interface Calls {
  about: { arguments: []; result: { version: string; model: number; schema: string } };
  check: { arguments: [Subject]; result: Problem[] };
  toml: { arguments: [Subject]; result: string };
  summary: { arguments: [Subject]; result: Summary };
  /** The series; with `true` also delays and reports. */
  figure: { arguments: [Subject, boolean]; result: RunFigure };
  /** The reports of all flows over TCP, with at most so many findings each. */
  explain: { arguments: [Subject, number]; result: Report[] };
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
