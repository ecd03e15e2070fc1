/** What the visitor takes away: a link, the command line that repeats each run, and files. */

import "./share.css";
import type { App } from "./app";
import { command, fileName } from "./command";
import { seriesCsv, SERIES, summaryCsv } from "./csv";
import { button, el } from "./dom";
import { Cancelled } from "./engine";
import { encode, LinkError, type View } from "./link";
import { exampleFile } from "./opened";
import type { Calls } from "./protocol";
import { png } from "./raster";
import { type Project, subjectOf, type Variant } from "./state";
import { theme } from "./theme";

/** How long nothing changes before a link is made, in ms. */
const PAUSE_MS = 150;

/** Offers a content as a file. */
function save(name: string, content: BlobPart, type = "text/plain"): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  el("a", { href: address, download: name }).click();
  // The browser reads the content after the click.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** Puts a text into the clipboard; where the page may not, it is selected for the visitor. */
async function copy(text: string, shown: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    getSelection()?.selectAllChildren(shown);
    if (shown instanceof HTMLInputElement || shown instanceof HTMLTextAreaElement) shown.select();
    return false;
  }
}

/** The page's address with a fragment; `embed` for figures and packets alone. */
function address(fragment: string, embed: boolean): string {
  const page = new URL(location.href);
  page.search = embed ? "?embed=1" : "";
  page.hash = fragment;
  return page.href;
}

const attribute = (text: string): string => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

const snippet = (project: Project, link: string): string =>
  `<iframe src="${attribute(link)}" title="lasthop: ${attribute(project.name)}" width="1280" height="760" loading="lazy"></iframe>`;

/** The name of a variant's file without ending. */
function stem(project: Project, variant: Variant): string {
  const name = fileName(project.name).replace(/\.[^.]*$/, "");
  return project.variants.length < 2 ? name : fileName(`${name}.${variant.name.replaceAll(/[/\\\s]+/g, "-")}`);
}

/** Whether the project's text is that of the example of its name. */
async function isExample(project: Project): Promise<boolean> {
  const bytes = await exampleFile(project.name);
  return bytes !== undefined && new TextDecoder().decode(bytes) === project.text;
}

export function mountShare(root: HTMLElement, app: App): void {
  const said = el("p", { class: "said", role: "status" });
  const say = (text: string): void => {
    said.textContent = text;
  };

  const copier = (what: string, shown: HTMLElement, text: () => string): HTMLButtonElement =>
    button("Copy", async () => say((await copy(text(), shown)) ? `${what} is copied.` : `${what} is selected: copy it with Ctrl+C.`), {
      "aria-label": `Copy ${what.toLowerCase()}`,
    });

  const link = el("input", { id: "share-link", readonly: true });
  const frame = el("textarea", { id: "share-frame", readonly: true, spellcheck: "false" });
  const why = el("p", { class: "problem", role: "alert" });
  const opening = el("select", { id: "share-tab", on: { change: () => schedule() } }, el("option", { value: "" }, "the first tab"));
  for (const tab of document.querySelectorAll('.side [role="tab"]')) {
    opening.append(el("option", { value: tab.id.replace(/^tab-/, "") }, tab.textContent ?? ""));
  }
  const copyLink = copier("The link", link, () => link.value);
  const copyFrame = copier("The frame", frame, () => frame.value);
  const commands = el("div");
  const files = el("div", { class: "row" });
  const series = el(
    "select",
    { id: "share-series" },
    ...Object.entries(SERIES).map(([name, { title }]) => el("option", { value: name }, title)),
  );

  const pictured = el("select", { id: "share-picture" });

  /** Draws the shown part of the shown flow of the chosen variant. */
  const savePicture = async (ending: "svg" | "png"): Promise<void> => {
    const project = app.store.project.value;
    const variant = project.variants[Number(pictured.value)];
    if (!variant) return;
    const nanoseconds = (seconds: number | undefined): bigint | undefined =>
      seconds === undefined ? undefined : BigInt(Math.max(0, Math.round(seconds * 1e9)));
    const { from, to } = app.range.value ?? {};
    const values: Calls["picture"]["arguments"] = [
      subjectOf(project, variant), app.flow.value, nanoseconds(from), nanoseconds(to), theme.value === "dark",
    ];
    const progress = (share: number): void => say(`Drawing: ${Math.round(share * 100)} %`);
    try {
      const svg = await app.engine.call("picture", values, { slot: "picture", progress });
      const name = `${stem(project, variant)}.${ending}`;
      if (ending === "svg") save(name, svg, "image/svg+xml");
      else save(name, await png(svg), "image/png");
      say(`${name} is saved.`);
    } catch (error) {
      if (!(error instanceof Cancelled)) say(error instanceof Error ? error.message : String(error));
    }
  };

  /** The name of a file of all variants. */
  const common = (ending: string): string => `${fileName(app.store.project.value.name).replace(/\.[^.]*$/, "")}.${ending}`;

  const saveSeries = (): void => {
    const chosen = SERIES[series.value];
    if (chosen) save(common(`${series.value}.csv`), seriesCsv(app.results.value, app.flow.value, chosen), "text/csv");
  };

  const saveToml = (project: Project, variant: Variant): void => {
    app.engine.call("toml", [subjectOf(project, variant)]).then(
      (toml) => save(`${stem(project, variant)}.toml`, toml, "application/toml"),
      (error: unknown) => say(error instanceof Error ? error.message : String(error)),
    );
  };

  root.classList.add("share");
  root.append(
    said,
    el("h3", {}, "Link"),
    el("p", {}, "It holds everything: the scenario with all changes, the variants, and the part of the run that is shown. It is sent to no server."),
    el("div", { class: "row" }, el("label", { for: "share-tab" }, "Opens with "), opening),
    el("label", { for: "share-link" }, "Address"),
    el("div", { class: "row" }, link, copyLink),
    why,
    el("label", { for: "share-frame" }, "Frame for slides and pages, with figures and packets alone"),
    el("div", { class: "row" }, frame, copyFrame),
    el("h3", {}, "Command line"),
    commands,
    el("h3", {}, "Files"),
    files,
    el("div", { class: "row" }, el("label", { for: "share-series" }, "Series "), series, button("Save series (CSV)", saveSeries)),
    el(
      "div",
      { class: "row" },
      el("label", { for: "share-picture" }, "Picture of the shown flow and time "),
      pictured,
      button("Save picture (SVG)", () => savePicture("svg"), { title: "The picture of lasthop plot --flow" }),
      button("Save picture (PNG)", () => savePicture("png"), { title: "The picture of lasthop plot --flow" }),
    ),
    el("div", { class: "row" }, button("Save summaries (CSV)", () => save(common("summary.csv"), summaryCsv(app.results.value), "text/csv"))),
  );

  let generation = 0;

  const showLink = async (): Promise<void> => {
    const current = ++generation;
    const project = app.store.project.value;
    const view: View = { range: app.range.value, flow: app.flow.value, tab: opening.value || undefined };
    const made = await encode({ project, view }, exampleFile).catch((error: unknown) => {
      if (error instanceof LinkError) return error;
      throw error;
    });
    if (current !== generation) return;
    const failed = made instanceof LinkError;
    why.textContent = failed ? made.message : "";
    link.value = failed ? "" : address(made, false);
    frame.value = failed ? "" : snippet(project, address(made, true));
    copyLink.disabled = copyFrame.disabled = failed;
  };

  const showFiles = async (project: Project): Promise<void> => {
    const original = await isExample(project);
    if (project !== app.store.project.value) return;
    const name = fileName(project.name);
    const place = original ? `examples/${project.name}` : name;
    const lines = project.variants.map((variant) => {
      const text = command(project, variant, place);
      const shown = el("pre", { tabindex: "0", "aria-label": `Command of ${variant.name}` }, text);
      return el("div", {}, el("h4", {}, variant.name), shown, copier(`The command of ${variant.name}`, shown, () => text));
    });
    const before = pictured.value;
    pictured.replaceChildren(...project.variants.map(({ name }, number) => el("option", { value: String(number) }, name)));
    if (Number(before) < project.variants.length) pictured.value = before || "0";
    const beside = Object.keys(project.files);
    const first = original
      ? "In the folder of the source tree, each of these repeats a run:"
      : `Save ${[name, ...beside].join(" and ")} into one folder; there, each of these repeats a run:`;
    commands.replaceChildren(el("p", {}, first), ...lines);
    files.replaceChildren(
      button(`Save ${name}`, () => save(name, project.text), { title: "The scenario as it is written, without the changes" }),
      ...Object.entries(project.files).map(([file, bytes]) => button(`Save ${fileName(file)}`, () => save(fileName(file), new Uint8Array(bytes)))),
      ...project.variants.map((variant) =>
        button(`Save ${stem(project, variant)}.toml`, () => saveToml(project, variant), { title: `The scenario with the changes of ${variant.name}` }),
      ),
    );
  };

  let timer: ReturnType<typeof setTimeout> | undefined;

  const schedule = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => showLink().catch(console.error), PAUSE_MS);
  };

  app.store.project.subscribe((project) => {
    showFiles(project).catch(console.error);
    schedule();
  });
  app.range.subscribe(schedule);
  app.flow.subscribe(schedule);
}
