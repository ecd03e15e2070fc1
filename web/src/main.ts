/** Builds the page. */

import "uplot/dist/uPlot.min.css";
import "./style.css";
import type { App, Range, Result } from "./app";
import { button, el } from "./dom";
import { Engine } from "./engine";
import { mountFigures } from "./figures";
import { startRuns, stopRuns } from "./runs";
import { Signal, Store } from "./state";
import { toggleTheme } from "./theme";

/** The example that a visitor sees first. */
const FIRST = "goel-refined.toml";

async function start(): Promise<void> {
  const main = document.querySelector("main");
  if (!main) return;
  const live = el("div", { class: "live", "aria-live": "polite", role: "status" });
  document.body.append(live);
  const [engine, response] = await Promise.all([Engine.start(), fetch(`examples/${FIRST}`)]);
  const text = await response.text();
  const store = new Store({
    name: FIRST,
    text,
    files: {},
    changes: [],
    variants: [
      { name: "unmodified", changes: [], scheme: "unmodified" },
      { name: "refined-icmp", changes: [] },
    ],
  });
  const app: App = {
    store,
    engine,
    results: new Signal<Result[]>([]),
    range: new Signal<Range | undefined>(undefined),
    cursor: new Signal<number | undefined>(undefined),
    flow: new Signal(0),
    announce: (said) => {
      live.textContent = said;
    },
  };
  const bar = el(
    "div",
    { class: "bar", role: "toolbar", "aria-label": "Project" },
    button("Undo", () => store.undo(), { class: "undo" }),
    button("Redo", () => store.redo(), { class: "redo" }),
    button("Back to the example", () => store.reset()),
    button("Stop", () => stopRuns(app), { class: "stop" }),
    button("Theme", toggleTheme, { title: "Light or dark" }),
  );
  const figures = el("section", { id: "figures", "aria-label": "Figures" });
  main.replaceChildren(bar, figures);
  mountFigures(figures, app);
  app.results.subscribe((results) => {
    const stop = bar.querySelector<HTMLButtonElement>(".stop");
    if (stop) stop.disabled = results.every((result) => result.progress === undefined);
  });
  store.project.subscribe(() => {
    const [undo, redo] = [".undo", ".redo"].map((name) => bar.querySelector<HTMLButtonElement>(name));
    if (undo) undo.disabled = !store.canUndo;
    if (redo) redo.disabled = !store.canRedo;
  });
  Object.assign(window, { lasthop: { app } });
  startRuns(app);
}

start().catch((error: unknown) => {
  const text = `The laboratory could not start: ${error instanceof Error ? error.message : String(error)}`;
  document.querySelector("main")?.replaceChildren(el("p", { class: "problem", role: "alert" }, text));
});
