/** The chooser of examples, and files that the visitor opens or drops. */

import "./examples.css";
import type { App } from "./app";
import { button, el } from "./dom";
import { logDefect } from "./engine";
import { picture, topologyOf } from "./examples-picture";
import { bytesOf, MOST_FILE, MOST_TEXT } from "./files";
import { complain, embedded, type Entry, entries, example, exampleFile, variantsOf } from "./opened";
import type { Project } from "./state";

/** Endings of scenarios: TOML, and the language of the thesis. */
const SCENARIO = /\.(toml|dat)$/i;

/** Most files of one drop. */
const MOST_FILES = 20;

function show(app: App, project: Project): void {
  app.range.value = undefined;
  app.flow.value = 0;
  app.store.open(project);
  const { name, variants } = project;
  app.announce(`${name} is open, with ${variants.length} variant${variants.length === 1 ? "" : "s"}.`);
}

/** Opens an example with the variants that it compares. */
export async function openExample(app: App, name: string): Promise<void> {
  show(app, await example(app, name));
  // The address names the opened example, without the changes that follow.
  history.replaceState(null, "", `#example=${encodeURIComponent(name)}`);
}

function textOf(name: string, bytes: Uint8Array): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (!text.includes("\u0000")) return text;
  } catch {
    // It is said below.
  }
  throw new Error(`${name} is not text: a scenario is a text in TOML, or a datafile.dat in the language of the thesis.`);
}

/** Opens scenarios and recordings that the visitor gives: recordings are files of the scenario beside them, or of the open one. */
export async function openFiles(app: App, given: File[]): Promise<void> {
  if (given.length > MOST_FILES) throw new Error(`These are ${given.length} files; the page takes at most ${MOST_FILES} at once.`);
  const scenarios = given.filter((file) => SCENARIO.test(file.name));
  if (scenarios.length > 1) throw new Error("These are several scenarios: open one at a time.");
  const recordings = given.filter((file) => !SCENARIO.test(file.name));
  const read = recordings.map(async (file) => [file.name, await bytesOf(file, MOST_FILE)] as const);
  const files: Record<string, Uint8Array> = Object.fromEntries(await Promise.all(read));
  const [scenario] = scenarios;
  if (scenario) {
    const text = textOf(scenario.name, await bytesOf(scenario, MOST_TEXT));
    const given = { name: scenario.name, text, files };
    show(app, { ...given, changes: [], variants: await variantsOf(app, given) });
    history.replaceState(null, "", location.pathname + location.search);
    return;
  }
  const project = app.store.project.value;
  app.store.step({ ...project, files: { ...project.files, ...files } });
  const names = recordings.map((file) => file.name).join(", ");
  complain(`${names}: now beside ${project.name}. Keys that name a file take it: find "file" in the controls. Scenarios end in .toml or .dat.`);
}

export function mountExamples(root: HTMLElement, app: App): void {
  const search = el("input", { type: "search", "aria-label": "Find an example", placeholder: "Find an example", autocomplete: "off", on: { input: () => filter() } });
  const said = el("p", { class: "fault", role: "alert" });
  const count = el("p", { class: "hint", role: "status" });
  const list = el("ul", { class: "cards" });
  const file = el("input", { type: "file", multiple: true, hidden: true, "aria-hidden": "true", tabindex: "-1" });
  const close = button("Close", () => dialog.close());
  const choose = button("Open files", () => file.click(), { title: "A scenario with the recordings that it names" });
  const top = el(
    "div",
    { class: "head" },
    el("h2", { id: "examples-title" }, "Examples"),
    search,
    choose,
    close,
    file,
  );
  const hint = el("p", { class: "hint" }, "Or drop files on the page: a scenario in TOML, a datafile.dat of the thesis (both up to 5 MB), recordings (up to 20 MB). They stay in this browser.");
  const dialog = el("dialog", { class: "examples", "aria-labelledby": "examples-title" }, top, hint, said, count, list);
  root.append(button("Examples", () => void open()), dialog);

  const take = async (work: Promise<void>): Promise<void> => {
    said.textContent = "";
    try {
      await work;
      dialog.close();
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      if (dialog.open) said.textContent = text;
      else complain(text);
    }
  };

  file.addEventListener("change", () => {
    void take(openFiles(app, [...(file.files ?? [])]));
    file.value = "";
  });

  const cards: { element: HTMLElement; text: string }[] = [];

  const filter = (): void => {
    const words = search.value.toLowerCase().split(/\s+/);
    let shown = 0;
    for (const { element, text } of cards) {
      element.hidden = !words.every((word) => text.includes(word));
      if (!element.hidden) shown += 1;
    }
    count.textContent = `${shown} example${shown === 1 ? "" : "s"}`;
  };

  const draw = async (frame: Element, entry: Entry): Promise<void> => {
    const bytes = await exampleFile(entry.name);
    if (!bytes) return;
    const subject = { name: entry.name, text: new TextDecoder().decode(bytes), files: {}, changes: [] };
    const controls = await app.engine.call("controls", [subject], { light: true });
    frame.replaceChildren(picture(topologyOf(controls)));
  };

  const fill = async (): Promise<void> => {
    const all = await entries();
    const frames = new Map<Element, Entry>();
    // Pictures are drawn when they come into view.
    const observer = new IntersectionObserver((changes) => {
      for (const { isIntersecting, target } of changes) {
        const entry = frames.get(target);
        if (!isIntersecting || !entry) continue;
        observer.unobserve(target);
        draw(target, entry).catch(logDefect);
      }
    }, { root: dialog });
    for (const entry of all) {
      const frame = el("span", { class: "picture" });
      frames.set(frame, entry);
      const card = el(
        "button",
        { type: "button", on: { click: () => void take(openExample(app, entry.name)) } },
        frame,
        el("span", { class: "title" }, entry.title),
        el("span", { class: "sentence" }, entry.sentence),
        el("span", { class: "file" }, entry.name),
      );
      const element = el("li", {}, card);
      cards.push({ element, text: `${entry.name} ${entry.title} ${entry.sentence}`.toLowerCase() });
      list.append(element);
      observer.observe(frame);
    }
    filter();
  };

  let filled: Promise<void> | undefined;
  const open = async (): Promise<void> => {
    said.textContent = "";
    dialog.showModal();
    search.focus();
    filled ??= fill();
    await filled.catch((error: unknown) => {
      filled = undefined;
      said.textContent = `The examples could not be loaded: ${String(error)}`;
    });
  };

  if (embedded()) return;
  let depth = 0;
  const hover = (step: number): void => {
    depth = Math.max(0, depth + step);
    document.body.classList.toggle("dropping", depth > 0);
  };
  const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
  document.addEventListener("dragenter", (event) => hasFiles(event) && hover(1));
  document.addEventListener("dragleave", (event) => hasFiles(event) && hover(-1));
  document.addEventListener("dragover", (event) => hasFiles(event) && event.preventDefault());
  document.addEventListener("drop", (event) => {
    hover(-depth);
    if (!hasFiles(event)) return;
    event.preventDefault();
    void take(openFiles(app, [...(event.dataTransfer?.files ?? [])]));
  });
}
