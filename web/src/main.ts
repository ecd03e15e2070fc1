/** Builds the page. */

import "uplot/dist/uPlot.min.css";
import "./style.css";
import "./vocabulary.css";
import type { App, Range, Result } from "./app";
import { button, el } from "./dom";
import { Engine } from "./engine";
import { mountExamples } from "./examples";
import { mountFigures } from "./figures";
import { tabs } from "./layout";
import { keepForOffline } from "./offline";
import { embedded, fetchExample, restore } from "./opened";
import { PARTS } from "./parts";
import { startRuns, stopRuns } from "./runs";
import { Signal, Store } from "./state";
import { toggleTheme } from "./theme";
import { mountVariants } from "./variants";

/** The example that a visitor sees first. */
const FIRST = "goel-refined.toml";

async function start(): Promise<void> {
  const main = document.querySelector("main");
  if (!main) return;
  document.body.classList.toggle("embed", embedded());
  const live = el("div", { class: "live", "aria-live": "polite", role: "status" });
  document.body.append(live);
  const [engine, response] = await Promise.all([Engine.start(), fetchExample(FIRST)]);
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
  const variants = el("section", { id: "variants", "aria-label": "Variants" });
  const figures = el("section", { id: "figures", "aria-label": "Figures" });
  const stage = el("div", { class: "stage" }, variants, figures);
  const parts = PARTS.filter((part) => !embedded() || part.id === "animation");
  const mounts = parts.map((part) => ({ ...part, mount: (root: HTMLElement) => part.mount(root, app) }));
  const side = mounts.length > 0 ? tabs("Tools", mounts).element : undefined;
  if (side) side.classList.add("side");
  main.replaceChildren(toolbar(app), el("div", { class: "desk" }, side, stage));
  mountVariants(variants, app);
  mountFigures(figures, app);
  Object.assign(window, { lasthop: { app } });
  await restore(app);
  addEventListener("hashchange", () => void restore(app));
  startRuns(app);
  const unsubscribe = app.results.subscribe((results) => {
    if (results.length === 0 || results.some((result) => result.progress !== undefined)) return;
    // All that a run needs has been loaded.
    queueMicrotask(() => unsubscribe());
    keepForOffline();
  });
}

/** What holds for the whole project. */
function toolbar(app: App): HTMLElement {
  const { store } = app;
  const name = el("strong", { class: "project" });
  const examples = el("span");
  mountExamples(examples, app);
  const undo = button("Undo", () => store.undo(), { title: "Undo (Ctrl+Z)" });
  const redo = button("Redo", () => store.redo(), { title: "Redo (Ctrl+Shift+Z)" });
  const reset = button("Back to the example", () => store.reset());
  const stop = button("Stop", () => stopRuns(app), { title: "Stop the runs (Escape)" });
  const look = button("Theme", toggleTheme, { title: "Light or dark" });
  app.results.subscribe((results) => {
    stop.disabled = results.every((result) => result.progress === undefined);
  });
  store.project.subscribe((project) => {
    name.textContent = project.name;
    undo.disabled = !store.canUndo;
    redo.disabled = !store.canRedo;
    reset.disabled = !store.isChanged;
  });
  document.addEventListener("keydown", (event) => {
    // Fields have an undo of their own.
    const typing = event.target instanceof HTMLElement && event.target.closest("input, textarea, [contenteditable]");
    if (event.key === "Escape" && !stop.disabled) stopRuns(app);
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z" || typing) return;
    event.preventDefault();
    if (event.shiftKey) store.redo();
    else store.undo();
  });
  return el("div", { class: "bar", role: "toolbar", "aria-label": "Project" }, name, examples, undo, redo, reset, stop, look);
}

start().catch((error: unknown) => {
  const text = `The laboratory could not start: ${error instanceof Error ? error.message : String(error)}`;
  document.querySelector("main")?.replaceChildren(el("p", { class: "problem", role: "alert" }, text));
});
