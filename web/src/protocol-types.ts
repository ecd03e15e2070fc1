// Generated from the Rust types of the crates figure and scenario. After a change of these:
// UPDATE_GOLDEN=1 cargo test -p lasthop-figure protocol

/** A problem of a scenario, as `lasthop check` reports it. */
export type Problem = { file: string | null, line: number | null, column: number | null, key: string | null, found: string | null, expected: string, hint: string | null, lint: string | null, 
/** What the command prints. */
text: string, };

/** A column's place in the list, and the number of values in each of its rows. */
export type Column = { values: Float64Array; width: number };

/** All marks of one kind in a flow. */
export type Marks = { 
/** The kind, by the name that style sheets, legends and lessons use. */
kind: string, 
/** The name in legends. */
label: string, 
/** What happened. */
what: string, 
/** Why. */
why: string, 
/** The rule: a section of an RFC or of a paper; empty if the model itself is the cause. */
rule: string, 
/** Rows of time (seconds) and offset in the stream (bytes; NaN if the event has none). */
points: Column, };

/** A finding of `explain`. */
export type Finding = { kind: string, avoidable: boolean, from_s: number, to_s: number, cost_ms: number, text: string, };

/** All findings of a kind. */
export type FindingKind = { kind: string, count: number, cost_ms: number, };

/** The report on a flow as `lasthop explain --json` prints it. */
export type Report = { flow: string, completed: boolean, took_ms: number, timeouts: number, budget_ms: Record<string, number>, blocked_ms: Record<string, number>, lost_ms: number, lost_avoidably_ms: number, kinds: Array<FindingKind>, findings: Array<Finding>, };

/** A flow's names, series and findings. All times are in seconds, all offsets and windows in bytes. */
export type FlowFigure = { name: string, from: string, to: string, 
/** Bytes of data in a full segment. */
segment: number, 
/** The advertised receive window in bytes. */
receive_window: number | null, began: number, ended: number, 
/** Rows of time, offset, bytes, and 1 for a retransmission. */
sent: Column, 
/** Rows of time, offset, and 1 for a duplicate. */
acks: Column, 
/** Rows of time, cwnd and ssthresh; ssthresh is infinite before the first loss. */
windows: Column, 
/** Rows of time, RTT and smoothed RTT in seconds. */
rtts: Column, 
/** Rows of time and retransmission timeout in seconds, valid from that time. */
rtos: Column, 
/** The bottleneck's link with its direction, such as `air: station to mobile`. */
queue_name: string, 
/** Rows of a time and the number of packets that wait or are being sent at the bottleneck. */
queue: Column, 
/** Rows of begin, end and bits per second. */
goodput: Column, 
/** Rows of begin and end of BAD states of the channels that the flow crosses. */
bad: Column, 
/** Rows of time and reason, an index of `blocked_reasons`, from which nothing was sent. */
blocked: Column, blocked_reasons: Array<string>, marks: Array<Marks>, 
/** The report on the flow as `lasthop explain --json` prints it; null until it is found. */
report: Report | null, };

/** One flow's part of a summary. */
export type FlowSummary = { name: string, completed: boolean, completion_time_s: number | null, goodput_bps: number | null, timeouts: number, } & ({ [key in string]: unknown });

/** The summary of a run, as `lasthop run --json` prints it. Further keys are those of the summary's schema. */
export type Summary = { title: string, scheme: string, seed: number, simulated_s: number, flows: Array<FlowSummary>, } & ({ [key in string]: unknown });

/** The head of a run's figure. */
export type RunFigure = { 
/** The summary as `lasthop run --json` prints it. */
summary: Summary, 
/** End of the run, in seconds. */
ended: number, 
/** True if the run had more events than are kept: series end early. */
overflowed: boolean, 
/** The flows over TCP. */
flows: Array<FlowFigure>, };

export type JourneyNode = { name: string, kind: string, 
/** The scheme of the node, unless it is `unmodified`. */
scheme: string | null, };

export type JourneyLink = { name: string, between: [number, number], wireless: boolean, medium: number | null, 
/** Whether each direction has a link layer whose frames are in `frames`. */
frames: [boolean, boolean], };

export type JourneyFlow = { name: string, from: number, to: number, };

/** The actions of a medium's stations, in the head of a figure. */
export type Cell = { name: string, 
/** Numbers of the nodes that are its stations. */
stations: Array<number>, 
/**
 * Rows of sending node, receiving node, kind, begin, end, reception, 1 for a retransmission, packets, damaged packets,
 * and flow, kind and offset of the first packet. The reception is -1 if the run ended before.
 */
frames: Column, 
/**
 * Rows of node, begin, end, slots counted (0 while the back-off is frozen), slots left at the begin (NaN if unknown),
 * and contention window.
 */
back_offs: Column, };

/** Names of the numbers in columns. */
export type CellNames = { frames: Array<string>, receptions: Array<string>, };

/** The ranges of a medium around a node, in metres. */
export type JourneyRanges = { node: number, 
/** Within which a frame is received. */
received: number, 
/** Within which a frame is sensed. */
sensed: number, };

/** The map in the head of a figure: of the nodes that have positions. */
export type JourneyMap = { 
/** Numbers of the nodes that have positions. */
nodes: Array<number>, 
/** Whether any of these nodes moves. */
moves: boolean, 
/**
 * Rows of node, time in seconds, x and y in metres, by node and time. Nodes move along straight lines between
 * them, and stand still after the last row.
 */
corners: Column, ranges: Array<JourneyRanges>, };

/** The head of a figure. Times are in seconds. */
export type Journeys = { 
/** The interval that is complete: it ends early if it has more entries than asked for. */
from: number, to: number, 
/** True if the interval ends early for that reason. */
overflowed: boolean, 
/** End of the run, if that is in the interval. */
ended: number | null, nodes: Array<JourneyNode>, links: Array<JourneyLink>, flows: Array<JourneyFlow>, 
/** Names of kinds, outcomes and reasons in columns. */
kinds: Array<string>, outcomes: Array<string>, stop_reasons: Array<string>, cell_names: CellNames, 
/**
 * Rows of hop (twice the link, plus 1 backward), flow, kind, offset, bytes, and times: joined the queue, first
 * transmission began, last transmission ended, arrived or lost; and outcome. By hop, and by the time of joining.
 */
packets: Column, 
/**
 * Transmissions of link layers on links in no medium: rows of hop, flow, kind, offset, begin, arrival, number of the
 * attempt (0 for parity), and 1 if damaged. By hop and begin.
 */
frames: Column, 
/** Packets that a node did not pass on: rows of node, flow, kind, offset, bytes, time, and reason. */
stops: Column, 
/** BAD states: rows of link, begin and end. */
bad: Column, 
/** Rows of node, link, begin and end. */
associations: Column, 
/** State of schemes: rows of node, time, and bytes from then on. */
scheme_state: Column, cells: Array<Cell>, map: JourneyMap | null, };

/** A number of a run. */
export type Metric = { name: string, unit: string, 
/** Scope of the metric: run, flow, direction, medium, station, node or arrivals. */
scope: string, 
/** Which values are better: lower, higher or neither. */
better: string, definition: string, 
/** Whether the metric has values only if delays are measured. */
delays: boolean, };

/** The head of all metrics of one run. */
export type Readings = { 
/** Metric and subject of each value. */
names: Array<[string, string]>, 
/** The values, NaN where the run gave none. */
values: Column, };

/** A quantile with its interval. */
export type Quantile = { share: number, value: number, ci: [number, number] | null, };

/** A case against the first. */
export type AgainstFirst = { pairs: number, difference: number, difference_ci: [number, number] | null, change_percent: number | null, change_percent_ci: [number, number] | null, change_percent_run: [number, number] | null, };

/** Statistics of a subject of a case, with the keys of `lasthop sweep --json`. */
export type Entry = { 
/** Number of the case; the others are compared with the first. */
case: number, subject: string, n: number, without: number, mean: number | null, ci: [number, number] | null, half_width: number | null, quantiles: Array<Quantile>, against_first: AgainstFirst | null, difference_half_width: number | null, change_percent_half_width: number | null, 
/** Sign of the difference, 0 if its interval contains 0. */
sign: -1 | 0 | 1 | null, } & ({ [key in string]: unknown });

/** A value of an axis. */
export type AxisPlace = { 
/** How it is shown. */
shown: string, 
/** The change `KEY=VALUE`. */
change: string, };

/** A key over which a sweep may run. */
export type SweepAxis = { key: string, 
/** The values as text, separated by commas. */
values: string, 
/** Whether the scenario has this axis. */
declared: boolean, };

/** What a sweep of the scenario may show. */
export type SweepSuggestion = { 
/** The leading metric. */
metric: string, 
/** Suggested axes. */
axes: Array<SweepAxis>, };

/** An entry of a menu. */
export type Choice = { 
/** Label of a choice. If the choice is selected, [`Control::current`] has this value. */
label: string, 
/** The choice as it is written in `KEY=VALUE`. */
value: string, 
/** Description of the control. */
meaning: string, };

/** The form of a control. */
export type Widget = { "kind": "slider", 
/** Positions of the slider, in the notation of `KEY=VALUE`. */
stops: Array<string>, 
/** The position nearest to the current value, or to the default. */
at: number, } | { "kind": "menu", 
/** The values. */
choices: Array<Choice>, } | { "kind": "switch" } | { "kind": "text", 
/** Whether a value is text, written in quotes; otherwise it is TOML. */
quoted: boolean, 
/** An example. */
example: string, };

/** The control of a key. */
export type Control = { 
/** The key: `links.air.rate`. */
path: string, 
/** Table that contains the key, such as `links.air`; empty at the top level. */
group: string, 
/** The key within the group, in words. */
title: string, 
/** Description of the key in the schema. */
meaning: string, 
/** How it is shown. */
widget: Widget, 
/** Default in the notation of scenarios; `None` without a default. */
default: string | null, 
/** Value in the text; `None` if the text does not set the key. */
written: string | null, 
/** Value with all changes; `None` if the key is not set. */
current: string | null, 
/** Whether a change has set a value different from the text. */
changed: boolean, 
/** Whether the key is optional. */
optional: boolean, 
/** Rank of the key among the important keys, from 0. */
important: number | null, };

/** A variant of a scenario. */
export type Variant = { 
/** Its name. */
name: string, 
/** Its changes `KEY=VALUE`. */
changes: Array<string>, 
/** The scheme of all nodes. */
scheme?: string, };

/** Changes of one variant. */
export type LessonChange = { 
/** The variant's name. */
variant: string, 
/** Changes `KEY=VALUE`; each replaces an earlier one of its key. */
set: Array<string>, };

/** An answer to choose. */
export type LessonChoice = { 
/** The answer. */
text: string, 
/** The comparison that holds if the answer is right. */
right_if: string, };

/** What makes a step done. */
export type LessonCheck = { "kind": "metric", 
/** The comparison. */
that: string, 
/** The hint until it holds. */
not_yet: string, } | { "kind": "mark", 
/** The kind of the mark. */
mark: string, 
/** The variant whose graph contains the mark; any variant if not given. */
variant?: string, 
/** The hint after another mark. */
missed: string, } | { "kind": "answer", 
/** The question. */
ask: string, 
/** The right number, an expression. */
value: string, 
/** The unit in which the number is typed. */
unit?: string, 
/** The greatest error that is right, in this unit. */
tolerance: number, 
/** The hint after another number. */
hint: string, } | { "kind": "choice", 
/** The question. */
ask: string, 
/** The answers. */
choices: Array<LessonChoice>, 
/** The hint after a wrong choice. */
hint: string, };

/**
 * A step. Its texts are Markdown with results in `{{...}}`. In `try` and `see` these are results of the runs before
 * the step, in `why` of the runs after it.
 */
export type LessonStep = { 
/** What to do. */
try: string, 
/** The changes that a reader would make. */
do?: Array<LessonChange>, 
/** What to look at. */
see: string, 
/** Event and cause, shown when the step is done. */
why: string, 
/** The part of the time axis to show, in seconds; unchanged if there is none. */
range?: [number, number], 
/** The name of the flow to show; unchanged if there is none. */
flow?: string, 
/** Decides whether the step is done. */
check: LessonCheck, };

/** A run of a lesson. */
export type LessonVariant = { 
/** The name, which expressions use. */
name: string, 
/** Changes `KEY=VALUE` of the example. */
changes?: Array<string>, 
/** The scheme of every node. */
scheme?: string, };

/** A lesson. */
export type Lesson = { 
/** The title in lists. */
title: string, 
/** The file of the scenario in `examples/`. */
example: string, 
/** The question that the lesson answers. */
question: string, 
/** The part of the time axis that is shown first, in seconds. */
range?: [number, number], 
/** The name of the flow that is shown first; the first flow if there is none. */
flow?: string, 
/** The runs that are shown side by side. */
variants: Array<LessonVariant>, 
/** The tasks of the reader, in this order. */
steps: Array<LessonStep>, 
/** The introduction: the Markdown after the head. */
introduction: string, };
