/** What each panel shows of a flow: its lines, its axis, and what is drawn beside the lines. */

import type uPlot from "uplot";
import { at, field, firstFrom, rowAt, rows } from "./column";
import { bytes, duration, rate } from "./format";
import { filled, markColor, stamp } from "./marks";
import type { Column, FlowFigure } from "./protocol";
import { color } from "./theme";

export interface Line {
  label: string;
  /** Name of the colour in the style sheet. */
  color: string;
  /** True for a value that holds until the next one; false for a line between values. */
  steps: boolean;
  dash?: number[];
  width?: number;
}

export interface Panel {
  id: "sequence" | "window" | "rtt" | "queue" | "goodput";
  title: string;
  lines: Line[];
  /** Times and the lines' values. */
  data(flow: FlowFigure): uPlot.AlignedData;
  /** The largest value within a part of the time axis, and the least; the axis starts at 0 if the least is 0. */
  extent(flow: FlowFigure, from: number, to: number): [number, number];
  format(value: number): string;
  /** The values at a time, for the line of text above the panel. */
  read(flow: FlowFigure, time: number): string;
  /** Draws what is not a line. */
  draw?(chart: uPlot, flow: FlowFigure): void;
}

/** The largest value of fields of the rows within the time, of rows that are valid there. */
function largest(column: Column, from: number, to: number, ...fields: number[]): number {
  let most = 0;
  const end = firstFrom(column, to, true);
  for (let row = Math.max(0, rowAt(column, from)); row < end; row++) {
    for (const number of fields) {
      const value = at(column, row, number);
      if (value > most && Number.isFinite(value)) most = value;
    }
  }
  return most;
}

/** One field of all rows with the last one again at the end of the flow: the value holds until then. */
function held(column: Column, number: number, end: number): (number | null)[] {
  const values: (number | null)[] = Array.from(field(column, number), finite);
  const last = values[values.length - 1];
  return last === undefined ? values : [...values, number === 0 ? Math.max(end, last ?? end) : last];
}

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);

/** Draws values that hold until the next row. */
function steps(chart: uPlot, column: Column, number: number, name: string, dash: number[]): void {
  const { ctx, bbox } = chart;
  const ratio = devicePixelRatio;
  const [from, to] = [chart.scales["x"]?.min ?? 0, chart.scales["x"]?.max ?? 0];
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.beginPath();
  const end = firstFrom(column, to, true);
  let before: number | undefined;
  for (let row = Math.max(0, rowAt(column, from)); row < end; row++) {
    const x = chart.valToPos(at(column, row, 0), "x", true);
    const y = chart.valToPos(at(column, row, number), "y", true);
    if (before === undefined) ctx.moveTo(x, y);
    else {
      ctx.lineTo(x, before);
      ctx.lineTo(x, y);
    }
    before = y;
  }
  if (before !== undefined) ctx.lineTo(bbox.left + bbox.width, before);
  ctx.strokeStyle = color(name);
  ctx.lineWidth = 1.2 * ratio;
  ctx.setLineDash(dash.map((length) => length * ratio));
  ctx.stroke();
  ctx.restore();
}

/** Segments as strokes from their first to their last byte, and the marks of events. */
function drawSequence(chart: uPlot, flow: FlowFigure): void {
  const { ctx, bbox } = chart;
  const ratio = devicePixelRatio;
  const [from, to] = [chart.scales["x"]?.min ?? 0, chart.scales["x"]?.max ?? 0];
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  for (const again of [false, true]) {
    ctx.beginPath();
    const end = firstFrom(flow.sent, to, true);
    // Strokes of one pixel column are joined: a long run has more segments than pixels.
    let [column, low, high] = [NaN, 0, 0];
    const flush = (): void => {
      if (Number.isNaN(column)) return;
      ctx.moveTo(column, low);
      ctx.lineTo(column, high);
    };
    for (let row = firstFrom(flow.sent, from); row < end; row++) {
      if (at(flow.sent, row, 3) === 1 !== again) continue;
      const seq = at(flow.sent, row, 1);
      const x = Math.round(chart.valToPos(at(flow.sent, row, 0), "x", true)) + 0.5;
      const y = chart.valToPos(seq, "y", true);
      const top = Math.min(chart.valToPos(seq + at(flow.sent, row, 2), "y", true), y - 1.5 * ratio);
      if (x === column && top <= low + 1 && y >= high - 1) {
        [low, high] = [Math.max(low, y), Math.min(high, top)];
      } else {
        flush();
        [column, low, high] = [x, y, top];
      }
    }
    flush();
    ctx.strokeStyle = color(again ? "again" : "sent");
    ctx.lineWidth = 2 * ratio;
    ctx.stroke();
  }
  for (const marks of flow.marks) {
    ctx.beginPath();
    const end = firstFrom(marks.points, to, true);
    let [lastX, lastY] = [NaN, NaN];
    for (let row = firstFrom(marks.points, from); row < end; row++) {
      const [x, y] = markPlace(chart, flow, marks.points, row);
      // A mark on top of the last one would not be seen.
      if (Math.abs(x - lastX) < ratio && Math.abs(y - lastY) < ratio) continue;
      [lastX, lastY] = [x, y];
      stamp(ctx, marks.kind, x, y, ratio);
    }
    ctx.strokeStyle = markColor(marks.kind);
    ctx.lineWidth = (marks.kind === "corrupted" ? 0.9 : 1.5) * ratio;
    if (filled(marks.kind)) {
      ctx.fillStyle = markColor(marks.kind);
      ctx.fill();
      ctx.strokeStyle = color("again-edge");
      ctx.lineWidth = 0.8 * ratio;
    }
    ctx.stroke();
  }
  ctx.restore();
}

/** Where a mark is drawn, in pixels of the canvas: one without an offset at the last acknowledged byte. */
export function markPlace(chart: uPlot, flow: FlowFigure, points: Column, row: number): [number, number] {
  const time = at(points, row, 0);
  let offset = at(points, row, 1);
  if (Number.isNaN(offset)) offset = at(flow.acks, rowAt(flow.acks, time), 1) || 0;
  return [chart.valToPos(time, "x", true), chart.valToPos(offset, "y", true)];
}

const sequence: Panel = {
  id: "sequence",
  title: "Sequence numbers",
  lines: [{ label: "acknowledged", color: "acked", steps: true }],
  data: (flow) => [field(flow.acks, 0), field(flow.acks, 1)],
  extent(flow, from, to) {
    const first = firstFrom(flow.sent, from);
    const end = firstFrom(flow.sent, to, true);
    let [low, high] = [Infinity, 0];
    for (let row = first; row < end; row++) {
      const seq = at(flow.sent, row, 1);
      if (seq < low) low = seq;
      const top = seq + at(flow.sent, row, 2);
      if (top > high) high = top;
    }
    for (const time of [from, to]) {
      const row = rowAt(flow.acks, time);
      const ack = row < 0 ? 0 : at(flow.acks, row, 1);
      if (row >= 0 || time === from) {
        low = Math.min(low, ack);
        high = Math.max(high, ack);
      }
    }
    return [low === Infinity ? 0 : low, high];
  },
  format: bytes,
  read(flow, time) {
    const ack = rowAt(flow.acks, time);
    const sent = rowAt(flow.sent, time);
    const parts = [];
    if (sent >= 0) parts.push(`sent ${bytes(at(flow.sent, sent, 1))}${at(flow.sent, sent, 3) === 1 ? " again" : ""}`);
    if (ack >= 0) parts.push(`acknowledged ${bytes(at(flow.acks, ack, 1))}`);
    return parts.join(" · ");
  },
  draw: drawSequence,
};

const windows: Panel = {
  id: "window",
  title: "Congestion window",
  lines: [
    { label: "cwnd", color: "cwnd", steps: true },
    { label: "ssthresh", color: "ssthresh", steps: true, dash: [5, 3] },
  ],
  data: (flow) => [0, 1, 2].map((number) => held(flow.windows, number, flow.ended)) as uPlot.AlignedData,
  extent: (flow, from, to) => [0, largest(flow.windows, from, to, 1)],
  format: bytes,
  read(flow, time) {
    const row = rowAt(flow.windows, time);
    if (row < 0) return "";
    return `cwnd ${bytes(at(flow.windows, row, 1))} · ssthresh ${bytes(at(flow.windows, row, 2))}`;
  },
};

const rtt: Panel = {
  id: "rtt",
  title: "Round-trip time",
  lines: [{ label: "RTT", color: "sent", steps: false, width: 0.8 }, { label: "smoothed", color: "acked", steps: false }],
  data: (flow) => [field(flow.rtts, 0), field(flow.rtts, 1), field(flow.rtts, 2)],
  extent: (flow, from, to) => [0, Math.max(largest(flow.rtts, from, to, 1, 2), largest(flow.rtos, from, to, 1))],
  format: duration,
  read(flow, time) {
    const row = rowAt(flow.rtts, time);
    const rto = rowAt(flow.rtos, time);
    const parts = [];
    if (row >= 0) parts.push(`RTT ${duration(at(flow.rtts, row, 1))}`, `smoothed ${duration(at(flow.rtts, row, 2))}`);
    if (rto >= 0) parts.push(`timeout ${duration(at(flow.rtos, rto, 1))}`);
    return parts.join(" · ");
  },
  draw: (chart, flow) => steps(chart, flow.rtos, 1, "ssthresh", [5, 3]),
};

const queue: Panel = {
  id: "queue",
  title: "Queue at the bottleneck",
  lines: [{ label: "packets", color: "sent", steps: true }],
  data: (flow) => [0, 1].map((number) => held(flow.queue, number, flow.ended)) as uPlot.AlignedData,
  extent: (flow, from, to) => [0, largest(flow.queue, from, to, 1)],
  format: (value) => String(value),
  read(flow, time) {
    const row = rowAt(flow.queue, time);
    return row < 0 ? flow.queue_name : `${at(flow.queue, row, 1)} packets · ${flow.queue_name}`;
  },
};

const goodput: Panel = {
  id: "goodput",
  title: "Goodput",
  lines: [{ label: "goodput", color: "acked", steps: true }],
  data(flow) {
    const [begin, value] = [field(flow.goodput, 0), field(flow.goodput, 2)];
    const last = rows(flow.goodput) - 1;
    if (last < 0) return [[], []];
    return [[...begin, at(flow.goodput, last, 1)], [...value, value[last] ?? null]];
  },
  extent: (flow, from, to) => [0, largest(flow.goodput, from, to, 2)],
  format: rate,
  read(flow, time) {
    const row = rowAt(flow.goodput, time);
    return row < 0 ? "" : `${rate(at(flow.goodput, row, 2))}`;
  },
};

export const PANELS: readonly Panel[] = [sequence, windows, rtt, queue, goodput];
