/**
 * Draws the figures of the page in reports that `lasthop report` writes: each course of runs there has a picture, which
 * remains for print, and the data of these figures. A report is one file, so this is one script with its style.
 */

import chartStyle from "uplot/dist/uPlot.min.css?inline";
import type { Range, Result } from "./app";
import { type Course, figuresOf } from "./course";
import { el } from "./dom";
import { mountFigures } from "./figures";
import reportStyle from "./report.css?inline";
import { Signal } from "./state";
import pageStyle from "./style.css?inline";
import vocabulary from "./vocabulary.css?inline";

const style = vocabulary + pageStyle;

/** Adds a style to the report. */
function styled(text: string): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  document.adoptedStyleSheets.push(sheet);
}

/** The figures of a course beside its picture. They have a tree of their own: the report's style is not theirs. */
async function show(course: HTMLElement, data: string): Promise<void> {
  const figures = await figuresOf(JSON.parse(data) as Course);
  const live = el("div", { class: "live", "aria-live": "polite", role: "status" });
  const root = el("div", { class: "figures-root" });
  const host = el("div", { class: "course-figures" });
  const tree = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(chartStyle + style);
  tree.adoptedStyleSheets = [sheet];
  tree.append(root, live);
  const results: Result[] = figures.map(({ name, figure }) => ({
    variant: { name, changes: [] },
    figure,
    problems: [],
    progress: undefined,
  }));
  course.prepend(host);
  course.classList.add("drawn");
  mountFigures(root, {
    results: new Signal(results),
    range: new Signal<Range | undefined>(undefined),
    cursor: new Signal<number | undefined>(undefined),
    flow: new Signal(0),
    announce: (text) => {
      live.textContent = text;
    },
  });
}

// The colours are inherited by the trees of the figures. On paper the report keeps its own.
styled(`@media screen { ${style.match(/:root[^{]*\{[^}]*\}/g)?.join("\n") ?? ""} }\n${reportStyle}`);

for (const course of document.querySelectorAll<HTMLElement>("figure.course")) {
  const data = course.querySelector('script[type="application/json"]')?.textContent;
  // The picture remains if there are no figures.
  if (data) show(course, data).catch((error: unknown) => console.error(error));
}
