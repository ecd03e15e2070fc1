// The editor of the text: completion, problems with their places, and its own history.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { test } from "node:test";
import { eventually, long, open, skip } from "./page.mjs";
import { source } from "./source.mjs";

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const project = (page) => page.evaluate(() => window.lasthop.app.store.project.value);

/** Opens the page with the tab of the text. */
async function editor(options = {}) {
  const opened = await open(options);
  const { page } = opened;
  await page.locator("#tab-editor").click();
  const text = page.getByRole("textbox", { name: "Text of the scenario" });
  await page.waitForFunction(() => /problem|error|warning/.test(document.querySelector(".editor .state").textContent));
  /** Selects a part of the text. */
  const select = (part, from = 0, to = from) =>
    text.evaluate((area, [part, from, to]) => {
      const start = area.value.indexOf(part);
      if (start < 0) throw new Error(`no ${part}`);
      area.focus();
      area.setSelectionRange(start + from, start + to);
    }, [part, from, to]);
  const options_ = page.getByRole("listbox", { name: "Completions" }).getByRole("option");
  return { ...opened, text, select, offered: options_ };
}

test("the place of the cursor is known in tables, braces, lists and unfinished lines", async () => {
  const { placeAt } = await source("editor-place.ts");
  const at = (text) => {
    const cursor = text.indexOf("|");
    const place = placeAt(text.replace("|", ""), cursor);
    return place && [place.kind, place.path, place.typed];
  };
  assert.deepEqual(at("ti|"), ["key", "", "ti"]);
  assert.deepEqual(at("[links.air]\nra|\ndelay = 1"), ["key", "links.air", "ra"]);
  assert.deepEqual(at('[links.air]\nrate = "5|'), ["value", "links.air.rate", '"5']);
  assert.deepEqual(at('[links."a.b"]\nx.y = |'), ["value", 'links."a.b".x.y', ""]);
  assert.deepEqual(at('[a]\nb = { kind = "c", d|'), ["key", "a.b", "d"]);
  assert.deepEqual(at('[a]\nb = { c = { d = 1 }, e = "|" }'), ["value", "a.b.e", '"']);
  assert.deepEqual(at('a = ["x", "|'), ["value", "a[1]", '"']);
  assert.deepEqual(at("[[a]]\n[[a]]\nb = |"), ["value", "a[1].b", ""]);
  assert.deepEqual(at("[li|"), ["header", "", "li"]);
  assert.deepEqual(at('a = """\n[b]\n"""\nc|'), ["key", "", "c"]);
  assert.equal(at("a = 1 # no|te\n"), undefined);
  assert.equal(placeAt('[a]\nb = { c = 1, d', 16).repaired.trim(), "[a]\nb = { c = 1 }");
  assert.equal(placeAt("x = 1\ny = \nz = 2", 10).repaired, "x = 1\n \nz = 2");
});

test("a key and its value are completed by keys, and change the run", { skip }, async () => {
  const { page, errors, select, offered, text, close } = await editor();
  try {
    await select('rate = "1 Mbps"', 15);
    await page.keyboard.type("\nque");
    await offered.first().waitFor();
    assert.deepEqual((await offered.allTextContents()).slice(0, 2), ["queue", "queue_tie"]);
    await eventually(async () => assert.ok(await text.getAttribute("aria-activedescendant")));
    await page.keyboard.press("Enter");
    await page.locator(".completions li", { hasText: "fq-codel" }).waitFor();
    await page.keyboard.type('"pi');
    await page.waitForFunction(() => document.querySelector(".completions li").textContent === "pie");
    await page.keyboard.press("Tab");
    await page.waitForFunction(() => window.lasthop.app.store.project.value.text.includes('rate = "1 Mbps"\nqueue = "pie"\n'));
    await page.waitForFunction(() => document.querySelector(".editor .state").textContent === "No problems.");
    assert.deepEqual(errors, []);
  } finally {
    await close();
  }
});

test("units, settings of a kind, names of nodes and tables are completed", { skip: long }, async () => {
  const { page, select, close } = await editor();
  try {
    /** Waits until exactly these are offered. */
    const offers = (names) =>
      page.waitForFunction((names) => {
        const offered = [...document.querySelectorAll(".completions [role=option]")].map((option) => option.textContent);
        return offered.sort().join("|") === names.sort().join("|");
      }, names);
    await select('delay = "1 ms"', 8, 14);
    await page.keyboard.type('"30');
    await offers(["30 ms", "30 s", "30 us"]);
    await page.keyboard.press("Enter");
    await select(", max_transmissions = 9");
    await page.keyboard.type(", mar");
    await offers(["margin"]);
    await page.keyboard.press("Escape");
    for (let count = 0; count < 5; count++) await page.keyboard.press("Backspace");
    await select('to = "mobile"', 5, 13);
    await page.keyboard.type('"st');
    await offers(["station"]);
    await page.keyboard.press("Enter");
    await page.keyboard.press("Control+End");
    await page.keyboard.type("\n[ar");
    await offers(["arrivals"]);
  } finally {
    await close();
  }
});

test("problems are underlined, and their buttons lead to them", { skip }, async () => {
  const { page, errors, select, text, close } = await editor();
  try {
    await select('"8 Mbps"', 0, 8);
    await page.keyboard.type('"fast"');
    // A check between two keys may find another problem at the same place.
    await page.locator(".problems .problem").filter({ hasText: /^links\.wire\.rate: found "fast", expected a rate/ }).waitFor();
    const go = page.getByRole("button", { name: "Line 18, column 8" });
    await eventually(async () => assert.equal(await page.locator(".marks .error").count(), 1));
    await page.keyboard.press("Control+Home");
    // A check that ends in the middle of a click renews the buttons.
    await eventually(async () => {
      await go.click();
      assert.equal(await text.evaluate((area) => area.value.slice(area.selectionStart, area.selectionEnd)), '"fast"');
    });
    assert.deepEqual(errors, []);
  } finally {
    await close();
  }
});

test("the editor has a history of its own, and follows the project", { skip: long }, async () => {
  const { page, select, text, close } = await editor();
  try {
    const { text: original } = await project(page);
    await page.evaluate(() => window.lasthop.app.store.set("links.air.delay", '"2 ms"'));
    await select("4300 s", 0, 4);
    await page.keyboard.type("100");
    await page.waitForFunction(() => window.lasthop.app.store.project.value.text.includes('"100 s"'));
    for (let count = 0; count < 4; count++) await page.keyboard.press("Control+z");
    await page.waitForFunction((text) => window.lasthop.app.store.project.value.text === text, original);
    await eventually(async () => assert.equal((await project(page)).changes.length, 1));
    for (let count = 0; count < 4; count++) await page.getByRole("button", { name: "Redo typing" }).click();
    await page.waitForFunction(() => window.lasthop.app.store.project.value.text.includes('"100 s"'));
    await page.getByRole("button", { name: "Text as opened" }).click();
    await page.waitForFunction((text) => window.lasthop.app.store.project.value.text === text, original);
    await page.evaluate(() => window.lasthop.app.store.open({ ...window.lasthop.app.store.project.value, name: "other.toml", text: "title = 'x'\n" }));
    await eventually(async () => assert.equal(await text.inputValue(), "title = 'x'\n"));
    await eventually(async () => assert.ok(await page.getByRole("button", { name: "Text as opened" }).isDisabled()));
  } finally {
    await close();
  }
});

test("a binary text, long ones and deep brackets leave the page alive", { skip: long, timeout: 120_000 }, async () => {
  const { page, errors, close } = await editor();
  try {
    for (const text of ["\u0000\u0001\ufffd".repeat(1000), `title = "${"x".repeat(400_000)}"\n`, `${'x = "y"\n'.repeat(500_000)}`, "[".repeat(20_000)]) {
      await page.evaluate((text) => window.lasthop.app.store.open({ ...window.lasthop.app.store.project.value, name: "hostile.toml", text }), text);
      await page.locator(".problems li").first().waitFor({ timeout: 60_000 });
    }
    for (let count = 0; count < 4; count++) await page.evaluate(() => window.lasthop.app.store.undo());
    await page.waitForFunction(() => document.querySelector(".editor .state").textContent === "No problems.");
    assert.deepEqual(errors, []);
  } finally {
    await close();
  }
});

for (const [width, dark] of [[360, true], [1280, false]]) {
  test(`editor at ${width} px: no findings of axe, nothing sideways`, { skip: long }, async () => {
    const { page, select, close } = await editor({ width, dark });
    try {
      await select('"8 Mbps"', 0, 8);
      await page.keyboard.type('"f');
      await page.locator(".problems li").first().waitFor();
      await page.keyboard.press("Control+Space");
      await page.evaluate(axe);
      const violations = await page.evaluate(async () => (await globalThis.axe.run(".editor")).violations);
      assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 160)}`), []);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(wide <= 0, `${wide} px too wide`);
    } finally {
      await close();
    }
  });
}
