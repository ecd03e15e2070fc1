/** One control: a slider with a field, a menu, a switch or a field, with its meaning and what is wrong with its value. */

import { button, el } from "./dom";
import type { Choice, Control } from "./protocol";
import { valueOf } from "./controls-model";

/** What a control does to the project. */
export interface Actions {
  /** Sets a value, or takes the change back. Moves of one slider are undone as one until `settle`. */
  set(control: Control, value: string | undefined, moving?: boolean): void;
  settle(): void;
  /** Lets the visitor choose a file for a key that names one. */
  choose(control: Control): void;
}

/** What is shown of a control beside its values. */
export interface Surroundings {
  /** Whether the target has a change of it, which can be taken back. */
  own: boolean;
  /** Variants whose own values stay. */
  exceptions: string[];
  problems: string[];
  /** Names of files that the project has. */
  files: string[];
}

/** A text with its parts between backticks as code. */
function described(text: string): (Node | string)[] {
  return text.split("`").map((part, number) => (number % 2 === 1 ? el("code", {}, part) : part));
}

/** The menu's entry of a key that has no value. */
const UNSET = "";

let numbers = 0;

export class ControlView {
  readonly element: HTMLElement;
  private readonly label: HTMLElement;
  private readonly mark = el("span", { class: "mark" });
  private readonly reset: HTMLButtonElement;
  private readonly meaning: HTMLElement;
  private readonly note = el("p", { class: "note" });
  private readonly problem: HTMLElement;
  private readonly widget: WidgetView;

  /** `named` for a control outside of its group, which then names it. */
  constructor(
    private control: Control,
    actions: Actions,
    named: boolean,
  ) {
    const id = `control-${numbers++}`;
    const name = control.group === "" ? control.title : `${control.title} of ${control.group}`;
    this.label = el("label", { for: id, id: `${id}-label` }, control.title);
    const group = named && control.group !== "" ? el("span", { class: "of" }, control.group) : undefined;
    this.meaning = el("p", { class: "meaning", id: `${id}-meaning`, hidden: true }, ...described(control.meaning || "No description."));
    this.problem = el("p", { class: "fault", id: `${id}-problem`, role: "status" });
    const help = button("?", () => this.explain(help), {
      class: "small",
      "aria-expanded": "false",
      "aria-controls": this.meaning.id,
      "aria-label": `Meaning of ${name}`,
      title: control.meaning,
    });
    this.reset = button("↺", () => actions.set(this.control, undefined), {
      class: "small",
      "aria-label": `Take back ${name}`,
      title: "Back to the text",
    });
    const options: Options = { id, name, described: `${this.meaning.id} ${this.problem.id}`, actions, control: () => this.control };
    this.widget = widgetOf(control, options);
    this.element = el(
      "div",
      { class: "control", "data-key": control.path, "data-kind": control.widget.kind },
      el("div", { class: "head" }, this.label, group, this.mark, this.reset, help),
      el("div", { class: "value" }, ...this.widget.elements),
      this.widget.below,
      this.note,
      this.problem,
      this.meaning,
    );
  }

  private explain(help: HTMLElement): void {
    this.meaning.hidden = !this.meaning.hidden;
    help.setAttribute("aria-expanded", String(!this.meaning.hidden));
  }

  /** Shows other values in place: the visitor may be moving this control. */
  update(control: Control, { own, exceptions, problems, files }: Surroundings): void {
    this.control = control;
    this.widget.update(control, files);
    const changed = control.changed || own;
    this.element.classList.toggle("changed", changed);
    this.element.classList.toggle("unset", control.current === null);
    this.mark.textContent = changed ? "changed" : "";
    // The button keeps its place while it is hidden, so that nothing moves when it appears.
    this.reset.disabled = !own;
    this.note.textContent = exceptions.length > 0 ? `${exceptions.join(", ")}: own value` : "";
    this.problem.textContent = problems.join("\n");
    this.element.classList.toggle("wrong", problems.length > 0);
    this.widget.field.setAttribute("aria-invalid", String(problems.length > 0));
  }
}

interface Options {
  id: string;
  name: string;
  /** Ids of the texts that describe it. */
  described: string;
  actions: Actions;
  control: () => Control;
}

interface WidgetView {
  elements: HTMLElement[];
  /** A line below the widget. */
  below?: HTMLElement | undefined;
  /** What the label names. */
  field: HTMLElement;
  update(control: Control, files: string[]): void;
}

function widgetOf(control: Control, options: Options): WidgetView {
  switch (control.widget.kind) {
    case "slider":
      return slider(options);
    case "menu":
      return menu(options);
    case "switch":
      return control.default === null ? choiceOfThree(options) : toggle(options);
    case "text":
      return text(options);
  }
}

/** A field for any value; it writes what is typed when the visitor leaves it. */
function field({ id, described, actions, control }: Options): HTMLInputElement & { show(shown: string): void } {
  let shown = "";
  const input = el("input", {
    id,
    "aria-describedby": described,
    spellcheck: "false",
    autocomplete: "off",
    on: {
      change: () => {
        if (input.value !== shown) actions.set(control(), valueOf(control(), input.value));
      },
      keydown: (event) => {
        if (event.key === "Escape") input.value = shown;
      },
    },
  });
  const show = (value: string): void => {
    // The text that the user is typing is not replaced.
    const typing = document.activeElement === input && input.value !== shown;
    shown = value;
    if (!typing) input.value = value;
  };
  return Object.assign(input, { show });
}

function slider(options: Options): WidgetView {
  const { id, name, described, actions, control } = options;
  let stops: string[] = [];
  const box = field(options);
  let held = false;
  const move = (): void => {
    const stop = stops[range.valueAsNumber];
    if (stop === undefined) return;
    range.setAttribute("aria-valuetext", stop);
    box.value = stop;
    actions.set(control(), stop, true);
  };
  const release = (): void => {
    held = false;
    actions.settle();
  };
  const range = el("input", {
    type: "range",
    min: 0,
    step: 1,
    "aria-label": name,
    "aria-describedby": described,
    on: { input: move, change: release, pointerdown: () => (held = true), pointerup: release, pointercancel: release },
  });
  box.id = id;
  return {
    elements: [range, box],
    field: box,
    update({ widget, current, default: usual }) {
      if (widget.kind !== "slider") return;
      const stop = widget.stops[widget.at] ?? "";
      // The positions stay under a pointer that holds the slider.
      if (!held) {
        stops = widget.stops;
        range.max = String(stops.length - 1);
        range.value = String(widget.at);
        range.setAttribute("aria-valuetext", current ?? (usual === null ? `not set, near ${stop}` : `${usual}, the default`));
      }
      box.placeholder = usual ?? "not set";
      box.show(current ?? "");
    },
  };
}

function option(value: string, label: string): HTMLOptionElement {
  return el("option", { value }, label);
}

function menu({ id, described, actions, control }: Options): WidgetView {
  let known = "";
  const meaning = el("p", { class: "choice" });
  const chosen = (): Choice[] => {
    const { widget } = control();
    return widget.kind === "menu" ? widget.choices : [];
  };
  const explain = (value: string): void => {
    const text = chosen().find((choice) => choice.value === value)?.meaning ?? "";
    meaning.textContent = meaning.title = text;
  };
  const select = el("select", {
    id,
    "aria-describedby": described,
    on: {
      change: () => {
        explain(select.value);
        const { current, widget } = control();
        const listed = widget.kind === "menu" && widget.choices.some((choice) => choice.value === select.value);
        if (listed) actions.set(control(), select.value);
        else if (select.value === UNSET) actions.set(control(), undefined);
        else if (current !== null) actions.set(control(), current);
      },
    },
  });
  return {
    elements: [select],
    below: meaning,
    field: select,
    update({ widget, current, written, default: usual }) {
      if (widget.kind !== "menu") return;
      const { choices } = widget;
      const listed = choices.find((choice) => choice.label === current);
      // A key that the text sets cannot be left out by a change.
      const unset = written === null ? [option(UNSET, usual === null ? "not set" : `${usual} (default)`)] : [];
      const other = current !== null && !listed ? [option(current, current)] : [];
      const options = [...unset, ...other, ...choices.map(({ value, label }) => option(value, label))];
      const key = options.map((entry) => `${entry.value}\n${entry.label}`).join("\n\n");
      if (key !== known) {
        known = key;
        select.replaceChildren(...options);
      }
      select.value = current === null ? UNSET : (listed?.value ?? current);
      explain(current === null ? (choices.find((choice) => choice.label === usual)?.value ?? UNSET) : select.value);
    },
  };
}

function toggle({ id, described, actions, control }: Options): WidgetView {
  const box = el("input", {
    id,
    type: "checkbox",
    role: "switch",
    "aria-describedby": described,
    on: { change: () => actions.set(control(), String(box.checked)) },
  });
  const state = el("span", { "aria-hidden": "true" });
  return {
    elements: [box, state],
    field: box,
    update({ current, default: usual }) {
      box.checked = (current ?? usual) === "true";
      state.textContent = box.checked ? "on" : "off";
    },
  };
}

/** A switch without a default has a third position: what other keys decide. */
function choiceOfThree({ id, described, actions, control }: Options): WidgetView {
  const unset = option(UNSET, "not set");
  const select = el(
    "select",
    { id, "aria-describedby": described, on: { change: () => actions.set(control(), select.value === UNSET ? undefined : select.value) } },
    unset,
    option("true", "on"),
    option("false", "off"),
  );
  return {
    elements: [select],
    field: select,
    update({ current, written }) {
      unset.disabled = unset.hidden = written !== null;
      select.value = current ?? UNSET;
    },
  };
}

/** Keys that name a file of the project. */
const FILE = /(^|\.)file$/;

function text(options: Options): WidgetView {
  const { id, name, actions, control } = options;
  const box = field(options);
  const known = el("datalist", { id: `${id}-files` });
  const isFile = FILE.test(control().path);
  if (isFile) box.setAttribute("list", known.id);
  const choose = button("Choose a file", () => actions.choose(control()), { "aria-label": `Choose a file for ${name}` });
  return {
    elements: isFile ? [box, choose, known] : [box],
    field: box,
    update({ widget, current, default: usual }, files) {
      const example = widget.kind === "text" && widget.example !== "" ? `such as ${widget.example}` : "not set";
      box.placeholder = usual ?? example;
      box.show(current ?? "");
      if (isFile) known.replaceChildren(...files.map((file) => option(file, file)));
    },
  };
}
