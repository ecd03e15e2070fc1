/** One panel of one variant: a chart of uPlot on the common time axis. */

import uPlot from "uplot";
import type { Range } from "./app";
import { at, firstFrom, rowAt, rows } from "./column";
import { el } from "./dom";
import { moment } from "./format";
import { type Line, type Panel, markPlace, scaleOf } from "./panels";
import type { FlowFigure, Marks } from "./protocol";
import { color } from "./theme";

/** A mark under the pointer, or chosen by keys. */
export interface Hit {
  marks: Marks;
  row: number;
  /** Place in CSS pixels, relative to the chart. */
  left: number;
  top: number;
}

export interface Listener {
  /** The pointer or a key moved the cursor. */
  cursor(time: number | undefined): void;
  /** A part of the time axis was chosen. */
  zoom(range: Range): void;
  hover(hit: Hit | undefined): void;
  /** A click at a time, on a mark if there is one. */
  click(time: number, hit: Hit | undefined): void;
}

/** Distance in CSS pixels within which the pointer meets a mark. */
const REACH = 9;

/**
 * Draws a line of a panel, with at most a few points for each column of pixels: a long run has many more values than
 * pixels, and painting them all would take most of the time. The last value holds until the flow's end.
 */
function drawLine(chart: uPlot, line: Line, flow: FlowFigure): void {
  const { ctx } = chart;
  const column = line.column(flow);
  const [from, to] = [chart.scales["x"]?.min ?? 0, chart.scales["x"]?.max ?? 0];
  const [toX, toY] = [scaleOf(chart, "x"), scaleOf(chart, "y")];
  const end = Math.min(rows(column), firstFrom(column, to, true) + 1);
  ctx.beginPath();
  /** The column of pixels, the least and the largest height in it, and the last height. */
  let [pixel, low, high, last] = [NaN, NaN, NaN, NaN];
  for (let row = Math.max(0, rowAt(column, from)); row < end; row++) {
    const value = at(column, row, line.field);
    const x = Math.round(toX(at(column, row, 0)));
    const y = Number.isFinite(value) ? toY(value) : NaN;
    if (x !== pixel) {
      if (high > low) {
        ctx.moveTo(pixel, low);
        ctx.lineTo(pixel, high);
      }
      if (!Number.isNaN(last) && !Number.isNaN(y)) {
        ctx.moveTo(pixel, last);
        ctx.lineTo(x, line.steps ? last : y);
      } else if (!Number.isNaN(last)) {
        ctx.moveTo(pixel, last);
        ctx.lineTo(x, last);
      }
      [pixel, low, high] = [x, line.steps ? last : y, line.steps ? last : y];
    }
    low = Number.isNaN(low) ? y : Math.min(low, Number.isNaN(y) ? low : y);
    high = Number.isNaN(high) ? y : Math.max(high, Number.isNaN(y) ? high : y);
    last = y;
  }
  if (high > low) {
    ctx.moveTo(pixel, low);
    ctx.lineTo(pixel, high);
  }
  if (!Number.isNaN(last) && line.steps && flow.ended > 0) {
    ctx.moveTo(pixel, last);
    ctx.lineTo(Math.max(pixel, toX(Math.min(flow.ended, to))), last);
  }
  ctx.strokeStyle = color(line.color);
  ctx.lineWidth = (line.width ?? 1.5) * devicePixelRatio;
  ctx.setLineDash((line.dash ?? []).map((length) => length * devicePixelRatio));
  ctx.stroke();
  ctx.setLineDash([]);
}

export class Chart {
  readonly element: HTMLElement;
  private readonly reading: HTMLElement;
  private readonly body: HTMLElement;
  private readonly plot: uPlot;
  private flow: FlowFigure | undefined;
  private span: Range = { from: 0, to: 1 };
  private extent: [number, number] = [0, 1];
  /** True while the page itself moves the cursor. */
  private following = false;

  constructor(
    readonly panel: Panel,
    private readonly listener: Listener,
    height: number,
  ) {
    this.reading = el("span", { class: "reading" });
    this.body = el("div", { class: "plot" });
    const title = el("h4", {}, panel.title);
    this.element = el("section", { class: `panel panel-${panel.id}` }, el("header", {}, title, this.reading), this.body);
    // The lines are drawn from the columns of the figure; the chart has axes, the cursor and the choice of a part.
    this.plot = new uPlot(this.options(height), [[0, 1], [null, null]], this.body);
    this.listen();
    new ResizeObserver(() => this.resize(height)).observe(this.body);
  }

  private options(height: number): uPlot.Options {
    const { panel } = this;
    const axis: uPlot.Axis = {
      stroke: () => color("faint"),
      font: "12px system-ui, sans-serif",
      grid: { stroke: () => color("grid"), width: 1 },
      ticks: { stroke: () => color("frame"), width: 1, size: 4 },
    };
    return {
      width: 300,
      height,
      legend: { show: false },
      padding: [6, 10, 0, 0],
      cursor: { y: false, drag: { x: true, y: false, setScale: false, dist: 4 }, points: { show: false } },
      scales: {
        x: { time: false, auto: false, range: () => [this.span.from, this.span.to] },
        y: { auto: false, range: () => this.extent },
      },
      axes: [
        { ...axis, size: 26, gap: 2, values: (_, values) => values.map((value) => `${Number(value.toFixed(6))} s`), space: 70 },
        { ...axis, size: 64, gap: 3, values: (_, values) => values.map((value) => panel.format(value)), space: 28 },
      ],
      series: [{}, { show: false }],
      hooks: {
        drawClear: [(chart) => this.shade(chart)],
        draw: [(chart) => this.draw(chart)],
        setCursor: [(chart) => this.moved(chart)],
        setSelect: [(chart) => this.selected(chart)],
      },
    };
  }

  /** Shows a flow within a part of the time axis; `extent` is the range of the vertical axis. */
  show(flow: FlowFigure | undefined, span: Range, extent: [number, number], changed: boolean): void {
    [this.span, this.extent] = [span, extent];
    this.flow = flow;
    this.plot.batch(() => {
      this.plot.setScale("x", { min: span.from, max: span.to });
      this.plot.setScale("y", { min: extent[0], max: extent[1] });
      // Scales with unchanged limits are not drawn again, but the series may have changed.
      if (changed) this.plot.redraw(false, true);
    });
  }

  /** Draws again, in the colours of the theme. */
  redraw(): void {
    this.plot.redraw();
  }

  /** Puts the cursor at a time. */
  point(time: number | undefined): void {
    this.following = true;
    const inside = time !== undefined && time >= this.span.from && time <= this.span.to;
    this.plot.setCursor({ left: inside ? this.plot.valToPos(time, "x") : -10, top: inside ? 1 : -10 }, false);
    this.following = false;
    this.reading.textContent = this.flow && time !== undefined ? this.read(this.flow, time) : "";
  }

  private read(flow: FlowFigure, time: number): string {
    if (time <= flow.ended) return this.panel.read(flow, time);
    return this.panel.id === "sequence" ? `ended at ${moment(flow.ended)}` : "";
  }

  /** The place of a mark in CSS pixels. */
  placeOf(marks: Marks, row: number): Hit | undefined {
    if (!this.flow) return undefined;
    const [x, y] = markPlace(this.plot, this.flow, marks.points, row);
    return { marks, row, left: x / devicePixelRatio, top: y / devicePixelRatio };
  }

  get canvas(): HTMLCanvasElement {
    return this.plot.ctx.canvas;
  }

  private resize(height: number): void {
    const width = Math.floor(this.body.clientWidth);
    if (width > 0 && width !== this.plot.width) this.plot.setSize({ width, height });
  }

  /** Draws the lines and what the panel has beside them. */
  private draw(chart: uPlot): void {
    const { flow, panel } = this;
    if (!flow) return;
    const { ctx, bbox } = chart;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.lineJoin = "round";
    for (const line of panel.lines) drawLine(chart, line, flow);
    panel.draw?.(chart, flow);
    ctx.restore();
  }

  /** Shades the BAD states of the channel, behind everything else. */
  private shade(chart: uPlot): void {
    const bad = this.flow?.bad;
    if (!bad) return;
    const { ctx, bbox } = chart;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.fillStyle = color("bad");
    const end = firstFrom(bad, this.span.to, true);
    for (let row = Math.max(0, rowAt(bad, this.span.from)); row < end; row++) {
      const left = chart.valToPos(at(bad, row, 0), "x", true);
      const right = chart.valToPos(at(bad, row, 1), "x", true);
      ctx.fillRect(left, bbox.top, Math.max(right - left, 1), bbox.height);
    }
    ctx.restore();
  }

  private moved(chart: uPlot): void {
    if (this.following) return;
    const left = chart.cursor.left ?? -1;
    this.listener.cursor(left < 0 ? undefined : chart.posToVal(left, "x"));
  }

  private selected(chart: uPlot): void {
    const { left, width } = chart.select;
    if (width < 4) return;
    this.listener.zoom({ from: chart.posToVal(left, "x"), to: chart.posToVal(left + width, "x") });
    chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  }

  private listen(): void {
    const { over } = this.plot;
    over.addEventListener(
      "wheel",
      (event) => {
        const { from, to } = this.span;
        const middle = this.plot.posToVal(event.clientX - over.getBoundingClientRect().left, "x");
        const factor = Math.exp(Math.max(-1, Math.min(1, event.deltaY / 100)) * 0.35);
        event.preventDefault();
        if (event.shiftKey) {
          const shift = ((to - from) * (event.deltaY + event.deltaX)) / 1000;
          this.listener.zoom({ from: from + shift, to: to + shift });
        } else {
          this.listener.zoom({ from: middle - (middle - from) * factor, to: middle + (to - middle) * factor });
        }
      },
      { passive: false },
    );
    if (this.panel.id !== "sequence") return;
    over.addEventListener("pointermove", (event) => this.listener.hover(this.hit(event)));
    over.addEventListener("pointerleave", () => this.listener.hover(undefined));
    over.addEventListener("click", (event) => {
      const time = this.plot.posToVal(event.clientX - over.getBoundingClientRect().left, "x");
      this.listener.click(time, this.hit(event));
    });
  }

  /** The mark that is nearest to the pointer. */
  private hit(event: PointerEvent | MouseEvent): Hit | undefined {
    const { flow, plot } = this;
    if (!flow) return undefined;
    const rect = plot.over.getBoundingClientRect();
    const left = event.clientX - rect.left + plot.bbox.left / devicePixelRatio;
    const top = event.clientY - rect.top + plot.bbox.top / devicePixelRatio;
    const time = (pixels: number): number => plot.posToVal(event.clientX - rect.left + pixels, "x");
    const [from, to] = [time(-REACH), time(REACH)];
    let best: Hit | undefined;
    let least = REACH;
    for (const marks of flow.marks) {
      const end = Math.min(rows(marks.points), firstFrom(marks.points, to, true));
      for (let row = firstFrom(marks.points, from); row < end; row++) {
        const place = this.placeOf(marks, row);
        const distance = place ? Math.hypot(place.left - left, place.top - top) : Infinity;
        // Of two marks at the same distance the later one in the list is chosen, because it explains more: a timeout
        // rather than the segment that the timeout sends again.
        if (place && distance <= least) [best, least] = [place, distance];
      }
    }
    return best;
  }
}
