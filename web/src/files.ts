/** Files that the visitor gives to the page. */

import { el } from "./dom";
import { bytes as formatBytes } from "./format";

/** Most bytes of a scenario's text. */
export const MOST_TEXT = 5_000_000;

/** Most bytes of a recording. */
export const MOST_FILE = 20_000_000;

/** Reads a file; the error says that it is too large. */
export async function bytesOf(file: File, most: number): Promise<Uint8Array<ArrayBuffer>> {
  if (file.size > most) throw new Error(`${file.name} has ${formatBytes(file.size)}; the page takes at most ${formatBytes(most)}.`);
  return new Uint8Array(await file.arrayBuffer());
}

/** Lets the visitor choose a file, and reads it. */
export function takeFile(take: (name: string, bytes: Uint8Array) => void, complain: (text: string) => void): void {
  const input = el("input", { type: "file" });
  input.addEventListener("change", () => {
    const file = input.files?.[0];
    if (!file) return;
    bytesOf(file, MOST_FILE).then(
      (bytes) => take(file.name, bytes),
      (error: unknown) => complain(error instanceof Error ? error.message : String(error)),
    );
  });
  input.click();
}
