/** What can be written at a place: keys, values and units, from the controls of the text without the unfinished entry. */

import { below, type Place } from "./editor-place";
import type { Control } from "./protocol";

export interface Completion {
  /** What is shown, and compared with what has been written. */
  label: string;
  /** What is written. */
  insert: string;
  detail: string;
}

/** Values of a slider that are suggested on each side of the current one. */
const AROUND = 4;

/** Completions that are listed. */
const MOST = 40;

const isNumber = (text: string): boolean => /^[-+]?[\d.]+(e[-+]?\d+)?$/i.test(text);

/** A value as TOML writes it. */
const literal = (text: string): string => (isNumber(text) || text === "true" || text === "false" ? text : JSON.stringify(text));

const unitOf = (quantity: string): string => quantity.replace(/^[-+\d.e]+\s*/i, "");

/** Tables whose keys are names. */
const NAMED = ["nodes", "links", "media", "flows", "arrivals"];

function keysAt(path: string, controls: Control[]): Completion[] {
  if (NAMED.includes(path)) return [];
  const prefix = path === "" ? "" : `${path}.`;
  const found: Completion[] = [];
  const self = controls.find((control) => control.path === path && control.widget.kind === "menu");
  if (self) found.push({ label: "kind", insert: "kind = ", detail: self.meaning });
  for (const control of controls) {
    if (!control.path.startsWith(prefix) || control.path.includes("[", prefix.length)) continue;
    const key = control.path.slice(prefix.length);
    const first = below(path, key.split(".")[0] ?? "");
    // Keys below a value that is set stand in the braces of that value.
    const taken = control.written !== null || (first !== control.path && controls.some(({ path, written }) => path === first && written !== null));
    const named = path === "" && NAMED.includes(key.split(".")[0] ?? "");
    if (!taken && !named && found.every(({ label }) => label !== key)) found.push({ label: key, insert: `${key} = `, detail: control.meaning });
  }
  return found;
}

/** The suggested values of a slider, and what has been written with each of its units. */
function quantities(stops: string[], at: number, typed: string): Completion[] {
  const number = /^["']?([-+]?[\d.]+)\s*([a-zA-Z/]*)/.exec(typed)?.[1];
  const units = [...new Set(stops.map(unitOf))].filter((unit) => unit !== "");
  if (number !== undefined && units.length > 0) {
    return units.filter((unit) => !isNumber(unit)).map((unit) => ({ label: `${number} ${unit}`, insert: literal(`${number} ${unit}`), detail: "" }));
  }
  const near = stops.slice(Math.max(0, at - AROUND), at + AROUND + 1);
  const words = stops.filter((stop) => !/\d/.test(stop));
  return [...new Set([stops[at] ?? "", ...near, ...words])].filter((stop) => stop !== "").map((stop) => ({ label: stop, insert: literal(stop), detail: "" }));
}

function valuesAt(path: string, controls: Control[], typed: string, files: string[]): Completion[] {
  const ofKind = path.endsWith(".kind") ? path.slice(0, -".kind".length) : undefined;
  const exact = controls.filter((control) => control.path === path);
  const union = controls.filter((control) => control.path === ofKind && control.widget.kind === "menu");
  // Items of a list have controls only if they exist. Items of another list of this name have the same choices.
  const list = /[^.]*\[/.exec(path)?.[0];
  const alike = controls.filter((control) => list !== undefined && control.path.includes(`.${list}`)).slice(0, 1);
  const chosen = [exact, union, alike].find((some) => some.length > 0) ?? [];
  const found: Completion[] = [];
  for (const { path: known, widget, default: usual } of chosen) {
    const values = ((): Completion[] => {
      switch (widget.kind) {
        case "menu":
          return widget.choices.map(({ label, value, meaning }) => ({ label, insert: known === path ? value : literal(label), detail: meaning }));
        case "switch":
          return ["true", "false"].map((word) => ({ label: word, insert: word, detail: "" }));
        case "slider":
          return quantities(widget.stops, widget.at, typed);
        case "text":
          return /(^|\.)file$/.test(path) ? files.map((file) => ({ label: file, insert: literal(file), detail: "a file of this project" })) : [];
      }
    })();
    const note = (value: Completion): Completion => (value.label === usual ? { ...value, detail: `The default. ${value.detail}`.trim() } : value);
    found.push(...values.map(note));
  }
  return found;
}

/** Names of tables for a header, with those that exist. */
function headersAt(controls: Control[], tables: [string, string][]): Completion[] {
  const groups = new Set(controls.map((control) => control.group));
  const free = tables.filter(([name]) => !groups.has(name));
  return free.map(([name, meaning]) => ({ label: name, insert: name, detail: meaning }));
}

/** The completions of a place, the best first. `tables` are the tables at the top with their meanings. */
export function completions(place: Place, controls: Control[], tables: [string, string][], files: string[]): Completion[] {
  const { kind, path } = place;
  const all =
    kind === "header" ? headersAt(controls, tables) : kind === "key" ? keysAt(path, controls) : valuesAt(path, controls, place.typed, files);
  const typed = place.typed.replace(/^["']/, "").toLowerCase();
  const rank = ({ label }: Completion): number => {
    const text = label.toLowerCase();
    return text.startsWith(typed) ? 0 : text.includes(`.${typed}`) ? 1 : text.includes(typed) ? 2 : 3;
  };
  const fitting = all.filter((completion) => rank(completion) < 3);
  const sorted = typed === "" ? fitting : fitting.toSorted((a, b) => rank(a) - rank(b));
  // Text that is already written needs no completion.
  const done = sorted.length === 1 && (sorted[0]?.insert === place.typed || `${place.typed} = ` === sorted[0]?.insert);
  return done ? [] : sorted.slice(0, MOST);
}
