// The map of differences: its cells are those of a sweep over two axes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { COMMAND, sweep } from "./command.mjs";
import { FULL, eventually, open, skip as withoutBrowser } from "./page.mjs";

const folder = process.env.PAGE;
const skip = withoutBrowser || (COMMAND ? false : "skipped: the command is not built");
const long = FULL ? skip : "runs with --full";

const DELAYS = ["25 ms", "100 ms", "400 ms"];
const BAD = ["100 ms", "300 ms", "500 ms"];

/** Opens the page with a map of nine cells that is not drawn yet. */
async function opened(options = {}) {
  const found = await open({ folder, ...options });
  const { page } = found;
  await page.getByRole("tab", { name: "Statistics" }).click();
  await page.locator("#heat-keys option").first().waitFor({ state: "attached" });
  await page.evaluate(() => window.lasthop.app.store.set("flows.download.bytes", '"512 kB"'));
  await page.locator("#heat-down").fill("links.wire.delay");
  await page.locator("#heat-down-values").fill(DELAYS.join(", "));
  await page.locator("#heat-across").fill("links.air.channel.mean_bad");
  await page.locator("#heat-across-values").fill(BAD.join(", "));
  await page.locator("#heat-replications").fill("6");
  return found;
}

const cells = (page) => page.locator(".map tbody button");
const state = (page) => page.locator(".heat .state");

async function drawn(page) {
  await page.getByRole("button", { name: "Draw the map" }).click();
  await state(page).filter({ hasText: "done" }).waitFor({ timeout: 120_000 });
}

test("cells have the paired differences and signs of the command's sweep", { skip }, async () => {
  const { page, errors, close } = await opened();
  try {
    await drawn(page);
    const entries = sweep("goel-refined.toml", [
      'flows.download.bytes="512 kB"',
      'sweep.compare.scheme=["unmodified", "refined-icmp"]',
      `sweep.axes={ "links.wire.delay" = ${JSON.stringify(DELAYS)}, "links.air.channel.mean_bad" = ${JSON.stringify(BAD)} }`,
      "sweep.replications=6",
    ]).filter((entry) => entry.case === "refined-icmp");
    assert.equal(entries.length, 9);
    const found = await cells(page).evaluateAll((buttons) => buttons.map((button) => [Number(button.dataset.difference), button.textContent]));
    for (const [number, { against_first: against }] of entries.entries()) {
      const [low, high] = against.difference_ci;
      const sign = low > 0 ? "+" : high < 0 ? "−" : "0";
      assert.equal(found[number][0], against.difference, `cell ${number}`);
      assert.equal(found[number][1][0], sign, `cell ${number}`);
    }
    assert.deepEqual(errors, []);
  } finally {
    await close();
  }
});

test("keys read the cells, and Enter opens a cell's scenario in the figures", { skip: long }, async () => {
  const { page, close } = await opened();
  try {
    await drawn(page);
    await cells(page).first().focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    const reading = await page.locator(".cell-reading").textContent();
    assert.match(reading, /^links\.wire\.delay 100 ms, links\.air\.channel\.mean_bad 300 ms: completion_time_s .*±.*%.*6 pairs/);
    await eventually(async () => assert.equal(await page.locator(':focus').getAttribute("aria-label"), reading));
    await page.keyboard.press("Enter");
    const changes = await page.evaluate(() => window.lasthop.app.store.project.value.changes);
    assert.deepEqual(changes, ['flows.download.bytes="512 kB"', 'links.wire.delay="100 ms"', 'links.air.channel.mean_bad="300 ms"']);
    await eventually(async () => assert.match(await state(page).textContent(), /done/, "the map stays"));
    await eventually(async () => assert.equal(await cells(page).count(), 9));
    await page.evaluate(() => window.lasthop.app.store.undo());
    await eventually(async () => assert.equal(await page.evaluate(() => window.lasthop.app.store.project.value.changes.length), 1));
  } finally {
    await close();
  }
});

test("a map fills while it runs and can be stopped", { skip: long }, async () => {
  const { page, close } = await opened();
  try {
    await page.locator("#heat-replications").fill("1000");
    await page.getByRole("button", { name: "Draw the map" }).click();
    await page.waitForFunction(() => {
      const cells = Array.from(document.querySelectorAll(".map tbody button"));
      return cells.length === 9 && cells.every((cell) => /^[+−0]/.test(cell.textContent));
    }, undefined, { timeout: 60_000 });
    await page.locator(".heat .go").click();
    await state(page).filter({ hasText: "Stopped" }).waitFor();
    const pairs = () => cells(page).evaluateAll((cells) => cells.map((cell) => Number(/(\d+) pairs/.exec(cell.getAttribute("aria-label"))[1])));
    await page.waitForTimeout(600);
    const before = await pairs();
    assert.ok(before.every((count) => count < 1000));
    await page.waitForTimeout(600);
    assert.deepEqual(await pairs(), before);
  } finally {
    await close();
  }
});

test("a cell that cannot run says why, and the others go on", { skip: long }, async () => {
  const { page, errors, close } = await opened();
  try {
    await page.locator("#heat-across").fill("links.air.rate");
    await page.locator("#heat-across-values").fill("1 Mbps, fast, 2 Mbps");
    await drawn(page);
    const texts = await cells(page).allTextContents();
    assert.deepEqual(texts.map((text) => text === "!"), [false, true, false, false, true, false, false, true, false]);
    await eventually(async () => assert.match(await cells(page).nth(1).getAttribute("aria-label"), /links\.air\.rate.*fast.*expected a rate/s));
    assert.deepEqual(errors, []);
  } finally {
    await close();
  }
});

test("axes that make no map are refused with the reason", { skip: long }, async () => {
  const { page, close } = await opened();
  try {
    const refused = async (field, text, reason) => {
      const before = await page.locator(field).inputValue();
      await page.locator(field).fill(text);
      await page.getByRole("button", { name: "Draw the map" }).click();
      await state(page).filter({ hasText: reason }).waitFor();
      await page.locator(field).fill(before);
    };
    await refused("#heat-across-values", "1 ms", "found 1 values, expected 2 to 9");
    await refused("#heat-across-values", "1 ms, 1 ms", "each value once");
    await refused("#heat-across", "links.wire.delay", "two keys");
    await refused("#heat-across", "title", "a key on which results depend");
    await refused("#heat-across", "", "needs a key");
  } finally {
    await close();
  }
});

test("choosing a suggested key fills in values around the present one", { skip }, async () => {
  const { page, close } = await opened();
  try {
    await page.locator("#heat-across").fill("links.air.rate");
    await page.locator("#heat-across").blur();
    await eventually(async () => assert.equal(await page.locator("#heat-across-values").inputValue(), '"250 kbps", "500 kbps", "1 Mbps", "2 Mbps", "4 Mbps"'));
  } finally {
    await close();
  }
});
