// Numbers with units: those of the page and of the command are the same.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { source } from "./source.mjs";

const format = await source("format.ts");
const examples = JSON.parse(readFileSync(new URL("quantities.json", import.meta.url), "utf8"));

test("quantities are written as engine::quantity writes them", () => {
  const write = { "bit/s": format.rate, bytes: format.bytes, s: format.duration, share: format.percent, moment: format.moment };
  assert.deepEqual(new Set(examples.map(({ unit }) => unit)), new Set(Object.keys(write)));
  for (const { unit, value, text } of examples) assert.equal(write[unit](value), text, `${value} ${unit}`);
});
