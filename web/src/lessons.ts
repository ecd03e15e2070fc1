/** Lessons: a list with progress, and one lesson at a time beside the figures. */

import "./lessons.css";
import type { App } from "./app";
import { at, rows } from "./column";
import { button, el } from "./dom";
import { logDefect } from "./engine";
import { moment } from "./format";
import {
  concerns, done, followed, type Given, hintOf, keepDone, line, type Listed, listed, paragraphs, projectOf, questionOf,
  runOf, textOf,
} from "./lessons-model";
import type { Evaluated, Lesson, LessonCheck, LessonStep, RunFigure } from "./protocol";

/** Marks that are offered in a menu, beside the graph. */
const MOST_MARKS = 60;

/** What is said first of a step that is not done. */
const VERDICTS = { metric: "Not yet.", mark: "Not this one.", answer: "Not right.", choice: "Not right." };

/** Numbers the lessons that were opened: identifiers of their fields stay unique. */
let opened = 0;

export function mountLessons(root: HTMLElement, app: App): void {
  const place = el("section", { class: "lessons", "aria-label": "Lessons" });
  root.append(place);
  let close = (): void => {};

  const fail = (error: unknown): void => {
    const text = error instanceof Error ? error.message : String(error);
    place.replaceChildren(el("p", { class: "problem", role: "alert" }, `The lessons cannot be read: ${text}`));
  };

  const list = async (): Promise<void> => {
    close();
    const lessons = await listed();
    const finished = done();
    const count = lessons.filter(({ file }) => finished.has(file)).length;
    const items = lessons.map((entry) => {
      const isDone = finished.has(entry.file);
      const show = (): void => void open(entry, lessons).catch(fail);
      const state = el("span", { class: "tick" }, isDone ? "✓ done" : "");
      return el("li", { class: isDone ? "done" : "" }, button(entry.title, show), state, el("p", { class: "meaning" }, entry.question));
    });
    place.replaceChildren(
      el("h3", {}, "Lessons"),
      el("p", { class: "meaning" }, `${count} of ${lessons.length} done. Each takes a few minutes; the figures show its runs.`),
      el("ol", { class: "list" }, ...items),
    );
  };

  const open = async (entry: Listed, lessons: Listed[]): Promise<void> => {
    close();
    const lesson = await app.engine.call("lesson", [await textOf(entry.file)]);
    const following = lessons[lessons.findIndex(({ file }) => file === entry.file) + 1];
    const view = new LessonView(app, lesson, entry.file, {
      list: () => void list().catch(fail),
      next: following && ((): void => void open(following, lessons).catch(fail)),
    });
    close = () => view.close();
    place.replaceChildren(view.element);
    await view.begin(0);
    view.element.querySelector<HTMLElement>("h3")?.focus();
  };

  void list().catch(fail);
}

/** Whether figures are those of the same runs: reports come later, in other objects with the same summary. */
function isSame(figures: RunFigure[] | undefined, others: RunFigure[]): boolean {
  return figures?.length === others.length && figures.every(({ summary }, at) => summary === others[at]?.summary);
}

interface Ways {
  list: () => void;
  next: (() => void) | undefined;
}

/** A lesson beside the figures. */
class LessonView {
  readonly element: HTMLElement;
  private readonly story = el("div", { class: "story-so-far" });
  private readonly now = el("div", { class: "step" });
  private readonly verdict = el("div", { class: "verdict", role: "status", "aria-live": "polite" });
  private readonly foot = el("div", { class: "foot" });
  private readonly lost = el("div", { class: "lost", hidden: true });
  private readonly id = `lesson-${opened++}`;
  private readonly ends: (() => void)[] = [];
  private number = 0;
  private begun = false;
  /** Whether the texts of the step are shown: they are filled with the runs before it. */
  private told = false;
  private isDone = false;
  /** Figures of earlier projects, which are shown until the runs of the current one end. */
  private stale = new Set<RunFigure>();
  /** The figures on which the step was judged last. */
  private judged: RunFigure[] = [];
  /** A flow to show as soon as the runs are there. */
  private flow: string | undefined;
  private refresh: (() => void) | undefined;

  constructor(
    private readonly app: App,
    private readonly lesson: Lesson,
    private readonly file: string,
    private readonly ways: Ways,
  ) {
    const again = button("Open its example again", () => void this.begin(this.number));
    this.lost.append(el("p", {}, "The figures show something else than this lesson."), again);
    this.element = el(
      "article",
      { class: "lesson" },
      el("div", { class: "foot" }, button("← All lessons", ways.list)),
      el("h3", { tabindex: "-1" }, lesson.title),
      el("p", { class: "question" }, line(lesson.question)),
      el("div", { class: "introduction" }, ...paragraphs(lesson.introduction)),
      this.story,
      this.lost,
      this.now,
      this.verdict,
      this.foot,
    );
    this.ends.push(app.store.project.subscribe(() => this.moved()));
    this.ends.push(app.results.subscribe(() => void this.look()));
    this.ends.push(app.range.subscribe(() => this.refresh?.()));
    const select = (event: Event): void => {
      const { kind, variant } = (event as CustomEvent<{ kind: string; variant: number }>).detail;
      this.selected(kind, app.store.project.value.variants[variant]?.name ?? "");
    };
    document.addEventListener("lasthop-mark", select);
    this.ends.push(() => document.removeEventListener("lasthop-mark", select));
  }

  close(): void {
    for (const end of this.ends) end();
  }

  private get step(): LessonStep | undefined {
    return this.lesson.steps[this.number];
  }

  /** Opens the example as it is before a step, and shows the step. */
  async begin(number: number): Promise<void> {
    const project = await projectOf(this.lesson, number);
    this.begun = true;
    this.app.store.open(project);
    const steps = this.lesson.steps.slice(0, number);
    const before = <K extends "range" | "flow">(key: K): LessonStep[K] | Lesson[K] =>
      steps.findLast((step) => step[key] !== undefined)?.[key] ?? this.lesson[key];
    this.flow = before("flow");
    this.showRange(before("range"));
    this.show(number);
  }

  private showRange(range: [number, number] | undefined): void {
    this.app.range.value = range && { from: range[0], to: range[1] };
  }

  private show(number: number): void {
    this.number = number;
    [this.told, this.isDone, this.judged] = [false, false, []];
    const { step } = this;
    if (step?.range) this.showRange(step.range);
    if (step?.flow !== undefined) this.flow = step.flow;
    const heading = el("h4", { tabindex: "-1" }, `Step ${number + 1} of ${this.lesson.steps.length}`);
    this.now.replaceChildren(heading, el("p", { class: "meaning" }, "Running…"));
    this.verdict.replaceChildren();
    this.verdict.className = "verdict";
    this.foot.replaceChildren();
    void this.look();
  }

  /** The project has changed: its runs are not there yet. */
  private moved(): void {
    for (const { figure } of this.app.results.value) if (figure) this.stale.add(figure);
    const { project } = this.app.store;
    this.lost.hidden = !this.begun || concerns(this.lesson, project.value);
  }

  /** The figures of the current project, when all its runs have ended. */
  private figures(): RunFigure[] | undefined {
    const { variants } = this.app.store.project.value;
    const results = this.app.results.value;
    const ended = results.flatMap(({ figure, progress, variant }, number) =>
      figure && progress === undefined && !this.stale.has(figure) && variant === variants[number] ? [figure] : [],
    );
    return ended.length === variants.length ? ended : undefined;
  }

  /** Evaluates texts and what is asked on the current runs; `undefined` if they are not there or changed meanwhile. */
  private async evaluated(texts: string[], asked?: Evaluated): Promise<{ texts: string[]; truth: boolean | string } | undefined> {
    const figures = this.figures();
    const { variants } = this.app.store.project.value;
    if (!figures) return undefined;
    const runs = figures.map((figure, number) => runOf(variants[number]?.name ?? "", figure));
    try {
      const found = await this.app.engine.call("evaluate", [runs, texts, asked], { slot: this.id });
      return isSame(this.figures(), figures) ? found : undefined;
    } catch (error) {
      logDefect(error);
      return undefined;
    }
  }

  /** There may be new results: tells the step, or judges it again. */
  private async look(): Promise<void> {
    const [step, figures, number] = [this.step, this.figures(), this.number];
    // The figures belong to another project until the lesson's example is open.
    if (!this.begun || !step || !figures || this.isDone || !this.lost.hidden) return;
    this.choose(figures);
    if (this.told && isSame(figures, this.judged)) return;
    if (!this.told) {
      const found = await this.evaluated([step.try, step.see]);
      if (!found || number !== this.number || this.told) return;
      this.told = true;
      this.tell(step, found.texts);
    }
    this.refresh?.();
    const isFirst = this.judged.length === 0;
    this.judged = figures;
    if (step.check.kind === "metric") await this.judge(undefined, isFirst);
  }

  /** Shows the flow that the lesson speaks of. */
  private choose(figures: RunFigure[]): void {
    const number = figures[0]?.flows.findIndex(({ name }) => name === this.flow) ?? -1;
    this.flow = undefined;
    if (number >= 0 && number !== this.app.flow.value) this.app.flow.value = number;
    else if (number < 0 && this.app.flow.value >= (figures[0]?.flows.length ?? 0)) this.app.flow.value = 0;
  }

  private tell(step: LessonStep, [trial, see]: string[]): void {
    const heading = this.now.querySelector("h4") ?? "";
    const changes = step.do ?? [];
    const follow = (): void => {
      const { store } = this.app;
      store.step(followed(store.project.value, changes));
    };
    const parts = [...paragraphs(trial ?? ""), el("p", { class: "see" }, el("strong", {}, "Look at: "), line(see ?? ""))];
    const help = changes.length > 0 ? [button("Do it for me", follow)] : [];
    this.refresh = undefined;
    this.now.replaceChildren(heading, ...parts, ...help, ...this.field(step.check));
  }

  /** What the reader fills in for a check. */
  private field(check: LessonCheck): HTMLElement[] {
    if (check.kind === "answer") {
      const input = el("input", { id: `${this.id}-answer`, inputmode: "decimal", autocomplete: "off", required: true });
      const label = el("label", { for: input.id }, line(check.ask));
      const unit = check.unit === undefined ? [] : [el("span", {}, check.unit)];
      const submit = (): void => void this.judge({ number: input.value.trim() === "" ? NaN : Number(input.value.replace(",", ".")) });
      return [this.form(submit, label, el("span", { class: "number" }, input, ...unit))];
    }
    if (check.kind === "choice") {
      const choices = check.choices.map(({ text }, number) => {
        const input = el("input", { type: "radio", name: `${this.id}-choice`, value: number, id: `${this.id}-${number}` });
        return el("div", { class: "choice" }, input, el("label", { for: input.id }, line(text)));
      });
      const fields = el("fieldset", {}, el("legend", {}, line(check.ask)), ...choices);
      const submit = (): void => {
        const chosen = fields.querySelector<HTMLInputElement>("input:checked");
        if (chosen) void this.judge({ choice: Number(chosen.value) });
      };
      return [this.form(submit, fields)];
    }
    if (check.kind === "mark") {
      const menu = el("select", { id: `${this.id}-mark` });
      this.refresh = () => {
        const chosen = menu.value;
        menu.replaceChildren(...this.marks(check.variant).map(({ value, text }) => el("option", { value }, text)));
        if (Array.from(menu.options).some(({ value }) => value === chosen)) menu.value = chosen;
      };
      const submit = (): void => {
        const [kind, variant] = JSON.parse(menu.value || '["",""]') as [string, string];
        this.selected(kind, variant);
      };
      const label = el("label", { for: menu.id }, "Click it in the figure, or choose it here:");
      return [this.form(submit, label, menu)];
    }
    return [];
  }

  private form(submit: () => void, ...fields: HTMLElement[]): HTMLElement {
    const form = el("form", { class: "answer" }, ...fields, el("button", { type: "submit" }, "Check"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      submit();
    });
    return form;
  }

  /** The first mark of each kind, and more as far as there is room; in the shown part of the axis, if there are any. */
  private marks(variant: string | undefined): { value: string; text: string }[] {
    const { results, range, flow, store } = this.app;
    const found = results.value.flatMap(({ figure }, number) => {
      const name = store.project.value.variants[number]?.name ?? "";
      const marks = variant === undefined || variant === name ? (figure?.flows[flow.value]?.marks ?? []) : [];
      return marks.flatMap(({ kind, label, points }) => {
        const times = Array.from({ length: rows(points) }, (_, row) => at(points, row, 0));
        const shown = times.filter((time) => !range.value || (time >= range.value.from && time <= range.value.to));
        return (shown.length > 0 ? shown : times.slice(0, 1)).map((time, nth) => ({ nth, time, value: JSON.stringify([kind, name]), text: `${label}, ${moment(time)}` }));
      });
    });
    const chosen = found.toSorted((a, b) => a.nth - b.nth).slice(0, MOST_MARKS);
    return chosen.toSorted((a, b) => a.time - b.time);
  }

  private selected(kind: string, variant: string): void {
    if (this.told && this.step?.check.kind === "mark") void this.judge({ kind, variant });
  }

  /** Judges the step; `quiet` says nothing if it is not done. */
  private async judge(given: Given | undefined, quiet = false): Promise<void> {
    const { step, number } = this;
    if (!step || this.isDone) return;
    const question = questionOf(step.check, given);
    const isKnown = typeof question === "boolean";
    const found = await this.evaluated([step.why, hintOf(step.check)], isKnown ? undefined : question);
    if (!found || number !== this.number || this.isDone) return;
    const [why, hint] = found.texts;
    if ((isKnown ? question : found.truth) === true) this.finish(step, why ?? "");
    else if (!quiet) this.say("not-yet", VERDICTS[step.check.kind], hint ?? "");
  }

  private say(kind: string, verdict: string, text: string): void {
    this.verdict.className = `verdict ${kind}`;
    const [first, ...others] = paragraphs(text);
    first?.prepend(el("strong", {}, `${verdict} `));
    this.verdict.replaceChildren(...(first ? [first] : []), ...others);
  }

  private finish(step: LessonStep, why: string): void {
    this.isDone = true;
    this.say("right", "Right.", why);
    for (const field of this.now.querySelectorAll<HTMLButtonElement | HTMLInputElement | HTMLSelectElement>("button, input, select")) {
      field.disabled = true;
    }
    const isLast = this.number + 1 === this.lesson.steps.length;
    if (!isLast) {
      this.foot.replaceChildren(button("Next step", () => this.next(step), { class: "go" }));
      return;
    }
    keepDone(this.file);
    const { next, list } = this.ways;
    const further = next ? [button("Next lesson", next, { class: "go" })] : [];
    this.foot.replaceChildren(el("p", { class: "end" }, "This lesson is done."), ...further, button("All lessons", list));
  }

  /** The next step; what was found out stays readable above it. */
  private next(step: LessonStep): void {
    const title = `Step ${this.number + 1}: ${"ask" in step.check ? step.check.ask : "done"}`;
    const found = el("details", {}, el("summary", {}, line(title)), ...this.verdict.childNodes);
    this.story.append(found);
    this.show(this.number + 1);
    this.now.querySelector<HTMLElement>("h4")?.focus();
  }
}
