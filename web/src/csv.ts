/** Series and summaries as CSV. */

import type { Result } from "./app";
import { at, rows } from "./column";
import type { Column, FlowFigure, FlowSummary } from "./protocol";

type Cell = string | number | boolean | null;

/** A cell. Texts that a spreadsheet would take for a formula begin with an apostrophe. */
function cell(value: Cell): string {
  if (value === null || Number.isNaN(value)) return "";
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : value > 0 ? "inf" : "-inf";
  const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export const csv = (lines: Cell[][]): string => lines.map((line) => `${line.map(cell).join(",")}\n`).join("");

/** A series: the names of its columns, and its rows of a flow. */
interface Series {
  title: string;
  columns: string[];
  of: (flow: FlowFigure) => Iterable<Cell[]>;
}

/** The rows of a column. */
function* fields(column: Column): Iterable<Cell[]> {
  for (let row = 0; row < rows(column); row++) yield Array.from({ length: column.width }, (_, field) => at(column, row, field));
}

function* marks(flow: FlowFigure): Iterable<Cell[]> {
  for (const { kind, what, points } of flow.marks) for (const [time, offset] of fields(points)) yield [time ?? NaN, kind, offset ?? NaN, what];
}

/** The series of the panels, by their names. */
export const SERIES: Record<string, Series> = {
  sent: { title: "Segments sent", columns: ["time_s", "offset_bytes", "length_bytes", "retransmission"], of: (flow) => fields(flow.sent) },
  acks: { title: "Acknowledgments", columns: ["time_s", "acknowledged_bytes", "duplicate"], of: (flow) => fields(flow.acks) },
  windows: { title: "Congestion window", columns: ["time_s", "cwnd_bytes", "ssthresh_bytes"], of: (flow) => fields(flow.windows) },
  rtts: { title: "Round-trip time", columns: ["time_s", "rtt_s", "smoothed_rtt_s"], of: (flow) => fields(flow.rtts) },
  timeouts: { title: "Retransmission timeout", columns: ["time_s", "timeout_s"], of: (flow) => fields(flow.rtos) },
  queue: { title: "Queue at the bottleneck", columns: ["time_s", "packets"], of: (flow) => fields(flow.queue) },
  goodput: { title: "Goodput", columns: ["begin_s", "end_s", "goodput_bps"], of: (flow) => fields(flow.goodput) },
  bad: { title: "BAD states", columns: ["begin_s", "end_s"], of: (flow) => fields(flow.bad) },
  marks: { title: "Marks", columns: ["time_s", "kind", "offset_bytes", "what"], of: marks },
};

/** One series of a flow of all variants. */
export function seriesCsv(results: Result[], number: number, series: Series): string {
  const lines: Cell[][] = [["variant", "flow", ...series.columns]];
  for (const { variant, figure } of results) {
    const flow = figure?.flows[number] ?? figure?.flows[0];
    if (!flow) continue;
    for (const row of series.of(flow)) lines.push([variant.name, flow.name, ...row]);
  }
  return csv(lines);
}

/** The single values in a summary, those of inner tables as `table.key`. */
function* values(summary: Record<string, unknown>, before = ""): Iterable<[string, Cell]> {
  for (const [key, value] of Object.entries(summary)) {
    if (value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean") yield [before + key, value];
    else if (typeof value === "object" && !Array.isArray(value)) yield* values(value as Record<string, unknown>, `${before}${key}.`);
  }
}

/** The summaries of all variants, a line a flow. */
export function summaryCsv(results: Result[]): string {
  const lines = results.flatMap(({ variant, figure }) => {
    if (!figure) return [];
    const { flows, ...run } = figure.summary;
    return flows.map((flow: FlowSummary) => {
      const line = new Map<string, Cell>([["variant", variant.name]]);
      for (const [key, value] of values(run)) line.set(key, value);
      for (const [key, value] of values(flow)) line.set(`flow.${key}`, value);
      return line;
    });
  });
  const columns = [...new Set(lines.flatMap((line) => [...line.keys()]))];
  return csv([columns, ...lines.map((line) => columns.map((column) => line.get(column) ?? null))]);
}
