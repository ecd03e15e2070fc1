// The command, beside which tests put what the page computes.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The command that was built last for tests or for use. */
export const COMMAND = [process.env.LASTHOP, "target/checks/lasthop", "target/release/lasthop"]
  .filter((path) => path)
  .map((path) => join(path.startsWith("/") ? "/" : root, path))
  .find((path) => existsSync(path));

/** The entries that `lasthop sweep --json` prints for an example. */
export function sweep(example, changes) {
  const folder = mkdtempSync(join(tmpdir(), "lasthop-page-"));
  try {
    const set = changes.flatMap((change) => ["--set", change]);
    const text = execFileSync(COMMAND, ["sweep", join(root, "examples", example), "--json", ...set], { cwd: folder, stdio: ["ignore", "pipe", "ignore"] });
    return JSON.parse(text);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Compares numbers of the page with those of the command. Means are equal; the last digits of a quantile of Student's t
 * depend on the machine's logarithm.
 */
export function same(found, expected, what) {
  const close = (one, other) => one === other || Math.abs(one - other) <= 1e-13 * Math.abs(other) || (one === null && other === null);
  assert.equal(found.length, expected.length, what);
  for (const [number, value] of found.entries()) assert.ok(close(value, expected[number]), `${what}, ${number}: ${value}, expected ${expected[number]}`);
}
