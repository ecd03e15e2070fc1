/** The metrics: a menu of them, and their values with units. */

import type { App } from "./app";
import { el } from "./dom";
import { bytes, duration, percent, rate } from "./format";
import type { Metric } from "./protocol";

const SCOPES: Record<string, string> = {
  run: "The run",
  flow: "Each flow",
  direction: "Each direction of a link",
  medium: "Each medium",
  station: "Each station",
  node: "Each node",
  arrivals: "Arriving flows",
};

let known: Promise<Metric[]> | undefined;

/** All metrics: a list of the module, which is asked once. */
export function metrics(app: App): Promise<Metric[]> {
  known ??= app.engine.call("metrics", []);
  return known;
}

/** A value of a metric with its unit. */
export function shown(metric: Metric, value: number): string {
  if (metric.unit === "s") return duration(value);
  if (metric.unit === "bit/s") return rate(value);
  if (metric.unit === "bytes") return bytes(value);
  if (metric.unit === "share") return percent(value);
  if (metric.unit === "1 to 4.5" || metric.unit === "1 and more") return value.toFixed(2);
  const number = String(Number.isInteger(value) ? value : Number(value.toPrecision(4)));
  // Ranges of pure numbers, such as "0 or 1", are no unit.
  return /^[a-z]/.test(metric.unit) && metric.unit !== "count" ? `${number} ${metric.unit}` : number;
}

export interface Menu {
  element: HTMLElement;
  /** The chosen metric, when the list is there. */
  chosen: () => Metric | undefined;
  choose: (name: string) => void;
}

/** A menu of the metrics with the meaning of the chosen one. */
export function metricMenu(app: App, id: string, changed: () => void): Menu {
  const meaning = el("p", { id: `${id}-meaning`, class: "meaning" });
  const menu = el("select", {
    id,
    "aria-describedby": `${id}-meaning`,
    on: {
      change: () => {
        explain();
        changed();
      },
    },
  });
  let list: Metric[] = [];
  let wanted: string | undefined;
  const chosen = (): Metric | undefined => list.find((metric) => metric.name === menu.value);
  const explain = (): void => {
    const metric = chosen();
    meaning.textContent = metric ? `${metric.definition}. Unit: ${metric.unit}.` : "";
  };
  const choose = (name: string): void => {
    wanted = name;
    menu.value = name;
    explain();
  };
  metrics(app).then((found) => {
    list = found;
    menu.replaceChildren(
      ...Object.entries(SCOPES).map(([scope, label]) => {
        const names = found.filter((metric) => metric.scope === scope).map(({ name }) => el("option", { value: name }, name));
        return el("optgroup", { label }, ...names);
      }),
    );
    choose(wanted ?? "completion_time_s");
    changed();
  }, console.error);
  return { element: el("div", { class: "field" }, el("label", { for: id }, "Metric "), menu, meaning), chosen, choose };
}
