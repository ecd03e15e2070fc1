/** Statistics: replications of all variants on all cores, with intervals that narrow while they run. */

import "./statistics.css";
import type { App } from "./app";
import { button, el } from "./dom";
import { logDefect, Problems } from "./engine";
import { metricMenu, shown } from "./metrics";
import type { Entry, Metric, Precision, Values } from "./protocol";
import { Replication } from "./replicate";
import { type Project, subjectOf } from "./state";

/** Replications if a visitor chooses none. */
const USUAL = 50;

/** Most replications. */
const MOST = 10_000;

/** Bounds of the stopping rule, which are those of sweeps. */
const BOUNDS = { min: 10, max: 1000 };

/** Shortest time between two tables in ms. */
const STRIDE_MS = 100;

/** What a run of replications belongs to. */
interface Session {
  project: Project;
  names: string[];
  replication: Replication;
  delays: boolean;
  precision: Precision | undefined;
  /** Replications that were asked for. */
  target: number;
  ended: boolean;
}

/** Whether two projects have the same runs. */
export function sameRuns(one: Project, other: Project): boolean {
  const all = ({ name, text, changes, variants }: Project): string => JSON.stringify([name, text, changes, variants]);
  return one === other || (one.files === other.files && all(one) === all(other));
}

/** A number of percent with its sign. */
export function signed(percent: number): string {
  const digits = Math.abs(percent) >= 100 ? 0 : Math.abs(percent) >= 10 ? 1 : 2;
  return `${percent > 0 ? "+" : percent < 0 ? "−" : ""}${Math.abs(percent).toFixed(digits)} %`;
}

export function mountStatistics(root: HTMLElement, app: App): void {
  let session: Session | undefined;
  let entries: Entry[] = [];
  let count = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asking = false;

  const menu = metricMenu(app, "statistics-metric", () => measure());
  const number = el("input", { id: "replications", type: "number", min: 2, max: MOST, step: 1, value: USUAL });
  const until = el(
    "select",
    { id: "until", on: { change: () => showRule() } },
    el("option", { value: "count" }, "a number of replications"),
    el("option", { value: "precision" }, "every mean is precise"),
  );
  const precision = el("input", { id: "precision", type: "number", min: 0.1, max: 50, step: 0.1, value: 1 });
  const numberField = el("div", { class: "field" }, el("label", { for: "replications" }, "Replications "), number);
  const precisionField = el(
    "div",
    { class: "field" },
    el("label", { for: "precision" }, "Precision in % "),
    precision,
    el("span", { class: "meaning" }, `at least ${BOUNDS.min}, at most ${BOUNDS.max} replications`),
  );
  const startButton = button("Run replications", () => (session && !session.ended ? stop("Stopped") : start()), { class: "go" });
  const bar = el("progress", { max: 1, value: 0, "aria-label": "Replications" });
  const state = el("p", { class: "state", role: "status", "aria-live": "polite" });
  const table = el("table", { class: "numbers" });
  const means = el("div", { class: "intervals" });
  const changes = el("div", { class: "intervals" });
  root.append(
    el(
      "section",
      { class: "statistics", "aria-label": "Replications" },
      el("h3", {}, "Replications"),
      el("p", { class: "meaning" }, "One run shows one realization of the losses. Replication 7 has the same air for all variants."),
      menu.element,
      el("div", { class: "field" }, el("label", { for: "until" }, "Run until "), until),
      numberField,
      precisionField,
      el("div", { class: "field" }, startButton, bar),
      state,
      el("div", { class: "wide", tabindex: "0", role: "group", "aria-label": "Table of statistics" }, table),
      means,
      changes,
    ),
  );

  const showRule = (): void => {
    numberField.hidden = until.value !== "count";
    precisionField.hidden = until.value !== "precision";
  };

  const say = (text: string): void => {
    state.textContent = text;
  };

  const start = (): void => {
    session?.replication.stop();
    const metric = menu.chosen();
    if (!metric) return;
    const project = app.store.project.value;
    const rule = until.value === "precision" ? { precision: inRange(precision, 0.1, 50) / 100, ...BOUNDS } : undefined;
    const target = rule ? rule.min : Math.round(inRange(number, 2, MOST));
    const current: Session = {
      project,
      names: project.variants.map((variant) => variant.name),
      delays: metric.delays,
      precision: rule,
      target,
      ended: false,
      replication: new Replication(
        app,
        project.variants.map((variant) => subjectOf(project, variant)),
        {
          delays: metric.delays,
          ran: () => session === current && later(),
          failed: (failed, error) => {
            if (session !== current) return;
            const text = error instanceof Problems ? error.message : `a defect of the program: ${error.message}`;
            stop(`${current.names[failed] ?? ""} cannot run: ${text}`);
          },
        },
      ),
    };
    session = current;
    [entries, count] = [[], 0];
    draw();
    startButton.textContent = "Stop";
    say("");
    current.replication.upTo(target);
  };

  const stop = (text: string): void => {
    if (!session) return;
    session.replication.stop();
    session.ended = true;
    startButton.textContent = "Run replications";
    say(`${text} after ${count} of ${session.target} replications.`);
  };

  /** A new table soon: one at a time, not one for each run. */
  const later = (): void => {
    bar.value = session?.replication.progress ?? 0;
    timer ??= setTimeout(() => {
      timer = undefined;
      void compute();
    }, STRIDE_MS);
  };

  const compute = async (): Promise<void> => {
    const [current, metric] = [session, menu.chosen()];
    if (!current || !metric) return;
    if (asking) return later();
    const numbers = current.names.map((_, at) => at);
    const common = current.replication.common(numbers);
    const cases = numbers.map((at) => current.replication.values(at, metric.name, common));
    asking = true;
    try {
      const [found] = await app.engine.call("statistics", [metric.name, [cases]]);
      if (session !== current || menu.chosen() !== metric) return;
      [entries, count] = [found ?? [], common];
      draw();
      if (!current.ended && common >= current.target) await decide(current, metric, cases);
    } catch (error) {
      logDefect(error);
    } finally {
      asking = false;
    }
  };

  /** After all replications that were asked for: more, if the means are not precise enough. */
  const decide = async (current: Session, metric: Metric, cases: Values[][]): Promise<void> => {
    const more = current.precision
      ? await app.engine.call("needed", [metric.name, cases, current.precision, current.target])
      : 0;
    if (session !== current || current.ended) return;
    if (more > 0) {
      current.target += more;
      current.replication.upTo(current.target);
      return;
    }
    current.ended = true;
    startButton.textContent = "Run replications";
    const exhausted = current.precision && current.target >= current.precision.max;
    say(`${current.target} replications of ${current.names.length} variants${exhausted ? ", the maximum" : ""}: done.`);
  };

  /** The metric has changed: the same runs have its values, unless delays were not measured. */
  const measure = (): void => {
    const metric = menu.chosen();
    if (!session || !metric) return;
    if (metric.delays && !session.delays) start();
    else if (session.ended) void compute();
    else later();
  };

  const draw = (): void => {
    const metric = menu.chosen();
    bar.value = session?.replication.progress ?? 0;
    if (!session || !metric) return;
    const several = new Set(entries.map((entry) => entry.subject)).size > 1;
    const name = (entry: Entry): string => session?.names[entry.case] ?? "";
    const label = (entry: Entry): string => (several ? `${name(entry)}, ${entry.subject}` : name(entry));
    drawTable(table, entries, metric, label, `${metric.name}: means of ${count} replications, ± half of the 95 % interval`);
    intervals(means, `Mean ${metric.name}`, meanRows(entries, metric, label));
    intervals(changes, `Change from ${session.names[0] ?? ""}`, changeRows(entries, label));
  };

  showRule();
  draw();
  app.store.project.subscribe((project) => {
    if (session && !sameRuns(session.project, project)) {
      if (!session.ended) stop("The scenario has changed: stopped");
      else say("The scenario has changed since these replications.");
    }
  });
  let opened: string | undefined;
  app.store.project.subscribe((project) => {
    const [variant] = project.variants;
    if (!variant || project.text === opened) return;
    opened = project.text;
    app.engine.call("sweep", [subjectOf(project, variant)], { slot: "statistics-sweep" }).then(
      ({ metric }) => {
        if (!session || session.ended) menu.choose(metric);
      },
      logDefect,
    );
  });
}

/** The number of a field, within its bounds. */
export function inRange(field: HTMLInputElement, least: number, most: number): number {
  const value = Math.min(most, Math.max(least, Number(field.value) || least));
  field.value = String(value);
  return value;
}

function drawTable(table: HTMLTableElement, entries: Entry[], metric: Metric, label: (entry: Entry) => string, caption: string): void {
  const heads = ["variant", "mean", "±", "n", "change", "±"];
  /** A cell with the exact number beside the rounded one. */
  const value = (number: number | null | undefined, text: (value: number) => string): HTMLElement =>
    el("td", { "data-value": number ?? undefined }, number === null || number === undefined ? "–" : text(number));
  const row = (entry: Entry): HTMLElement => {
    const against = entry.against_first;
    const cells = [
      value(entry.mean, (mean) => shown(metric, mean)),
      value(entry.half_width, (half) => shown(metric, half)),
      value(entry.n, (n) => (entry.without > 0 ? `${n} (${entry.without} without)` : String(n))),
      value(against?.change_percent, signed),
      value(entry.change_percent_half_width, (half) => signed(half).replace("+", "")),
    ];
    return el("tr", {}, el("th", { scope: "row" }, label(entry)), ...cells);
  };
  table.replaceChildren(
    el("caption", {}, caption),
    el("thead", {}, el("tr", {}, ...heads.map((head) => el("th", { scope: "col" }, head)))),
    el("tbody", {}, ...entries.map(row)),
  );
}

/** One line of a chart: a mean and its interval. */
interface Line {
  case: number;
  label: string;
  text: string;
  middle: number;
  low: number;
  high: number;
}

interface Chart {
  lines: Line[];
  least: number;
  most: number;
  shown: (value: number) => string;
  zero: boolean;
}

function meanRows(entries: Entry[], metric: Metric, label: (entry: Entry) => string): Chart | undefined {
  const lines = entries.flatMap((entry) => {
    if (entry.mean === null) return [];
    const [low, high] = entry.ci ?? [entry.mean, entry.mean];
    const half = entry.half_width === null ? "" : ` ± ${shown(metric, entry.half_width)}`;
    return [{ case: entry.case, label: label(entry), text: `${shown(metric, entry.mean)}${half}`, middle: entry.mean, low, high }];
  });
  if (lines.length === 0) return undefined;
  // The spread of single runs does not shrink with their number. Therefore the axis stays unchanged, and intervals
  // become narrower on it.
  const ends = entries.flatMap((entry) => entry.quantiles.map((quantile) => quantile.value));
  const [least, most] = around([...ends, ...lines.map((line) => line.middle)], false);
  return { lines, least, most, shown: (value) => shown(metric, value), zero: false };
}

function changeRows(entries: Entry[], label: (entry: Entry) => string): Chart | undefined {
  const lines = entries.flatMap((entry) => {
    const against = entry.against_first;
    if (!against || against.change_percent === null) return [];
    const middle = against.change_percent;
    const [low, high] = against.change_percent_ci ?? [middle, middle];
    const half = entry.change_percent_half_width;
    const text = `${signed(middle)}${half === null ? "" : ` ± ${signed(half).replace("+", "")}`}`;
    return [{ case: entry.case, label: label(entry), text, middle, low, high }];
  });
  if (lines.length === 0) return undefined;
  // The first intervals are so wide that an axis which includes them would show little else.
  const ends = lines.filter((line) => line.high - line.low < 2 * Math.abs(line.middle)).flatMap((line) => [line.low, line.high]);
  const [least, most] = around([...ends, ...lines.map((line) => line.middle)], true);
  return { lines, least, most, shown: signed, zero: true };
}

/** Round ends of an axis that holds the values with a margin; with `zero` it holds 0, too. */
export function around(values: number[], zero: boolean): [number, number] {
  const finite = zero ? [...values, 0] : values;
  const [low, high] = [Math.min(...finite), Math.max(...finite)];
  const span = high - low || Math.abs(high) || 1;
  const power = 10 ** Math.floor(Math.log10(span));
  const step = (span / power < 2 ? 0.5 : span / power < 5 ? 1 : 2) * power;
  const [least, most] = [Math.floor(low / step - 0.2) * step, Math.ceil(high / step + 0.2) * step];
  return [low >= 0 ? Math.max(0, least) : least, high <= 0 ? Math.min(0, most) : most];
}

/** Draws means with their intervals on one axis. Places are set as properties of styles, which the page's policy allows. */
function intervals(root: HTMLElement, title: string, chart: Chart | undefined): void {
  root.hidden = chart === undefined;
  if (!chart) return root.replaceChildren();
  const { least, most } = chart;
  const share = (value: number): number => Math.min(1, Math.max(0, (value - least) / (most - least)));
  const place = (element: HTMLElement, from: number, to?: number): HTMLElement => {
    element.style.setProperty("left", `${100 * share(from)}%`);
    if (to !== undefined) element.style.setProperty("width", `${100 * (share(to) - share(from))}%`);
    return element;
  };
  const line = ({ case: number, label, text, middle, low, high }: Line): HTMLElement =>
    el(
      "div",
      { class: `line case-${number % 6}`, role: "img", "aria-label": `${label}: ${text}` },
      el("span", { class: "label" }, label),
      el(
        "div",
        { class: "track" },
        chart.zero ? place(el("i", { class: "zero" }), 0) : undefined,
        place(el("i", { class: "span" }), low, high),
        place(el("i", { class: "dot" }), middle),
      ),
    );
  const ends = el("div", { class: "ends", "aria-hidden": "true" }, el("span", {}, chart.shown(least)), el("span", {}, chart.shown(most)));
  root.replaceChildren(el("h4", {}, title), ...chart.lines.map(line), ends);
}
