/** Opens what the address names: a permalink, an example, or the scenario of the command line. */

import type { App } from "./app";
import { fromBase64 } from "./bytes";
import { button, el } from "./dom";
import { decode, LinkError, type Shared } from "./link";
import type { Project, Variant } from "./state";

/** An example, as the index has it that the build makes. */
export interface Entry {
  name: string;
  title: string;
  sentence: string;
  /** Files that it names. */
  files: string[];
}

const fetched = new Map<string, Promise<Uint8Array<ArrayBuffer> | undefined>>();

let index: Promise<Entry[]> | undefined;

/** All examples. */
export function entries(): Promise<Entry[]> {
  index ??= fetch("examples/index.json").then((response) => (response.ok ? (response.json() as Promise<Entry[]>) : []));
  return index;
}

/** A scenario of the examples, or a file that one names. */
export async function exampleFile(name: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const known = await entries();
  if (!known.some((entry) => entry.name === name || entry.files.includes(name))) return undefined;
  let file = fetched.get(name);
  if (!file) {
    const read = async (response: Response) => (response.ok ? new Uint8Array(await response.arrayBuffer()) : undefined);
    file = fetch(`examples/${encodeURIComponent(name)}`).then(read);
    fetched.set(name, file);
  }
  return file;
}

/** What to show of a scenario first: the cases that it compares, or the unmodified path beside its scheme. */
export async function variantsOf(app: App, { name, text, files }: Pick<Project, "name" | "text" | "files">): Promise<Variant[]> {
  // A text without keys is opened, too: its problems are shown.
  const none = (): Variant[] => [{ name: "as written", changes: [] }];
  return app.engine.call("variants", [{ name, text, files, changes: [] }], { light: true }).catch(none);
}

/** An example as it is written, with its files and variants. */
export async function example(app: App, name: string): Promise<Project> {
  const entry = (await entries()).find((entry) => entry.name === name);
  const bytes = entry && (await exampleFile(name));
  if (!bytes) throw new LinkError("The address names an example that this page does not have.");
  const files = entry.files.map(async (file) => [file, (await exampleFile(file)) ?? new Uint8Array()] as const);
  const given = { name, text: new TextDecoder().decode(bytes), files: Object.fromEntries(await Promise.all(files)) };
  return { ...given, changes: [], variants: await variantsOf(app, given) };
}

/** What `lasthop web FILE` serves beside the page. */
interface Opened {
  name: string;
  text: string;
  files: Record<string, string>;
  changes: string[];
  scheme: string | null;
}

async function ofCommandLine(): Promise<Project> {
  const response = await fetch("open/scenario.json");
  if (!response.ok) throw new LinkError("No scenario was given on the command line: lasthop web FILE opens one.");
  const { name, text, files, changes, scheme } = (await response.json()) as Opened;
  const bytes = Object.entries(files).map(([file, content]) => [file, fromBase64(content)] as const);
  const variant = scheme === null ? { name: "as written", changes: [] } : { name: scheme, changes: [], scheme };
  return { name, text, files: Object.fromEntries(bytes), changes, variants: [variant] };
}

/** What a fragment names, without `#`; `undefined` if it names nothing. */
async function named(app: App, fragment: string): Promise<Shared | undefined> {
  if (fragment === "open") return { project: await ofCommandLine(), view: { flow: 0 } };
  const name = /^example=(.*)$/.exec(fragment)?.[1];
  if (name !== undefined) return { project: await example(app, decodeURIComponent(name)), view: { flow: 0 } };
  return /^\d+=/.test(fragment) ? decode(fragment, exampleFile) : undefined;
}

/** Says why an address was not opened, until the visitor closes it. */
export function complain(text: string): void {
  document.querySelector(".notice")?.remove();
  const notice = el("div", { class: "notice", role: "alert" }, el("p", { class: "problem" }, text));
  notice.append(button("Close", () => notice.remove()));
  document.querySelector("main")?.prepend(notice);
}

/** Opens what the address names; false if it names nothing or cannot be opened, which the page then says. */
export async function restore(app: App): Promise<boolean> {
  const fragment = location.hash.slice(1);
  try {
    const shared = await named(app, fragment);
    if (shared === undefined || location.hash.slice(1) !== fragment) return false;
    const { project, view } = shared;
    app.store.open(project);
    app.range.value = view.range;
    app.flow.value = view.flow;
    const tabs = document.querySelectorAll<HTMLElement>('.side [role="tab"]');
    for (const tab of tabs) if (view.tab !== undefined && tab.id === `tab-${view.tab}`) tab.click();
    document.querySelector(".notice")?.remove();
    return true;
  } catch (error) {
    complain(error instanceof LinkError ? error.message : `The address could not be opened: ${String(error)}`);
    return false;
  }
}

/** Whether the page shows figures alone, for slides. */
export function embedded(): boolean {
  return new URLSearchParams(location.search).get("embed") === "1";
}
