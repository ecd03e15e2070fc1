/** A small sweep: the difference of two variants at each point of two axes, as a map that fills while it runs. */

import "./statistics.css";
import "./heat.css";
import type { App } from "./app";
import { button, el } from "./dom";
import { logDefect, Problems } from "./engine";
import { metricMenu, shown } from "./metrics";
import type { Entry, Metric } from "./protocol";
import { Replication } from "./replicate";
import { changed, keyOf, type Project, subjectOf } from "./state";
import { inRange, sameRuns, signed } from "./statistics";

/** Replications of each cell if a visitor chooses none. */
const USUAL = 5;

/** Most replications of each cell. */
const MOST = 1000;

/** Fewest and most values of an axis. */
const VALUES = { min: 2, max: 9 };

/** Shortest time between two pictures in ms. */
const STRIDE_MS = 200;

/** A value of an axis. */
interface Place {
  shown: string;
  change: string;
}

interface Cell {
  row: number;
  column: number;
  /** Why it has no value. */
  problem: string | undefined;
  entries: Entry[];
  count: number;
}

/** One map. */
interface Session {
  project: Project;
  keys: [string, string];
  rows: Place[];
  columns: Place[];
  /** The compared variants: their numbers. */
  pair: [number, number];
  cells: Cell[];
  replication: Replication;
  delays: boolean;
  target: number;
  ended: boolean;
}

/** A project with the changes of a cell. */
function projectAt(project: Project, places: (Place | undefined)[]): Project {
  const changes = places.reduce((changes, place) => {
    if (!place) return changes;
    const key = keyOf(place.change);
    return changed(changes, key, place.change.slice(key.length + 1));
  }, project.changes);
  return { ...project, changes };
}

export function mountHeat(root: HTMLElement, app: App): void {
  let session: Session | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asking = false;
  let starting = 0;
  let suggestions = new Map<string, string>();

  const menu = metricMenu(app, "heat-metric", () => measure());
  const keys = el("datalist", { id: "heat-keys" });
  const axes = ["down", "across"].map((way) => {
    const text = el("input", { id: `heat-${way}-values`, type: "text", placeholder: "values with commas between them" });
    const key = el("input", {
      id: `heat-${way}`,
      type: "text",
      list: "heat-keys",
      placeholder: "links.air.rate",
      // The handler also runs while the user types, because the choice of a suggestion is an input.
      on: { input: () => (text.value = suggestions.get(key.value) ?? text.value) },
    });
    const field = el(
      "fieldset",
      {},
      el("legend", {}, way === "down" ? "Down" : "Across"),
      el("label", { for: key.id }, "Key ", key),
      el("label", { for: text.id }, "Values ", text),
    );
    return { key, text, field };
  });
  const base = el("select", { id: "heat-base" });
  const other = el("select", { id: "heat-other" });
  const flow = el("select", { id: "heat-subject", on: { change: () => draw() } });
  const flowField = el("div", { class: "field" }, el("label", { for: "heat-subject" }, "Of "), flow);
  const number = el("input", { id: "heat-replications", type: "number", min: 2, max: MOST, step: 1, value: USUAL });
  const startButton = button("Draw the map", () => void (session && !session.ended ? stop("Stopped") : start()), { class: "go" });
  const bar = el("progress", { max: 1, value: 0, "aria-label": "Runs of the map" });
  const state = el("p", { class: "state", role: "status", "aria-live": "polite" });
  const table = el("table", { class: "map", role: "grid" });
  const reading = el("output", { class: "cell-reading" });
  const legend = el(
    "p",
    { class: "meaning" },
    "+ and −: the change of the mean, blue where it is better, orange where it is worse; 0: the interval of the difference contains 0. ",
    "Enter opens the scenario of a cell.",
  );
  root.append(
    el(
      "section",
      { class: "heat", "aria-label": "Map of differences" },
      el("h3", {}, "Map of differences"),
      keys,
      ...axes.map((axis) => axis.field),
      el("div", { class: "field" }, el("label", { for: "heat-other" }, "Change to "), other, el("span", { class: "pair" }, el("label", { for: "heat-base" }, "from "), base)),
      menu.element,
      el("div", { class: "field" }, el("label", { for: "heat-replications" }, "Replications "), number),
      el("div", { class: "field" }, startButton, bar),
      state,
      flowField,
      el("div", { class: "wide" }, table),
      reading,
      legend,
    ),
  );

  const say = (text: string): void => {
    state.textContent = text;
  };

  const start = async (): Promise<void> => {
    const current = ++starting;
    const [metric, project] = [menu.chosen(), app.store.project.value];
    if (!metric) return;
    const pair: [number, number] = [Number(base.value), Number(other.value)];
    const names = axes.map((axis) => axis.key.value.trim());
    const wrong = mistake(project, names, pair);
    if (wrong) return say(wrong);
    const lists: Place[][] = [];
    for (const [at, axis] of axes.entries()) {
      try {
        lists.push(await app.engine.call("axis", [names[at] ?? "", axis.text.value]));
      } catch (error) {
        return say(error instanceof Error ? error.message : String(error));
      }
      const found = lists[at]?.length ?? 0;
      if (found < VALUES.min || found > VALUES.max) {
        return say(`${names[at]}: found ${found} values, expected ${VALUES.min} to ${VALUES.max}`);
      }
    }
    if (current !== starting) return;
    session?.replication.stop();
    const [rows = [], columns = []] = lists;
    const both: [string, string] = [names[0] ?? "", names[1] ?? ""];
    const cells = rows.flatMap((_, row) => columns.map((_, column): Cell => ({ row, column, problem: undefined, entries: [], count: 0 })));
    const made = {
      project,
      keys: both,
      rows,
      columns,
      pair,
      cells,
      delays: metric.delays,
      target: Math.round(inRange(number, 2, MOST)),
      ended: false,
    };
    const subjects = cells.flatMap((cell) => {
      const at = projectAt(project, [rows[cell.row], columns[cell.column]]);
      return pair.flatMap((variant) => at.variants[variant] ?? []).map((variant) => subjectOf(at, variant));
    });
    const replication = new Replication(app, subjects, {
      delays: metric.delays,
      ran: () => session?.replication === replication && later(),
      failed: (number, error) => {
        const cell = cells[number >> 1];
        if (!cell) return;
        cell.problem = error instanceof Problems ? error.message : `a defect of the program: ${error.message}`;
        if (session?.replication === replication) later();
      },
    });
    session = Object.assign(made, { replication });
    startButton.textContent = "Stop";
    say("");
    flow.replaceChildren();
    build(session);
    draw();
    replication.upTo(session.target);
  };

  const stop = (text: string): void => {
    if (!session) return;
    session.replication.stop();
    session.ended = true;
    startButton.textContent = "Draw the map";
    say(`${text}.`);
  };

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
    const isDone = current.replication.isDone;
    const counts = current.cells.map((_, at) => current.replication.common([2 * at, 2 * at + 1]));
    const groups = counts.map((count, at) => [2 * at, 2 * at + 1].map((number) => current.replication.values(number, metric.name, count)));
    asking = true;
    try {
      const found = await app.engine.call("statistics", [metric.name, groups]);
      if (session !== current || menu.chosen() !== metric) return;
      for (const [at, cell] of current.cells.entries()) [cell.entries, cell.count] = [found[at] ?? [], counts[at] ?? 0];
      if (isDone && !current.ended) {
        current.ended = true;
        startButton.textContent = "Draw the map";
        say(`${current.cells.length} cells, ${current.target} replications each: done.`);
      }
      draw();
    } catch (error) {
      logDefect(error);
    } finally {
      asking = false;
    }
  };

  const measure = (): void => {
    const metric = menu.chosen();
    if (!session || !metric) return;
    if (metric.delays && !session.delays) void start();
    else if (session.ended) void compute();
    else later();
  };

  /** The cells' buttons, row by row. */
  let buttons: HTMLButtonElement[] = [];

  const build = (current: Session): void => {
    buttons = current.cells.map((cell, at) =>
      el("button", {
        type: "button",
        tabindex: at === 0 ? 0 : -1,
        on: {
          click: () => open(current, cell),
          focus: () => read(current, cell),
          pointerenter: () => read(current, cell),
          keydown: (event) => move(event, current, at),
        },
      }),
    );
    const head = current.columns.map((place) => el("th", { scope: "col" }, place.shown));
    const corner = el("td", { class: "corner" }, `${current.keys[0]} ↓ ${current.keys[1]} →`);
    const rows = current.rows.map((place, row) => {
      const cells = current.columns.map((_, column) => el("td", { role: "gridcell" }, buttons[row * current.columns.length + column]));
      return el("tr", {}, el("th", { scope: "row" }, place.shown), ...cells);
    });
    const names = current.pair.map((number) => current.project.variants[number]?.name ?? "");
    table.replaceChildren(
      el("caption", {}, `Change to ${names[1]} from ${names[0]}`),
      el("thead", {}, el("tr", {}, corner, ...head)),
      el("tbody", {}, ...rows),
    );
    reading.textContent = "";
  };

  const move = (event: KeyboardEvent, current: Session, at: number): void => {
    const width = current.columns.length;
    const column = at % width;
    const to = {
      ArrowLeft: column > 0 ? at - 1 : at,
      ArrowRight: column < width - 1 ? at + 1 : at,
      ArrowUp: at - width,
      ArrowDown: at + width,
      Home: at - column,
      End: at - column + width - 1,
    }[event.key];
    const target = to === undefined ? undefined : buttons[to];
    if (to === undefined) return;
    event.preventDefault();
    if (!target) return;
    for (const button of buttons) button.tabIndex = button === target ? 0 : -1;
    target.focus();
  };

  /** The entry of a cell: that of the second variant for the chosen subject. */
  const entryOf = (cell: Cell): Entry | undefined => cell.entries.find((entry) => entry.case === 1 && entry.subject === flow.value);

  const draw = (): void => {
    const metric = menu.chosen();
    bar.value = session?.replication.progress ?? 0;
    const subjects = [...new Set(session?.cells.flatMap((cell) => cell.entries.map((entry) => entry.subject)) ?? [])];
    if (subjects.join("\n") !== Array.from(flow.options, (option) => option.value).join("\n")) {
      const before = flow.value;
      flow.replaceChildren(...subjects.map((subject) => el("option", { value: subject }, subject)));
      flow.value = subjects.includes(before) ? before : (subjects[0] ?? "");
    }
    flowField.hidden = subjects.length < 2;
    legend.hidden = table.hidden = session === undefined;
    if (!session || !metric) return;
    const greatest = Math.max(...session.cells.map((cell) => Math.abs(entryOf(cell)?.against_first?.difference ?? 0)));
    const sizes = session.cells.map((cell) => Math.abs(entryOf(cell)?.against_first?.change_percent ?? 0));
    const most = Math.max(...sizes);
    for (const [at, cell] of session.cells.entries()) {
      const button = buttons[at];
      if (!button) continue;
      const entry = entryOf(cell);
      const difference = Math.abs(entry?.against_first?.difference ?? 0);
      // If there is no change in percent, as from 0, the difference itself determines the shade.
      const share = most > 0 ? (sizes[at] ?? 0) / most : greatest > 0 ? difference / greatest : 0;
      button.className = look(metric, cell, entry);
      button.style.setProperty("--share", `${Math.round(25 + 75 * Math.sqrt(share))}%`);
      button.textContent = symbol(cell, entry);
      button.dataset["difference"] = String(entry?.against_first?.difference ?? "");
      button.setAttribute("aria-label", describe(session, cell, entry, metric));
    }
  };

  const read = (current: Session, cell: Cell): void => {
    const metric = menu.chosen();
    if (metric && session === current) reading.textContent = describe(current, cell, entryOf(cell), metric);
  };

  const open = (current: Session, cell: Cell): void => {
    app.store.step(projectAt(app.store.project.value, [current.rows[cell.row], current.columns[cell.column]]));
    app.announce(`The figures show ${where(current, cell)}`);
  };

  const suggest = (project: Project): void => {
    const [variant] = project.variants;
    if (!variant) return;
    app.engine.call("sweep", [subjectOf(project, variant)], { slot: "heat-sweep" }).then(
      (found) => {
        if (!session || session.ended) menu.choose(found.metric);
        suggestions = new Map(found.axes.map(({ key, values }) => [key, values]));
        keys.replaceChildren(...[...suggestions.keys()].map((key) => el("option", { value: key })));
        const usual = defaults(found.axes, project);
        for (const [at, axis] of axes.entries()) {
          const key = usual[at];
          if (key === undefined) continue;
          axis.key.value = key;
          axis.text.value = suggestions.get(key) ?? "";
        }
      },
      logDefect,
    );
  };

  let opened: string | undefined;
  let listed = "";
  app.store.project.subscribe((project) => {
    const names = project.variants.map((variant) => variant.name);
    if (JSON.stringify(names) !== listed) {
      listed = JSON.stringify(names);
      for (const [at, select] of [base, other].entries()) {
        const chosen = Math.min(Number(select.value || at), names.length - 1);
        select.replaceChildren(...names.map((name, number) => el("option", { value: number }, name)));
        select.value = String(chosen);
      }
    }
    if (project.text !== opened) {
      opened = project.text;
      suggest(project);
    }
    // Cells that are opened change the axes' keys alone: the map stays.
    if (session && !sameRuns(withoutKeys(session.project, session.keys), withoutKeys(project, session.keys))) {
      if (!session.ended) stop("The scenario has changed: stopped");
      else say("The scenario has changed since this map.");
    }
  });
  draw();
}

function withoutKeys(project: Project, keys: string[]): Project {
  return { ...project, changes: project.changes.filter((change) => !keys.includes(keyOf(change))) };
}

/** The keys of a scenario's first map: those of its sweep, then rates, losses and delays. */
function defaults(axes: { key: string; declared: boolean }[], project: Project): string[] {
  const own = project.variants.flatMap((variant) => variant.changes.map(keyOf));
  const usual = [/\.rate$/, /\.(mean_bad|loss|error_rate)$/, /\.delay$/, /\.receive_window$/, /./];
  const rank = ({ key, declared }: { key: string; declared: boolean }): number => (declared ? -1 : usual.findIndex((pattern) => pattern.test(key)));
  const free = axes.filter(({ key }) => !own.includes(key)).toSorted((one, other) => rank(one) - rank(other));
  // Two rates side by side say less than a rate and a loss.
  const [first] = free;
  const second = free.slice(1).find((axis) => axis.declared || (first && rank(axis) !== rank(first)));
  return [first, second ?? free[1]].flatMap((axis) => axis?.key ?? []);
}

/** Why a map cannot be drawn. */
function mistake(project: Project, keys: string[], [base, other]: [number, number]): string | undefined {
  const [one, two] = keys;
  if (project.variants.length < 2) return "The map compares two variants: add one.";
  if (base === other) return "The map compares two variants: choose another one.";
  if (!one || !two) return "Each axis needs a key.";
  if (one === two) return "The axes need two keys.";
  for (const number of [base, other]) {
    const variant = project.variants[number];
    const own = variant?.changes.map(keyOf).find((key) => keys.includes(key));
    if (own) return `${own} is changed by the variant ${variant?.name ?? ""}: choose another key.`;
  }
  return undefined;
}

/** Class of a cell: better, worse, no difference or unknown. */
function look(metric: Metric, cell: Cell, entry: Entry | undefined): string {
  if (cell.problem !== undefined) return "wrong";
  if (!entry || entry.sign === null) return "open";
  if (entry.sign === 0) return "same";
  return entry.sign > 0 === (metric.better !== "lower") ? "better" : "worse";
}

/** What a cell shows: the sign, and the change if there is room. */
function symbol(cell: Cell, entry: Entry | undefined): string {
  if (cell.problem !== undefined) return "!";
  if (!entry || entry.sign === null) return "·";
  if (entry.sign === 0) return "0";
  const sign = entry.sign > 0 ? "+" : "−";
  const percent = entry.against_first?.change_percent;
  if (percent === null || percent === undefined) return sign;
  const size = Math.abs(percent);
  return `${sign}${size >= 9.95 ? size.toFixed(0) : size.toFixed(1)}`;
}

function where(session: Session, { row, column }: Cell): string {
  return `${session.keys[0]} ${session.rows[row]?.shown ?? ""}, ${session.keys[1]} ${session.columns[column]?.shown ?? ""}`;
}

/** A cell in words, with its interval. */
function describe(session: Session, cell: Cell, entry: Entry | undefined, metric: Metric): string {
  const place = where(session, cell);
  if (cell.problem !== undefined) return `${place}: ${cell.problem}`;
  const against = entry?.against_first;
  if (!entry || !against) return `${place}: ${session.ended ? `${metric.name} has no value in these runs` : "no value yet"}`;
  const half = entry.difference_half_width;
  const difference = `${against.difference > 0 ? "+" : against.difference < 0 ? "−" : ""}${shown(metric, Math.abs(against.difference))}`;
  const parts = [`${metric.name} ${difference}${half === null ? "" : ` ± ${shown(metric, half)}`}`];
  if (against.change_percent !== null) {
    const half = entry.change_percent_half_width;
    parts.push(`${signed(against.change_percent)}${half === null ? "" : ` ± ${signed(half).replace("+", "")}`}`);
  }
  parts.push(`${against.pairs} pairs`);
  return `${place}: ${parts.join(", ")}${entry.sign === 0 ? ", no clear difference" : ""}`;
}
