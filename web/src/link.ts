/**
 * The permalink: a project and its view as the fragment of an address, `1=` and then JSON, compressed (zlib, whose check
 * sum finds damaged links), in base64url. The number is the version of this form.
 */

import type { Range } from "./app";
import { fromBase64, through, toBase64 } from "./bytes";
import { bytes as formatBytes } from "./format";
import type { Project, Variant } from "./state";

/** What the figures show of the runs. */
export interface View {
  range?: Range | undefined;
  flow: number;
  /** Id of the tab that is open. */
  tab?: string | undefined;
}

export interface Shared {
  project: Project;
  view: View;
}

/** A link that cannot be made or opened; the text is for the visitor. */
export class LinkError extends Error {}

export const PREFIX = "1=";

/** Most characters of a fragment: longer addresses break in mail and in some browsers. */
export const LONGEST = 32 * 1024;

/** Most bytes of a link's JSON: a short link of a hostile page could otherwise fill the memory. */
const MOST_BYTES = 4 * 1024 * 1024;

/** Most variants of a project. */
const MOST_VARIANTS = 6;

/** Gets the file of an example by its name; `undefined` if there is none. */
export type Examples = (name: string) => Promise<Uint8Array | undefined>;

/** The JSON of a link. A file is its base64, or the check sum of the example's file that has its name. */
interface Form {
  name: string;
  text: string;
  files?: Record<string, string | number> | undefined;
  changes?: string[] | undefined;
  variants: { name: string; changes?: string[] | undefined; scheme?: string | undefined }[];
  range?: [number, number] | undefined;
  flow?: number | undefined;
  tab?: string | undefined;
}

/** FNV-1a, to recognize a file that is not the one that the link was made with. */
function checkSum(bytes: Uint8Array): number {
  let sum = 0x811c9dc5;
  for (const byte of bytes) sum = Math.imul(sum ^ byte, 0x01000193);
  return sum >>> 0;
}

const same = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((byte, at) => byte === b[at]);

const unlessEmpty = <T>(list: T[]): T[] | undefined => (list.length > 0 ? list : undefined);

/** The fragment of a project, without `#`. Files of examples are named, all others are in it. */
export async function encode({ project, view }: Shared, examples: Examples): Promise<string> {
  const files = await Promise.all(
    Object.entries(project.files).map(async ([name, bytes]) => {
      const known = await examples(name);
      return [name, known && same(known, bytes) ? checkSum(bytes) : toBase64(bytes)] as const;
    }),
  );
  const form: Form = {
    name: project.name,
    text: project.text,
    files: files.length > 0 ? Object.fromEntries(files) : undefined,
    changes: unlessEmpty(project.changes),
    variants: project.variants.map(({ name, changes, scheme }) => ({ name, changes: unlessEmpty(changes), scheme })),
    range: view.range && [view.range.from, view.range.to],
    flow: view.flow || undefined,
    tab: view.tab,
  };
  const json = new TextEncoder().encode(JSON.stringify(form));
  const packed = toBase64(await through(json, new CompressionStream("deflate"), Infinity));
  const fragment = PREFIX + packed.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  if (fragment.length > LONGEST || json.length > MOST_BYTES) throw new LinkError(tooLong(fragment.length, files));
  return fragment;
}

function tooLong(length: number, files: (readonly [string, string | number])[]): string {
  const sizes = files.map(([name, content]) => [name, String(content).length] as const).toSorted(([, a], [, b]) => b - a);
  const [largest, size] = sizes[0] ?? ["", 0];
  const what = size > length / 2 ? `the recording ${largest} is too large for a link` : "the scenario is too large for a link";
  return `No link: ${what} (${formatBytes(length)}, at most ${formatBytes(LONGEST)}). Pass on the files instead.`;
}

const DAMAGED = "The link is incomplete or damaged: nothing was opened. Copy the whole address again.";

function demand(condition: boolean): asserts condition {
  if (!condition) throw new LinkError(DAMAGED);
}

function text(value: unknown): string {
  demand(typeof value === "string");
  return value;
}

function texts(value: unknown): string[] {
  if (value === undefined) return [];
  demand(Array.isArray(value));
  return value.map(text);
}

function record(value: unknown): Record<string, unknown> {
  demand(typeof value === "object" && value !== null && !Array.isArray(value));
  return value as Record<string, unknown>;
}

function variant(value: unknown): Variant {
  const { name, changes, scheme } = record(value);
  return { name: text(name), changes: texts(changes), ...(scheme === undefined ? {} : { scheme: text(scheme) }) };
}

function viewOf({ range, flow, tab }: Record<string, unknown>): View {
  const view: View = { flow: 0 };
  if (range !== undefined) {
    demand(Array.isArray(range) && range.length === 2);
    const [from, to]: unknown[] = range;
    demand(typeof from === "number" && typeof to === "number" && from >= 0 && from < to && Number.isFinite(to));
    view.range = { from, to };
  }
  if (flow !== undefined) {
    demand(typeof flow === "number" && Number.isSafeInteger(flow) && flow >= 0);
    view.flow = flow;
  }
  if (tab !== undefined) view.tab = text(tab);
  return view;
}

async function fileOf(name: string, content: unknown, examples: Examples): Promise<Uint8Array> {
  if (typeof content !== "number") return fromBase64(text(content));
  const bytes = await examples(name).catch((error: unknown) => {
    throw new LinkError(`The link cannot be opened: its recording ${name} could not be loaded. ${String(error)}`);
  });
  if (bytes && checkSum(bytes) === content) return bytes;
  const what = bytes ? "has changed since the link was made" : "is not here";
  throw new LinkError(`The link cannot be opened: its recording ${name}, a file of the examples, ${what}.`);
}

/** The project of a fragment, without `#`. */
export async function decode(fragment: string, examples: Examples): Promise<Shared> {
  if (!fragment.startsWith(PREFIX)) throw new LinkError("The link is of another version of this page: nothing was opened.");
  if (fragment.length > LONGEST) throw new LinkError("The link is longer than this page opens.");
  try {
    const packed = fromBase64(fragment.slice(PREFIX.length).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = await through(packed, new DecompressionStream("deflate"), MOST_BYTES);
    const form = record(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)));
    const { variants } = form;
    demand(Array.isArray(variants) && variants.length > 0 && variants.length <= MOST_VARIANTS);
    const files = Object.entries(record(form["files"] ?? {}));
    const read = files.map(async ([name, content]) => [name, await fileOf(name, content, examples)] as const);
    const project = {
      name: text(form["name"]),
      text: text(form["text"]),
      files: Object.fromEntries(await Promise.all(read)),
      changes: texts(form["changes"]),
      variants: variants.map(variant),
    };
    return { project, view: viewOf(form) };
  } catch (error) {
    if (error instanceof LinkError) throw error;
    throw new LinkError(error instanceof RangeError ? "The link holds more than this page opens." : DAMAGED);
  }
}
