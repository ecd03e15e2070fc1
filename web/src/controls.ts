/** Controls of all keys of the scenario: the important ones first, then all by table; a search over all. */

import "./controls.css";
import type { App } from "./app";
import { type Actions, ControlView, type Surroundings } from "./controls-view";
import { assigned, changes, exceptions, idOf, matching, problemsOf, type Target } from "./controls-model";
import { el } from "./dom";
import { Cancelled, logDefect, Problems } from "./engine";
import { takeFile } from "./files";
import type { Control } from "./protocol";
import { type Project, subjectOf } from "./state";

/** How long nothing changes before the controls follow, in ms: a slider that moves shows its value at once. */
const PAUSE_MS = 60;

/** How long the first figures come before the controls, in ms. */
const FIRST_MS = 400;

/** Results of a search that are shown. */
const MOST_FOUND = 30;

/** A list of controls; those that stay are changed in place, so that none loses the focus. */
class Section {
  private views = new Map<string, ControlView>();

  constructor(
    readonly element: HTMLElement,
    private readonly actions: Actions,
    private readonly named: boolean,
  ) {}

  show(controls: Control[], around: (control: Control) => Surroundings): void {
    const ids = new Set(controls.map(idOf));
    for (const [id, view] of this.views) {
      if (ids.has(id)) continue;
      view.element.remove();
      this.views.delete(id);
    }
    let place = this.element.firstElementChild;
    for (const control of controls) {
      const id = idOf(control);
      let view = this.views.get(id);
      if (!view) {
        view = new ControlView(control, this.actions, this.named);
        this.views.set(id, view);
      }
      if (view.element === place) place = place.nextElementSibling;
      else this.element.insertBefore(view.element, place);
      view.update(control, around(control));
    }
  }
}

/** A table's controls, made when it is opened: a scenario has hundreds. */
class Group {
  readonly element: HTMLDetailsElement;
  private readonly count = el("span", { class: "count" });
  private readonly section: Section;
  private last: (() => void) | undefined;

  constructor(name: string, actions: Actions) {
    const list = el("div", { class: "list" });
    this.section = new Section(list, actions, false);
    const toggle = (): void => {
      if (this.element.open) this.last?.();
    };
    const summary = el("summary", {}, el("span", { class: "name" }, name || "run"), this.count);
    this.element = el("details", { class: "group", "data-group": name, on: { toggle } }, summary, list);
  }

  show(controls: Control[], around: (control: Control) => Surroundings): void {
    const changed = controls.filter((control) => control.changed || around(control).own).length;
    const wrong = controls.filter((control) => around(control).problems.length > 0).length;
    const facts = [changed > 0 ? `${changed} changed` : "", wrong > 0 ? `${wrong} wrong` : "", `${controls.length}`];
    this.count.textContent = facts.filter((fact) => fact !== "").join(" · ");
    this.last = () => this.section.show(controls, around);
    if (this.element.open) this.last();
  }
}

export function mountControls(root: HTMLElement, app: App): void {
  const { store } = app;
  let target: Target;
  let controls: Control[] = [];
  /** The name of the project whose controls are shown. */
  let origin = "";
  let moves = 0;
  const groups = new Map<string, Group>();

  const set = (control: Control, value: string | undefined, moving = false): void => {
    const project = assigned(store.project.value, target, control.path, value);
    store.step(project, moving ? `${control.path} ${target} ${moves}` : undefined);
  };

  const actions: Actions = {
    set,
    settle: () => {
      moves += 1;
    },
    choose: (control) => {
      takeFile((name, bytes) => {
        const project = store.project.value;
        const files = { ...project.files, [name]: bytes };
        store.step(assigned({ ...project, files }, target, control.path, JSON.stringify(name)));
      }, app.announce);
    },
  };

  const whose = el("select", { id: "controls-target", on: { change: () => retarget(whose.value === "" ? undefined : Number(whose.value)) } });
  const whoseRow = el("div", { class: "row" }, el("label", { for: "controls-target" }, "Change"), whose);
  const search = el("input", { id: "controls-search", type: "search", autocomplete: "off", spellcheck: "false", on: { input: () => draw() } });
  const state = el("p", { class: "state", role: "status" }, "Loading the controls…");
  const important = new Section(el("div", { class: "list" }), actions, true);
  const found = new Section(el("div", { class: "list", hidden: true, "aria-label": "Keys found", role: "group" }), actions, true);
  const all = el("div", { class: "groups" });
  const first = el("div", { class: "important" }, el("h2", {}, "Important keys"), important.element);
  const more = el("h2", {}, "All keys");
  root.classList.add("controls");
  root.append(
    el("div", { class: "tune" }, whoseRow, el("div", { class: "row" }, el("label", { for: "controls-search" }, "Find a key"), search)),
    state,
    found.element,
    first,
    more,
    all,
  );
  first.hidden = more.hidden = true;

  const retarget = (number: Target): void => {
    target = number;
    load();
  };

  const showTargets = (project: Project): void => {
    if (target !== undefined && !project.variants[target]) target = undefined;
    const options = [
      el("option", { value: "" }, "all variants"),
      ...project.variants.map((variant, number) => el("option", { value: number }, variant.name)),
    ];
    whose.replaceChildren(...options);
    whose.value = target === undefined ? "" : String(target);
    whoseRow.hidden = project.variants.length < 2;
  };

  const draw = (): void => {
    const project = store.project.value;
    const concerned = app.results.value.filter((_, number) => target === undefined || number === target);
    const problems = problemsOf(controls, concerned.flatMap((result) => result.problems));
    const files = Object.keys(project.files);
    const around = (control: Control): Surroundings => ({
      own: changes(project, target, control.path),
      exceptions: target === undefined ? exceptions(project, control.path) : [],
      problems: problems.get(idOf(control)) ?? [],
      files,
    });
    const searching = search.value.trim() !== "";
    const matches = searching ? matching(controls, search.value) : [];
    const ranked = controls.filter((control) => control.important !== null);
    found.element.hidden = !searching;
    first.hidden = searching || ranked.length === 0;
    more.hidden = searching || controls.length === 0;
    all.hidden = searching;
    if (searching) {
      const count = matches.length > MOST_FOUND ? `${MOST_FOUND} of ${matches.length} keys are shown.` : `${matches.length} keys.`;
      state.textContent = matches.length === 1 ? "1 key." : count;
    }
    found.show(matches.slice(0, MOST_FOUND), around);
    important.show(ranked.toSorted((a, b) => (a.important ?? 0) - (b.important ?? 0)), around);
    const names = [...new Set(controls.map((control) => control.group))];
    for (const [name, group] of groups) {
      if (names.includes(name)) continue;
      group.element.remove();
      groups.delete(name);
    }
    let place = all.firstElementChild;
    for (const name of names) {
      let group = groups.get(name);
      if (!group) {
        group = new Group(name, actions);
        groups.set(name, group);
      }
      if (group.element === place) place = place.nextElementSibling;
      else all.insertBefore(group.element, place);
      group.show(controls.filter((control) => control.group === name), around);
    }
  };

  const block = (blocked: boolean): void => {
    for (const list of [found.element, first, all]) list.inert = blocked;
  };

  const load = (): void => {
    const project = store.project.value;
    const { name, text, files } = project;
    const variant = target === undefined ? undefined : project.variants[target];
    const subject = variant ? subjectOf(project, variant) : { name, text, files, changes: project.changes };
    app.engine.call("controls", [subject], { slot: "controls", light: true }).then(
      (given) => {
        if (store.project.value !== project) return;
        [controls, origin] = [given, name];
        state.textContent = "";
        block(false);
        draw();
      },
      (error: unknown) => {
        if (error instanceof Cancelled || store.project.value !== project) return;
        // After a typing error the keys of the previous text remain. After a change of scenario they are removed. In
        // both cases they cannot be changed.
        block(true);
        if (name !== origin) {
          controls = [];
          draw();
        }
        state.textContent = error instanceof Problems ? `The text has no keys that can be read: ${error.message}` : "";
        logDefect(error);
      },
    );
  };

  let timer: ReturnType<typeof setTimeout> | undefined;
  let started = false;
  const schedule = (pause: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      started = true;
      load();
    }, pause);
  };

  store.project.subscribe((project) => {
    showTargets(project);
    schedule(started ? PAUSE_MS : FIRST_MS);
  });
  let shown: unknown;
  app.results.subscribe((results) => {
    if (!started && results.some((result) => result.figure)) schedule(0);
    const problems = results.map((result) => result.problems.map((problem) => problem.text).join("\n")).join("\n\n");
    if (problems === shown) return;
    shown = problems;
    if (controls.length > 0) draw();
  });
}
