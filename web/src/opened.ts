/** Opens what the address names: a permalink, an example, or the scenario of the command line. */

import type { App } from "./app";
import { fromBase64 } from "./bytes";
import { button, el } from "./dom";
import { Problems } from "./engine";
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

/** Fetches a file of the examples' folder. */
export async function fetchExample(path: string): Promise<Response> {
  const response = await fetch(`examples/${path.split("/").map(encodeURIComponent).join("/")}`);
  if (!response.ok) throw new Error(`the page's host has no file examples/${path} (status ${response.status})`);
  return response;
}

const files = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();

/** A file of the examples' folder, fetched once. */
function loaded(name: string): Promise<Uint8Array<ArrayBuffer>> {
  const known = files.get(name);
  if (known) return known;
  const file = fetchExample(name).then(async (response) => new Uint8Array(await response.arrayBuffer()));
  files.set(name, file);
  // A failed file is fetched again at the next request, because the network may be back.
  file.catch(() => files.delete(name));
  return file;
}

/** All examples. */
export async function entries(): Promise<Entry[]> {
  return JSON.parse(new TextDecoder().decode(await loaded("index.json"))) as Entry[];
}

/** A scenario of the examples, or a file that one names; `undefined` if no example has this name. */
export async function exampleFile(name: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const known = await entries();
  return known.some((entry) => entry.name === name || entry.files.includes(name)) ? loaded(name) : undefined;
}

/** A scenario without changes. */
type Written = Pick<Project, "name" | "text" | "files">;

/** What to show of a scenario first: the cases that it compares, or the unmodified path beside its scheme. */
export async function variantsOf(app: App, scenario: Written): Promise<Variant[]> {
  try {
    return await app.engine.call("variants", [{ ...scenario, changes: [] }], { light: true });
  } catch (error) {
    if (!(error instanceof Problems)) throw error;
    // A text without keys is opened, too, and its problems are shown.
    return [{ name: "as written", changes: [] }];
  }
}

/** An example as it is written, with the files that it names; `undefined` if there is none of this name. */
export async function written(name: string): Promise<Written | undefined> {
  const entry = (await entries()).find((entry) => entry.name === name);
  if (!entry) return undefined;
  const read = async (file: string) => [file, await loaded(file)] as const;
  const [bytes, ...files] = await Promise.all([loaded(name), ...entry.files.map(read)]);
  return { name, text: new TextDecoder().decode(bytes), files: Object.fromEntries(files) };
}

/** An example as it is written, with its variants. */
export async function example(app: App, name: string): Promise<Project> {
  const found = await written(name);
  if (!found) throw new LinkError("The address names an example that this page does not have.");
  return { ...found, changes: [], variants: await variantsOf(app, found) };
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
