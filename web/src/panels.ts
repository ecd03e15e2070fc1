/** What each panel shows of a flow: its lines, its axis, and what is drawn beside the lines. */

import type uPlot from "uplot";
import { at, firstFrom, rowAt } from "./column";
import { bytes, duration, rate } from "./format";
import { MarkPainter } from "./marks";
import type { Column, FlowFigure } from "./protocol";
import { color } from "./theme";

export interface Line {
  label: string;
  /** Name of the colour in the style sheet. */
  color: string;
  /** True for a value that holds until the next one; false for a line between values. */
  steps: boolean;
  column: (flow: FlowFigure) => Column;
  /** The field of the column; the time is field 0. */
  field: number;
  dash?: number[];
  width?: number;
}

export interface Panel {
  id: "sequence" | "window" | "rtt" | "queue" | "goodput";
  title: string;
  lines: Line[];
  /** The least and the largest value within a part of the time axis; the axis starts at 0 if the least is 0. */
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

/** The place of values on a linear scale, in pixels of the canvas: `valToPos` for many values. */
export function scaleOf(chart: uPlot, name: "x" | "y"): (value: number) => number {
  const { min = 0, max = 1 } = chart.scales[name] ?? {};
  const { left, top, width, height } = chart.bbox;
  const span = (max ?? 1) - (min ?? 0) || 1;
  const least = min ?? 0;
  if (name === "x") return (value) => left + ((value - least) * width) / span;
  return (value) => top + height - ((value - least) * height) / span;
}

/** Segments as strokes from their first to their last byte, and the marks of events. */
function drawSequence(chart: uPlot, flow: FlowFigure): void {
  const { ctx } = chart;
  const ratio = devicePixelRatio;
  const [from, to] = [chart.scales["x"]?.min ?? 0, chart.scales["x"]?.max ?? 0];
  const [x, y] = [scaleOf(chart, "x"), scaleOf(chart, "y")];
  const end = firstFrom(flow.sent, to, true);
  for (const again of [0, 1]) {
    ctx.beginPath();
    // Strokes in the same column of pixels are joined, because a long run has more segments than pixels.
    let [column, low, high] = [NaN, 0, 0];
    for (let row = firstFrom(flow.sent, from); row < end; row++) {
      if (at(flow.sent, row, 3) !== again) continue;
      const seq = at(flow.sent, row, 1);
      const left = Math.round(x(at(flow.sent, row, 0))) + 0.5;
      const bottom = y(seq);
      const top = Math.min(y(seq + at(flow.sent, row, 2)), bottom - 1.5 * ratio);
      if (left === column && top <= low + 1 && bottom >= high - 1) {
        [low, high] = [Math.max(low, bottom), Math.min(high, top)];
        continue;
      }
      if (!Number.isNaN(column)) {
        ctx.moveTo(column, low);
        ctx.lineTo(column, high);
      }
      [column, low, high] = [left, bottom, top];
    }
    if (!Number.isNaN(column)) {
      ctx.moveTo(column, low);
      ctx.lineTo(column, high);
    }
    ctx.strokeStyle = color(again ? "again" : "sent");
    ctx.lineWidth = 2 * ratio;
    ctx.stroke();
  }
  for (const marks of flow.marks) {
    const painter = new MarkPainter(marks.kind, ratio);
    const end = firstFrom(marks.points, to, true);
    let [lastX, lastY] = [NaN, NaN];
    for (let row = firstFrom(marks.points, from); row < end; row++) {
      const [x, y] = markPlace(chart, flow, marks.points, row);
      // A mark on top of the last one would not be seen.
      if (Math.abs(x - lastX) < ratio && Math.abs(y - lastY) < ratio) continue;
      [lastX, lastY] = [x, y];
      painter.add(x, y);
    }
    painter.paint(ctx);
  }
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
  lines: [{ label: "acknowledged", color: "acked", steps: true, column: (flow) => flow.acks, field: 1 }],
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
    { label: "cwnd", color: "cwnd", steps: true, column: (flow) => flow.windows, field: 1 },
    { label: "ssthresh", color: "ssthresh", steps: true, column: (flow) => flow.windows, field: 2, dash: [5, 3] },
  ],
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
  lines: [
    { label: "RTT", color: "sent", steps: false, column: (flow) => flow.rtts, field: 1, width: 0.8 },
    { label: "smoothed", color: "acked", steps: false, column: (flow) => flow.rtts, field: 2 },
    { label: "timeout", color: "ssthresh", steps: true, column: (flow) => flow.rtos, field: 1, dash: [5, 3] },
  ],
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
};

const queue: Panel = {
  id: "queue",
  title: "Queue at the bottleneck",
  lines: [{ label: "packets", color: "sent", steps: true, column: (flow) => flow.queue, field: 1 }],
  extent: (flow, from, to) => [0, largest(flow.queue, from, to, 1)],
  format: (value) => String(value),
  read(flow, time) {
    const row = rowAt(flow.queue, time);
    const waiting = at(flow.queue, row, 1);
    return row < 0 ? flow.queue_name : `${waiting} packet${waiting === 1 ? "" : "s"} · ${flow.queue_name}`;
  },
};

const goodput: Panel = {
  id: "goodput",
  title: "Goodput",
  lines: [{ label: "goodput", color: "acked", steps: true, column: (flow) => flow.goodput, field: 2 }],
  extent: (flow, from, to) => [0, largest(flow.goodput, from, to, 2)],
  format: rate,
  read(flow, time) {
    const row = rowAt(flow.goodput, time);
    return row < 0 ? "" : `${rate(at(flow.goodput, row, 2))}`;
  },
};

export const PANELS: readonly Panel[] = [sequence, windows, rtt, queue, goodput];
