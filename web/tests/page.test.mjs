// The page as a whole: looks, keys, accessibility, offline, hostile input.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { test } from "node:test";
import { FULL, eventually, long, open, skip } from "./page.mjs";

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Serious and critical findings of axe-core. */
async function findings(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document));
  const severe = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  return severe.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`);
}

const views = [[360, true], [1280, false], [360, false], [1280, true]];
for (const [width, dark] of views.slice(0, FULL ? undefined : 1)) {
  test(`page at ${width} px, ${dark ? "dark" : "light"}: no errors, no serious findings of axe, nothing sideways`, { skip }, async () => {
    const { page, errors, strangers, close } = await open({ width, dark });
    try {
      assert.deepEqual(await findings(page), []);
      const tabs = page.locator('[role="tab"]');
      for (let number = 0; number < (await tabs.count()); number++) {
        await tabs.nth(number).click();
        await page.waitForTimeout(300);
        const name = await tabs.nth(number).textContent();
        assert.deepEqual(await findings(page), [], `tab ${name}`);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.ok(wide <= 0, `tab ${name}: ${wide} px too wide`);
      }
      assert.deepEqual(errors, []);
      assert.deepEqual(strangers, []);
    } finally {
      await close();
    }
  });
}

test("every panel shows data, and the cursor reads all of them", { skip }, async () => {
  const { page, close } = await open();
  try {
    const before = await page.locator(".panel .reading").allTextContents();
    assert.ok(before.length >= 10, `${before.length} readings`);
    await page.locator(".figures").focus();
    for (let count = 0; count < 30; count++) await page.keyboard.press("ArrowRight");
    await eventually(async () => {
      const after = await page.locator(".panel .reading").allTextContents();
      for (const [number, text] of after.entries()) assert.match(text, /\d/, `reading ${number}`);
    });
  } finally {
    await close();
  }
});

test("cause has the colour of the table in every column, whatever its share", { skip }, async () => {
  const { page, close } = await open();
  try {
    await page.waitForFunction(() => document.querySelectorAll(".budget").length >= 2);
    const shares = await page.evaluate(() => {
      const style = getComputedStyle(document.documentElement);
      return Array.from(document.querySelectorAll(".budget .share"), (share) => {
        const probe = document.createElement("span");
        const name = share.className.replace("share cause-", "");
        probe.style.color = style.getPropertyValue(`--cause-${name}`);
        document.body.append(probe);
        const color = getComputedStyle(probe).color;
        probe.remove();
        return { name, color, found: getComputedStyle(share).backgroundColor };
      });
    });
    assert.ok(shares.length > 4, JSON.stringify(shares));
    for (const { name, color, found } of shares) assert.equal(found, color, name);
    const names = new Set(shares.map(({ name }) => name));
    assert.equal(new Set(shares.map(({ color }) => color)).size, names.size, "each cause has its own colour");
  } finally {
    await close();
  }
});

test("m steps from mark to mark and says what, when and why", { skip }, async () => {
  const { page, close } = await open();
  try {
    await page.locator(".figures").focus();
    await page.keyboard.press("m");
    await eventually(async () => assert.match(await page.locator(".live").textContent(), / at [\d.]+ m?s\. .+\. /));
    await eventually(async () => assert.ok(await page.locator(".tip:not([hidden])").count()));
  } finally {
    await close();
  }
});

test("a stall that is chosen again is listed once, with its place by cost", { skip: long }, async () => {
  const { page, close } = await open();
  try {
    await page.waitForFunction(() => window.lasthop.app.results.value[0]?.figure?.flows[0].report?.findings.length > 6);
    const [first, other] = await page.evaluate(() => {
      const { findings } = window.lasthop.app.results.value[0].figure.flows[0].report;
      const shortest = (time) =>
        findings.filter(({ from_s, to_s }) => from_s <= time && time <= to_s).toSorted((a, b) => a.to_s - a.from_s - b.to_s + b.from_s)[0];
      const middle = ({ from_s, to_s }) => (from_s + to_s) / 2;
      return findings.flatMap((finding, number) => (number > 4 && shortest(middle(finding)) === finding ? [{ number, time: middle(finding) }] : []));
    });
    assert.ok(first && other, "two findings beyond the listed ones can be clicked");
    const list = page.locator(".story").first().locator("li");
    const listed = await list.count();
    const plot = page.locator(".panel-sequence .u-over").first();
    const click = async ({ time }) => {
      const { width, height } = await plot.boundingBox();
      const end = await page.evaluate(() => Math.max(...window.lasthop.app.results.value.map(({ figure }) => figure.flows[0].ended)) * 1.01);
      await plot.click({ position: { x: (time / end) * width, y: height - 3 } });
    };
    for (const finding of [first, other, first]) await click(finding);
    await eventually(async () => assert.equal(await list.count(), listed + 1));
    const chosen = page.locator(".story li.chosen");
    await eventually(async () => assert.equal(await chosen.count(), 1));
    await eventually(async () => assert.equal(await chosen.getAttribute("data-finding"), String(first.number)));
    assert.equal(await chosen.getAttribute("value"), String(first.number + 1));
  } finally {
    await close();
  }
});

test("beyond the end of a run its readings give the end", { skip: long }, async () => {
  const { page, close } = await open();
  try {
    const ends = await page.evaluate(() => window.lasthop.app.results.value.map(({ figure }) => figure.flows[0].ended));
    const shorter = ends.indexOf(Math.min(...ends));
    assert.ok(ends[shorter] < Math.max(...ends));
    await page.evaluate((time) => (window.lasthop.app.cursor.value = time), Math.max(...ends));
    const readings = page.locator(".panel-sequence .reading");
    await eventually(async () => assert.match(await readings.nth(shorter).textContent(), /^ended at [\d.]+ s$/));
    await eventually(async () => assert.match(await readings.nth(1 - shorter).textContent(), /^sent /));
    assert.match(await page.locator(".tools .here").textContent(), /^cursor [\d.]+ s$/);
  } finally {
    await close();
  }
});

test("changes are undone and redone by keys, and taken back at once", { skip: long }, async () => {
  const { page, close } = await open();
  try {
    const changes = () => page.evaluate(() => window.lasthop.app.store.project.value.changes);
    await page.evaluate(() => window.lasthop.app.store.set("links.air.rate", '"1 Mbps"'));
    await eventually(async () => assert.deepEqual(await changes(), ['links.air.rate="1 Mbps"']));
    await page.locator(".figures").focus();
    await page.keyboard.press("Control+z");
    await eventually(async () => assert.deepEqual(await changes(), []));
    await page.keyboard.press("Control+Shift+z");
    await eventually(async () => assert.deepEqual(await changes(), ['links.air.rate="1 Mbps"']));
    await page.getByRole("button", { name: "Back to the example" }).click();
    await eventually(async () => assert.deepEqual(await changes(), []));
  } finally {
    await close();
  }
});

test("variants are added, renamed and removed", { skip: long }, async () => {
  const { page, close } = await open();
  try {
    await page.locator(".variants summary").click();
    await page.getByRole("button", { name: "Add a variant" }).click();
    await page.waitForFunction(() => document.querySelectorAll(".heading h3").length === 3);
    const name = page.getByLabel("Name of variant 3");
    await name.fill("snooped");
    await name.press("Enter");
    await page.getByLabel("Scheme of snooped").selectOption("snoop");
    await page.waitForFunction(() => window.lasthop.app.results.value[2]?.figure?.summary.scheme === "snoop");
    await page.getByRole("button", { name: "Remove snooped" }).click();
    await page.waitForFunction(() => document.querySelectorAll(".heading h3").length === 2);
  } finally {
    await close();
  }
});

test("hostile titles and names are shown as text", { skip: long }, async () => {
  const { page, errors, close } = await open();
  try {
    const hostile = '<img src=x onerror="window.harmed=true">\u202e\u0007</title><script>window.harmed=true</script>';
    await page.evaluate((text) => {
      const { store } = window.lasthop.app;
      const project = store.project.value;
      const title = `title=${JSON.stringify(text).replaceAll("\u0007", "\\u0007")}`;
      store.open({ ...project, name: text, changes: [title], variants: [{ name: text, changes: [] }] });
    }, hostile);
    await page.waitForFunction(() => window.lasthop.app.results.value.length === 1);
    await page.waitForTimeout(500);
    assert.equal(await page.evaluate(() => window.harmed), undefined);
    assert.equal(await page.locator("main img[src=x], main script").count(), 0);
    assert.deepEqual(errors, []);
  } finally {
    await close();
  }
});

test("a wrong scenario shows its problem, and the page goes on", { skip }, async () => {
  const { page, errors, close } = await open();
  try {
    await page.evaluate(() => window.lasthop.app.store.set("links.air.rate", '"fast"'));
    await page.locator(".problem").first().waitFor();
    await eventually(async () => assert.match(await page.locator(".problem").first().textContent(), /links\.air\.rate.*"fast".*expected a rate/s));
    await page.evaluate(() => window.lasthop.app.store.undo());
    await page.waitForFunction(() => document.querySelectorAll(".problem").length === 0);
    assert.deepEqual(errors, []);
  } finally {
    await close();
  }
});

test("after one visit the page works without its host", { skip: long }, async () => {
  const { page, context, address, close } = await open();
  try {
    const lacks = () => page.evaluate(async () => {
      const kept = (await (await caches.open("lasthop")).keys()).map(({ url }) => url);
      const loaded = performance.getEntriesByType("resource").map(({ name }) => name.split("?")[0]);
      const wanted = [location.href.split(/[?#]/)[0], ...loaded.filter((url) => url.includes("/assets/"))];
      return wanted.filter((url) => !kept.includes(url));
    });
    await eventually(async () => assert.deepEqual(await lacks(), []));
    await context.setOffline(true);
    await page.goto(address);
    await page.waitForFunction(() => performance.getEntriesByName("lasthop-drawn").length > 0);
  } finally {
    await close();
  }
});
