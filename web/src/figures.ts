/** The figures: one column a variant, one row a panel, all on one time axis; what is under the cursor, and why. */

import type { Figures, Range, Result } from "./app";
import { Chart, type Hit } from "./chart";
import { at, rows } from "./column";
import { button, el } from "./dom";
import { duration, moment, percent, rate } from "./format";
import { MarkPainter } from "./marks";
import { PANELS } from "./panels";
import type { Finding, FlowFigure, Marks } from "./protocol";
import { theme } from "./theme";

/** Heights of panels in CSS pixels. */
const HEIGHTS: Record<string, number> = { sequence: 300, window: 130, rtt: 110, queue: 110, goodput: 110 };

/** Findings that are listed. */
const LISTED = 5;

/** The shortest part of the time axis in seconds: a few nanoseconds would be empty. */
const SHORTEST = 1e-6;

/** One variant's column. */
interface Column {
  heading: HTMLElement;
  figures: HTMLElement;
  charts: Chart[];
  legend: HTMLElement;
  story: HTMLElement;
  tip: HTMLElement;
  cells: HTMLElement[];
  shown: FlowFigure | undefined;
}

/** A mark: a kind of a column, and a row. */
interface Mark {
  column: Column;
  marks: Marks;
  row: number;
}

export function mountFigures(root: HTMLElement, app: Figures): void {
  const grid = el("div", { class: "figures", role: "group", tabindex: "0", "aria-label": "Figures on one time axis" });
  const tools = el("div", { class: "tools" });
  const flowMenu = el("select", { id: "flow", on: { change: () => (app.flow.value = Number(flowMenu.value)) } });
  const flowLabel = el("label", { for: "flow" }, "Flow ");
  const where = el("output", { class: "where", "aria-label": "Shown part of the time axis" });
  const here = el("span", { class: "here" });
  tools.append(
    flowLabel,
    flowMenu,
    button("−", () => zoom(1.6), { "aria-label": "Zoom out", title: "Zoom out (-)" }),
    button("+", () => zoom(1 / 1.6), { "aria-label": "Zoom in", title: "Zoom in (+)" }),
    button("Whole run", () => (app.range.value = undefined), { title: "Show the whole run (0)" }),
    where,
    here,
    el("span", { class: "hint" }, "wheel or drag: zoom · shift and wheel: move · keys: arrows, + − 0, m for the next mark"),
  );
  root.append(tools, grid);

  let columns: Column[] = [];
  /** The mark that keys have chosen. */
  let chosen: Mark | undefined;

  /** The end of the longest run. */
  const end = (): number => {
    const flows = columns.flatMap((column) => (column.shown ? [column.shown] : []));
    return Math.max(1e-3, ...flows.map((flow) => flow.ended)) * 1.01;
  };

  const span = (): Range => app.range.value ?? { from: 0, to: end() };

  const setRange = ({ from, to }: Range): void => {
    const last = end();
    const width = Math.max(SHORTEST, Math.min(to - from, last));
    const start = Math.max(0, Math.min(from, last - width));
    app.range.value = width >= last * 0.999 ? undefined : { from: start, to: start + width };
  };

  const zoom = (factor: number): void => {
    const { from, to } = span();
    const cursor = app.cursor.value;
    const middle = cursor !== undefined && cursor >= from && cursor <= to ? cursor : (from + to) / 2;
    setRange({ from: middle - (middle - from) * factor, to: middle + (to - middle) * factor });
  };

  const tell = (column: Column, hit: Hit | undefined): void => {
    column.tip.hidden = hit === undefined;
    if (!hit) return;
    const { marks, row } = hit;
    const offset = at(marks.points, row, 1);
    const place = Number.isNaN(offset) ? "" : `, byte ${offset.toLocaleString("en")}`;
    column.tip.replaceChildren(
      el("strong", {}, marks.what),
      el("span", {}, ` at ${moment(at(marks.points, row, 0))}${place}`),
      el("p", {}, `Why: ${marks.why}.`),
      ...(marks.rule ? [el("p", { class: "rule" }, marks.rule)] : []),
    );
    const width = column.cells[0]?.clientWidth ?? 300;
    column.tip.style.setProperty("left", `${Math.max(4, Math.min(hit.left + 12, width - 270))}px`);
    column.tip.style.setProperty("top", `${hit.top + 34}px`);
  };

  /** The shortest finding at a time: one of the whole run would hide the one that was clicked. */
  const findingAt = (column: Column, time: number): Finding | undefined => {
    const found = column.shown?.report?.findings.filter((finding) => finding.from_s <= time && time <= finding.to_s);
    return found?.toSorted((a, b) => a.to_s - a.from_s - (b.to_s - b.from_s))[0];
  };

  const select = (column: Column, marks: Marks, row: number, hit: Hit | undefined): void => {
    tell(column, hit);
    const time = at(marks.points, row, 0);
    const number = columns.indexOf(column);
    const whose = columns.length > 1 ? `${app.results.value[number]?.variant.name ?? ""}: ` : "";
    app.announce(`${whose}${marks.what} at ${moment(time)}. ${marks.why}. ${marks.rule}`);
    document.dispatchEvent(new CustomEvent("lasthop-mark", { detail: { kind: marks.kind, at: time, variant: number } }));
  };

  const make = (): Column => {
    const tip = el("div", { class: "tip", role: "tooltip", hidden: true });
    const column: Column = {
      heading: el("header", { class: "heading" }),
      figures: el("div"),
      charts: [],
      legend: el("ul", { class: "legend", "aria-label": "Marks" }),
      story: el("section", { class: "story" }),
      tip,
      cells: [],
      shown: undefined,
    };
    column.charts = PANELS.map(
      (panel) =>
        new Chart(
          panel,
          {
            cursor: (time) => (app.cursor.value = time),
            zoom: setRange,
            hover: (hit) => tell(column, hit),
            click: (time, hit) => {
              if (hit) select(column, hit.marks, hit.row, hit);
              const finding = findingAt(column, time);
              if (finding) mark(column, finding);
            },
          },
          HEIGHTS[panel.id] ?? 110,
        ),
    );
    column.cells = column.charts.map((chart, number) =>
      el("div", { class: "cell" }, ...(number === 0 ? [chart.element, tip] : [chart.element])),
    );
    return column;
  };

  /** Marks a finding in the list of its column. */
  const mark = (column: Column, finding: Finding): void => {
    const number = column.shown?.report?.findings.indexOf(finding) ?? -1;
    const list = column.story.querySelector("ol");
    const found = (item: HTMLElement): number => Number(item.dataset["finding"]);
    // A finding that is not among the costliest ones follows them, and replaces the last finding that was shown in this
    // way.
    const items = Array.from(list?.querySelectorAll("li") ?? []);
    for (const item of items) if (found(item) >= LISTED && found(item) !== number) item.remove();
    if (!items.some((item) => found(item) === number)) list?.append(entry(column, finding, number));
    for (const { story } of columns) {
      for (const item of story.querySelectorAll("li")) {
        item.classList.toggle("chosen", story === column.story && found(item) === number);
      }
    }
    app.announce(finding.text);
  };

  const entry = (column: Column, finding: Finding, number: number): HTMLElement => {
    const margin = (finding.to_s - finding.from_s) * 0.15;
    const show = (): void => {
      setRange({ from: finding.from_s - margin, to: finding.to_s + margin });
      mark(column, finding);
    };
    const when = `${moment(finding.from_s)}, cost ${duration(finding.cost_ms / 1e3)}`;
    return el("li", { "data-finding": number, value: number + 1 }, button(when, show, { title: "Show this part of the run" }), ` ${finding.text}`);
  };

  /** The time budget and the costliest findings. */
  const story = (column: Column, flow: FlowFigure): void => {
    const { report } = flow;
    if (!report) return;
    const total = Object.values(report.budget_ms).reduce((sum, value) => sum + value, 0) || 1;
    const shares = Object.entries(report.budget_ms).map(([cause, ms]) => {
      const text = `${cause} ${percent(ms / total)}`;
      const part = el("span", { class: `share cause-${cause}`, title: text, tabindex: "0", role: "img", "aria-label": text });
      part.style.setProperty("flex-grow", String(ms / total));
      if (ms / total > 0.12) part.textContent = text;
      return part;
    });
    const findings = report.findings.slice(0, LISTED).map((finding, number) => entry(column, finding, number));
    const list = findings.length > 0 ? el("ol", {}, ...findings) : el("p", {}, "No time was lost.");
    const heading = `Where the ${duration(report.took_ms / 1e3)} of ${flow.name} went`;
    column.story.replaceChildren(el("h4", {}, heading), el("div", { class: "budget" }, ...shares), list);
  };

  const legend = (column: Column, flow: FlowFigure): void => {
    const items = flow.marks
      .filter((marks) => rows(marks.points) > 0)
      .map((marks) => {
        const picture = el("canvas", { width: 36, height: 36, "aria-hidden": "true" });
        const pen = picture.getContext("2d");
        if (pen) {
          const painter = new MarkPainter(marks.kind, 1.6);
          painter.add(18, 20);
          painter.paint(pen);
        }
        return el("li", { title: marks.why }, picture, `${marks.label} ${rows(marks.points)}`);
      });
    column.legend.replaceChildren(...items);
  };

  const heading = (column: Column, result: Result): void => {
    const { figure, variant } = result;
    const title = el("h3", {}, variant.name);
    const summary = figure?.summary.flows.find((flow) => flow.name === column.shown?.name);
    const facts = [];
    if (summary) {
      facts.push(summary.completed ? `took ${duration(summary.completion_time_s ?? 0)}` : "not completed");
      facts.push(rate(summary.goodput_bps ?? 0), `${summary.timeouts} timeout${summary.timeouts === 1 ? "" : "s"}`);
    }
    const bar = el("progress", { max: 1, value: result.progress ?? 0, "aria-label": `Run of ${variant.name}` });
    bar.hidden = result.progress === undefined;
    if (figure?.overflowed) facts.push("figures incomplete: the run has more events than they keep");
    const problems = result.problems.map((problem) => el("pre", { class: "problem" }, problem.text));
    column.heading.replaceChildren(title, el("span", { class: "facts" }, facts.join(" · ")), bar, ...problems);
  };

  /** Draws with the current axis; `changed` if there are other series. */
  const draw = (changed: boolean): void => {
    const range = span();
    const shown = columns.flatMap((column) => (column.shown ? [column.shown] : []));
    for (const [number, panel] of PANELS.entries()) {
      const extents = shown.map((flow) => panel.extent(flow, range.from, range.to));
      const low = Math.min(...extents.map(([least]) => least));
      const high = Math.max(...extents.map(([, most]) => most));
      const least = Number.isFinite(low) ? low : 0;
      const most = high > least ? high : least + 1;
      const margin = (most - least) * 0.06;
      const extent: [number, number] = [least === 0 ? 0 : least - margin, most + margin];
      for (const column of columns) column.charts[number]?.show(column.shown, range, extent, changed);
    }
    where.textContent = `${moment(Number(range.from.toPrecision(6)))} to ${moment(Number(range.to.toPrecision(6)))}`;
    for (const column of columns) column.tip.hidden = true;
  };

  app.results.subscribe((results) => {
    if (results.length !== columns.length) {
      columns = results.map(make);
      grid.style.setProperty("--columns", String(Math.max(1, columns.length)));
      // Row by row, so that equal panels stand side by side.
      grid.replaceChildren(
        ...columns.map((column) => column.heading),
        ...columns.map((column) => column.legend),
        ...PANELS.flatMap((_, number) => columns.map((column) => column.cells[number] ?? el("div"))),
        ...columns.map((column) => column.story),
      );
    }
    const names = results.find((result) => result.figure)?.figure?.flows.map((flow) => flow.name) ?? [];
    const known = Array.from(flowMenu.options, (option) => option.textContent).join("\n") === names.join("\n");
    if (!known) flowMenu.replaceChildren(...names.map((name, number) => el("option", { value: number }, name)));
    flowMenu.hidden = flowLabel.hidden = names.length < 2;
    let changed = false;
    for (const [number, result] of results.entries()) {
      const column = columns[number];
      if (!column) continue;
      const flow = result.figure?.flows[app.flow.value] ?? result.figure?.flows[0];
      if (flow !== column.shown) {
        // A report that follows the series changes no figure.
        const redrawn = flow?.sent !== column.shown?.sent;
        column.shown = flow;
        if (redrawn) [chosen, changed] = [undefined, true];
        if (flow) {
          story(column, flow);
          if (redrawn) legend(column, flow);
        } else {
          column.story.replaceChildren();
          column.legend.replaceChildren();
        }
      }
      heading(column, result);
      // Figures of several variants follow each other in one column.
      const whose = results.length > 1 ? result.variant.name : "";
      for (const element of [column.legend, ...column.cells]) element.dataset["variant"] = whose;
      column.heading.classList.toggle("running", result.progress !== undefined);
    }
    if (changed) {
      draw(true);
      performance.mark("lasthop-drawn");
    }
  });
  app.flow.subscribe((number) => {
    flowMenu.value = String(number);
    app.results.value = [...app.results.value];
  });
  app.range.subscribe(() => draw(false));
  app.cursor.subscribe((time) => {
    here.textContent = time === undefined ? "" : `cursor ${moment(Number(time.toPrecision(7)))}`;
    for (const column of columns) for (const chart of column.charts) chart.point(time);
  });
  theme.subscribe(() => {
    for (const column of columns) {
      for (const chart of column.charts) chart.redraw();
      if (column.shown) legend(column, column.shown);
    }
  });

  /** The next mark after the cursor, or before it, of all variants. */
  const step = (forward: boolean): void => {
    const all = columns.flatMap((column) =>
      (column.shown?.marks ?? []).flatMap((marks) =>
        Array.from({ length: rows(marks.points) }, (_, row) => ({ column, marks, row, time: at(marks.points, row, 0) })),
      ),
    );
    // Marks at the same time follow each other. For example, a timeout and its retransmission are two marks.
    all.sort((a, b) => a.time - b.time);
    const last = chosen;
    const place = last ? all.findIndex(({ marks, row }) => marks === last.marks && row === last.row) : -1;
    const { cursor } = app;
    const from = cursor.value ?? span().from;
    const beside = forward
      ? all.find(({ time }) => (cursor.value === undefined ? time >= from : time > from))
      : all.findLast(({ time }) => time < from);
    const best = place < 0 ? beside : all[place + (forward ? 1 : -1)];
    if (!best) return app.announce(`There is no ${forward ? "later" : "earlier"} mark.`);
    chosen = best;
    const { column } = best;
    const time = at(best.marks.points, best.row, 0);
    const { from: left, to: right } = span();
    if (time < left || time > right) setRange({ from: time - (right - left) / 2, to: time + (right - left) / 2 });
    app.cursor.value = time;
    select(column, best.marks, best.row, column.charts[0]?.placeOf(best.marks, best.row));
  };

  const move = (share: number): void => {
    const { from, to } = span();
    const time = Math.max(0, (app.cursor.value ?? from) + share * (to - from));
    if (time < from || time > to) setRange({ from: time - (to - from) / 2, to: time + (to - from) / 2 });
    app.cursor.value = time;
    const reading = columns[0]?.shown && PANELS.slice(0, 2).map((panel) => panel.read(columns[0]!.shown!, time));
    app.announce(`${moment(time)}: ${reading?.join(", ") ?? ""}`);
  };

  grid.addEventListener("keydown", (event) => {
    if (event.target !== grid || event.ctrlKey || event.metaKey || event.altKey) return;
    const keys: Record<string, () => void> = {
      ArrowLeft: () => move(event.shiftKey ? -0.1 : -0.01),
      ArrowRight: () => move(event.shiftKey ? 0.1 : 0.01),
      "+": () => zoom(1 / 1.6),
      "=": () => zoom(1 / 1.6),
      "-": () => zoom(1.6),
      "0": () => (app.range.value = undefined),
      m: () => step(true),
      M: () => step(false),
      Escape: () => columns.forEach((column) => tell(column, undefined)),
    };
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}
