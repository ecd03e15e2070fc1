/** The scenario's text: an editor for TOML with completion, and the list of its problems. */

import "prism-code-editor/layout.css";
import "./editor.css";
import { createEditor } from "prism-code-editor";
import "prism-code-editor/prism/languages/toml";
import type { App } from "./app";
import { button, el } from "./dom";
import { completions, type Completion } from "./editor-completion";
import { placeAt } from "./editor-place";
import { Cancelled, logDefect, Problems } from "./engine";
import { brief } from "./problem";
import type { Control, Problem } from "./protocol";

/** How long nothing is typed before the text is checked, in ms: the project follows if nothing is wrong. */
const PAUSE_MS = 150;

/** How long a wrong text may be an unfinished one, in ms: the figures would go and come with each word. */
const UNFINISHED_MS = 1200;

/** How long completions wait for the next letter, in ms. */
const COMPLETE_MS = 40;

/** Characters of the longest text that is shown: each line is an element. */
const MOST_SHOWN = 500_000;

/** Problems that are listed. */
const LISTED = 20;

/** The offset of a line and column, which count from 1. */
function offsetOf(text: string, line: number, column: number): number {
  let start = 0;
  for (let count = 1; count < line; count++) {
    const end = text.indexOf("\n", start);
    if (end < 0) return text.length;
    start = end + 1;
  }
  return Math.min(text.length, start + column - 1);
}

/** The characters of the value or key at an offset. */
function lengthAt(text: string, offset: number): number {
  return /^("(?:\\.|[^"\\\n])*"|'[^'\n]*'|[^\s,=\]}#]+)?/.exec(text.slice(offset))?.[0].length || 1;
}

export function mountEditor(root: HTMLElement, app: App): void {
  const { store } = app;
  let original = store.project.value.text;
  let tables: [string, string][] = [];
  let known: Control[] = [];

  const frame = el("div", { class: "frame" });
  const list = el("ul", { class: "completions", id: "editor-completions", role: "listbox", "aria-label": "Completions", hidden: true });
  const docs = el("p", { class: "docs", hidden: true });
  const popup = el("div", { class: "popup" }, list, docs);
  const state = el("p", { class: "state", role: "status" });
  const problemList = el("ul", { class: "problems", "aria-label": "Problems of the text" });
  const tooLong = el("p", { hidden: true }, "The text is too long for this editor: it is run as it is.");
  const fits = (text: string): boolean => text.length <= MOST_SHOWN;
  const editor = createEditor(frame, { language: "toml", value: fits(original) ? original : "", tabSize: 2 });
  const { textarea } = editor;
  const marks = el("div", { class: "marks", "aria-hidden": "true" });
  editor.lines[0]?.append(marks);
  frame.append(popup);
  for (const [name, value] of Object.entries({ "aria-label": "Text of the scenario", "aria-autocomplete": "list", "aria-controls": list.id })) {
    textarea.setAttribute(name, value);
  }

  // The browser's own history knows where the cursor was.
  const history = (command: "undo" | "redo") => (): void => {
    textarea.focus();
    document.execCommand(command);
  };

  /** Replaces a part of the text such that the browser can undo it. */
  const replace = (from: number, to: number, text: string): void => {
    textarea.focus();
    textarea.setSelectionRange(from, to);
    if (text === "") document.execCommand("delete");
    else document.execCommand("insertText", false, text);
  };

  const back = button("Text as opened", () => replace(0, textarea.value.length, original), { title: "Takes all changes of the text back" });
  root.classList.add("editor");
  root.append(
    el("div", { class: "row" }, button("Undo typing", history("undo")), button("Redo typing", history("redo")), back),
    tooLong,
    frame,
    el("p", { class: "hint" }, "Ctrl+Space: keys, values and units"),
    state,
    problemList,
  );

  let timer: ReturnType<typeof setTimeout> | undefined;

  /** Puts what has been typed into the project. */
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const project = store.project.value;
    if (frame.hidden) return;
    if (textarea.value !== project.text) store.step({ ...project, text: textarea.value }, "text");
  };

  editor.on("update", (value) => {
    back.disabled = value === original;
    if (value === store.project.value.text || frame.hidden) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      timer = setTimeout(flush, UNFINISHED_MS);
      check(value, flush);
    }, PAUSE_MS);
  });
  textarea.addEventListener("blur", flush);

  // Problems.

  const go = (problem: Problem) => (): void => {
    const offset = offsetOf(textarea.value, problem.line ?? 1, problem.column ?? 1);
    textarea.focus();
    textarea.setSelectionRange(offset, offset + lengthAt(textarea.value, offset));
    editor.lines[problem.line ?? 1]?.scrollIntoView({ block: "nearest" });
  };

  const underline = (problem: Problem, kind: string): HTMLElement | undefined => {
    const { line, column } = problem;
    const row = line === null ? undefined : editor.lines[line];
    if (!row || line === null || column === null) return undefined;
    const mark = el("span", { class: kind });
    const length = lengthAt(textarea.value, offsetOf(textarea.value, line, column));
    mark.style.setProperty("top", `${row.offsetTop}px`);
    mark.style.setProperty("height", `${row.offsetHeight}px`);
    mark.style.setProperty("--column", String(column - 1));
    mark.style.setProperty("width", `${length}ch`);
    return mark;
  };

  const show = (problems: Problem[], kind: "error" | "warning"): void => {
    const { name } = store.project.value;
    // Changes of controls have no place in the text.
    const ofText = (problem: Problem): boolean => problem.line !== null && problem.file === name;
    marks.replaceChildren(...problems.filter(ofText).flatMap((problem) => underline(problem, kind) ?? []));
    const count = problems.length;
    const what = `${kind}${count === 1 ? "" : "s"}`;
    state.textContent = count === 0 ? "No problems." : `${count} ${what}.`;
    problemList.replaceChildren(
      ...problems.slice(0, LISTED).map((problem) => {
        const text = el("pre", { class: kind === "error" ? "problem" : "warning" }, ofText(problem) ? brief(problem) : problem.text);
        return el("li", {}, ...(ofText(problem) ? [button(`Line ${problem.line}, column ${problem.column}`, go(problem)), text] : [text]));
      }),
    );
  };

  /** Shows what is wrong with a text; calls `good` if nothing is. */
  const check = (text: string, good?: () => void): void => {
    const project = store.project.value;
    const { name, files, changes } = project;
    const isCurrent = (): boolean => store.project.value === project && (!fits(text) || textarea.value === text);
    app.engine.call("check", [{ name, text, files, changes }], { slot: "check", light: true }).then(
      (warnings) => {
        if (!isCurrent()) return;
        show(warnings, "warning");
        good?.();
      },
      (error: unknown) => {
        if (error instanceof Cancelled || !isCurrent()) return;
        if (error instanceof Problems) show(error.problems, "error");
        else logDefect(error);
      },
    );
  };

  // Completion.

  let offered: Completion[] = [];
  let chosen = 0;
  let range: [number, number] = [0, 0];
  let queries = 0;

  const close = (): void => {
    queries += 1;
    offered = [];
    list.hidden = docs.hidden = true;
    textarea.removeAttribute("aria-activedescendant");
  };

  const choose = (number: number): void => {
    chosen = (number + offered.length) % offered.length;
    for (const [other, item] of [...list.children].entries()) item.setAttribute("aria-selected", String(other === chosen));
    const item = list.children[chosen];
    if (item) textarea.setAttribute("aria-activedescendant", item.id);
    item?.scrollIntoView({ block: "nearest" });
    const { detail } = offered[chosen] ?? { detail: "" };
    docs.textContent = detail;
    docs.hidden = detail === "";
  };

  const accept = (): void => {
    const completion = offered[chosen];
    if (!completion) return;
    const [from, to] = range;
    const opens = completion.insert.endsWith("= ");
    close();
    replace(from, to, completion.insert);
    if (opens) query(true);
  };

  const offer = (found: Completion[], from: number, to: number): void => {
    offered = found;
    range = [from, to];
    list.replaceChildren(
      ...found.map(({ label }, number) => {
        const pick = (event: Event): void => {
          event.preventDefault();
          choose(number);
          accept();
        };
        return el("li", { role: "option", id: `editor-completion-${number}`, on: { mousedown: pick } }, label);
      }),
    );
    const before = textarea.value.slice(0, from);
    const line = before.split("\n").length;
    const row = editor.lines[line];
    const top = (row?.offsetTop ?? 0) + editor.wrapper.offsetTop - editor.container.scrollTop;
    const height = frame.clientHeight;
    // The list is shown in the half of the editor that has more room.
    const above = top > height / 2;
    popup.classList.toggle("above", above);
    popup.style.setProperty("top", above ? "auto" : `${top + (row?.offsetHeight ?? 0) + 6}px`);
    popup.style.setProperty("bottom", above ? `${height - top}px` : "auto");
    popup.style.setProperty("--column", String(from - (before.lastIndexOf("\n") + 1)));
    popup.style.setProperty("--scrolled", `${editor.container.scrollLeft}px`);
    list.hidden = false;
    choose(0);
  };

  /** The end of the word at the cursor, which a completion replaces. */
  const endOfWord = (typed: string, cursor: number): number => {
    const rest = textarea.value.slice(cursor);
    const inString = /^"[^"]*$/.test(typed);
    return cursor + ((inString ? /^[^"\n]*"|^/ : /^[\w-]*/).exec(rest)?.[0].length ?? 0);
  };

  const query = (explicit: boolean): void => {
    const current = ++queries;
    const cursor = textarea.selectionStart;
    const place = placeAt(textarea.value, cursor);
    if (!place || textarea.selectionEnd !== cursor || (!explicit && place.typed.trim() === "")) return close();
    const { name, files } = store.project.value;
    const answer = (controls: Control[]): void => {
      if (current !== queries) return;
      const found = completions(place, controls, tables, Object.keys(files));
      if (found.length === 0) return close();
      const end = endOfWord(place.typed, cursor);
      const hasValue = place.kind === "key" && /^\s*=/.test(textarea.value.slice(end));
      const shown = hasValue ? found.map((one) => ({ ...one, insert: one.insert.replace(/ = $/, "") })) : found;
      offer(shown, place.from, end);
    };
    const subject = { name, text: place.repaired, files, changes: [] };
    app.engine.call("controls", [subject], { slot: "complete", light: true }).then(
      (controls) => {
        known = controls;
        answer(controls);
      },
      (error: unknown) => {
        // Another part of the text is invalid. The keys that the text had before are offered.
        if (error instanceof Problems) answer(known);
        else logDefect(error);
      },
    );
  };

  let typing: ReturnType<typeof setTimeout> | undefined;
  textarea.addEventListener("input", (event) => {
    clearTimeout(typing);
    // An accepted completion comes as an insertion, too.
    const written = event instanceof InputEvent ? event.data : null;
    const isDeleted = event instanceof InputEvent && event.inputType.startsWith("delete");
    const wanted = written !== null && written.length === 1 ? /[\w"'[.]/.test(written) : isDeleted && !list.hidden;
    if (wanted) typing = setTimeout(() => query(false), COMPLETE_MS);
    else close();
  });
  textarea.addEventListener(
    "keydown",
    (event) => {
      if (event.key === " " && event.ctrlKey) {
        event.preventDefault();
        return query(true);
      }
      const keys: Record<string, () => void> = {
        ArrowDown: () => choose(chosen + 1),
        ArrowUp: () => choose(chosen - 1),
        Enter: accept,
        Tab: accept,
        Escape: close,
      };
      const act = keys[event.key];
      if (list.hidden || !act || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) {
        if (event.key.startsWith("Arrow") || event.key === "Home" || event.key === "End") close();
        return;
      }
      event.preventDefault();
      event.stopImmediatePropagation();
      act();
    },
    { capture: true },
  );
  textarea.addEventListener("blur", close);
  editor.container.addEventListener("scroll", close);

  app.engine.call("about", [], { light: true }).then(({ schema }) => {
    const { properties } = JSON.parse(schema) as { properties: Record<string, { description?: string; type?: string; $ref?: string; anyOf?: { $ref?: string }[] }> };
    const isTable = ([name, { type }]: [string, { type?: string }]): boolean => type === "object" || name === "output" || name === "sweep";
    tables = Object.entries(properties).filter(isTable).map(([name, { description = "" }]) => [name, description]);
  }, console.error);

  store.project.subscribe((project) => {
    if (!store.isChanged) original = project.text;
    // The rest of the project may change while the user types a text that the project does not have yet.
    frame.hidden = !fits(project.text);
    tooLong.hidden = !frame.hidden;
    const value = frame.hidden ? "" : project.text;
    if (timer === undefined && value !== textarea.value) editor.setOptions({ value });
    back.disabled = textarea.value === original;
    if (timer === undefined) check(project.text);
  });
}
