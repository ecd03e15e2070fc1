// The animation of packets: in step with the figures, told in words, fast, and without growth of memory.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { eventually, long, open, skip } from "./page.mjs";

/** Most CPU time of the main thread in a frame at the 95th percentile, in ms. */
const FRAME_MS = 8;

/** How long the animation plays while its frames are measured, in ms. */
const MEASURED_MS = 8_000;

/** How long the animation plays while its memory is watched, in minutes. */
const MINUTES = Number(process.env.LASTHOP_PLAY_MINUTES ?? 0.15);

/** Growth of the heap that is allowed over further windows, in bytes. */
const GROWTH = 8e6;

const example = (name) => readFile(new URL(`../../examples/${name}`, import.meta.url), "utf8");

const folder = process.env.LASTHOP_PAGE;

/** Opens a scenario with the animation's tab, paused: the visitor prefers reduced motion. */
async function animated(text, { changes = [], variants = [{ name: "as written", changes: [] }], ...options } = {}) {
  const opened = await open({ folder, ...options });
  const { page } = opened;
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.reload();
  await page.waitForFunction(() => performance.getEntriesByName("lasthop-drawn").length > 0);
  await page.evaluate((project) => window.lasthop.app.store.open({ name: "test.toml", files: {}, ...project }), { text, changes, variants });
  await page.waitForFunction(() => {
    const { results, store } = window.lasthop.app;
    const done = (result, number) => result.figure && result.progress === undefined && result.variant === store.project.value.variants[number];
    return results.value.length === store.project.value.variants.length && results.value.every(done);
  });
  await page.locator("#tab-animation").click();
  await page.waitForFunction(() => {
    const waits = [...document.querySelectorAll(".animation .waits")];
    return waits.length > 0 && waits.every((element) => element.textContent === "") && document.querySelector(".animation canvas").width > 300;
  });
  return opened;
}

const seek = (page, time) =>
  page.evaluate((to) => {
    const slider = document.querySelector("#animation-time");
    slider.value = String(to);
    slider.dispatchEvent(new Event("input"));
  }, time);

const cursor = (page) => page.evaluate(() => window.lasthop.app.cursor.value);
const said = (page) => page.locator(".animation .event").textContent();
const step = (page, name = "Step") => page.getByRole("button", { name, exact: true }).click();

/** Sets the logarithmic slider of the speed. */
const speed = (page, power) =>
  page.evaluate((to) => {
    const slider = document.querySelector("#animation-speed");
    slider.value = String(to);
    slider.dispatchEvent(new Event("input"));
  }, power);

/** Whether anything but the background was painted, by pixels of a canvas. */
const inked = (page, selector) =>
  page.locator(selector).evaluate((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let at = 3; at < data.length; at += 4) count += data[at] > 0 ? 1 : 0;
    return count;
  });

test("steps go from event to event and back, and say what happens", { skip }, async () => {
  const { page, errors, close } = await animated(await example("timeout.toml"));
  try {
    await eventually(async () => assert.equal(await page.locator(".animation .play").textContent(), "Play", "reduced motion: starts paused"));
    const [times, texts] = [[], []];
    for (let count = 0; count < 12; count++) {
      await step(page);
      times.push(await cursor(page));
      texts.push(await said(page));
    }
    for (const [number, time] of times.slice(1).entries()) assert.ok(time > times[number], `${time} after ${times[number]}`);
    assert.ok(texts.some((text) => /data 0 of flow \w+ arrives at \w+/.test(text)), texts.join("\n"));
    for (const [number, text] of texts.entries()) assert.ok(text.startsWith(`${Number(times[number].toFixed(6))} s: `), text);
    for (const time of times.slice(0, -1).reverse()) {
      await step(page, "Step back");
      assert.equal(await cursor(page), time);
    }
    assert.deepEqual(errors, []);
  } finally {
    await close();
  }
});

test("animation follows the figures' cursor while it is paused", { skip }, async () => {
  const { page, close } = await animated(await example("timeout.toml"));
  try {
    await page.evaluate(() => (window.lasthop.app.cursor.value = 1.25));
    await eventually(async () => assert.equal(await page.locator("#animation-time").inputValue(), "1.25"));
    await page.locator(".figures").focus();
    await page.keyboard.press("m");
    const mark = await cursor(page);
    assert.notEqual(mark, 1.25);
    await eventually(async () => assert.equal(await page.locator("#animation-time").inputValue(), String(mark)));
  } finally {
    await close();
  }
});

test("animation plays at the chosen speed, and pauses", { skip: long }, async () => {
  const { page, close } = await animated(await example("timeout.toml"));
  try {
    await speed(page, 0);
    await seek(page, 0);
    const play = page.locator(".animation .play");
    await play.click();
    const clocks = () => page.evaluate(() => [performance.now() / 1e3, window.lasthop.app.cursor.value]);
    const begin = await clocks();
    await page.waitForTimeout(1_500);
    const end = await clocks();
    await play.click();
    // A frame that comes late moves the animation by less than the time that has passed.
    const [passed, played] = [end[0] - begin[0], end[1] - begin[1]];
    assert.ok(played > 0.5 * passed && played < 1.1 * passed, `${played} s in ${passed} s`);
    const time = await cursor(page);
    await page.waitForTimeout(300);
    assert.equal(await cursor(page), time);
    await eventually(async () => assert.match(await page.locator('output[for="animation-speed"]').textContent(), /^1 ×$/));
    await speed(page, -3);
    await eventually(async () => assert.match(await page.locator('output[for="animation-speed"]').textContent(), /^1\/1000 ×$/));
  } finally {
    await close();
  }
});

test("variants are one above the other, or the chosen one alone", { skip: long }, async () => {
  const variants = [
    { name: "unmodified", changes: [], scheme: "unmodified" },
    { name: "refined", changes: [] },
  ];
  const { page, close } = await animated(await example("goel-refined.toml"), { variants });
  try {
    await eventually(async () => assert.deepEqual(await page.locator(".stage-of h3").allTextContents(), ["unmodified", "refined"]));
    await page.locator("#animated").selectOption("1");
    await eventually(async () => assert.deepEqual(await page.locator(".stage-of h3").allTextContents(), ["refined"]));
  } finally {
    await close();
  }
});

test("map is shown of nodes with positions alone, and they move with the time", { skip: long }, async () => {
  const { page, errors, close } = await animated(await example("handover.toml"));
  try {
    await page.locator(".map canvas").waitFor();
    const picture = () => page.locator(".map canvas").evaluate((canvas) => canvas.toDataURL());
    await seek(page, 2);
    await page.waitForTimeout(300);
    const before = await picture();
    await seek(page, 12);
    await eventually(async () => assert.notEqual(await picture(), before));
    assert.deepEqual(errors, []);
  } finally {
    await close();
  }
  const other = await animated(await example("timeout.toml"));
  try {
    await eventually(async () => assert.equal(await other.page.locator(".map").isVisible(), false));
  } finally {
    await other.close();
  }
});

test("hostile names of variants are text", { skip: long }, async () => {
  const name = "<img src=x onerror=alert(1)>";
  const { page, errors, close } = await animated(await example("hidden-terminals.toml"), { variants: [{ name, changes: [] }] });
  try {
    await seek(page, 3);
    for (let count = 0; count < 4; count++) await step(page);
    await eventually(async () => assert.equal(await page.locator(".stage-of h3").textContent(), name));
    assert.equal(await page.locator(".animation img").count(), 0);
    assert.deepEqual(errors, []);
    assert.ok((await inked(page, ".animation .stage-of canvas")) > 1_000);
  } finally {
    await close();
  }
});

/**
 * CPU time in ms of the main thread for each frame while `act` runs: the sum of all its tasks from one frame to the next,
 * by Chromium's own tracing.
 */
async function work(page, context, act) {
  const session = await context.newCDPSession(page);
  const events = [];
  session.on("Tracing.dataCollected", ({ value }) => events.push(...value));
  await session.send("Tracing.start", { categories: "devtools.timeline,disabled-by-default-devtools.timeline", transferMode: "ReportEvents" });
  await act();
  const complete = new Promise((resolve) => session.once("Tracing.tracingComplete", resolve));
  await session.send("Tracing.end");
  await complete;
  const frames = events.filter(({ name, dur }) => name === "FireAnimationFrame" && dur !== undefined);
  const thread = ({ pid, tid }) => `${pid}/${tid}`;
  const counts = new Map();
  for (const event of frames) counts.set(thread(event), [...(counts.get(thread(event)) ?? []), event]);
  const main = [...counts].sort(([, a], [, b]) => b.length - a.length)[0][0];
  const tasks = events.filter((event) => event.name === "RunTask" && event.tdur !== undefined && thread(event) === main);
  // Callbacks of one frame follow each other at once.
  const starts = counts.get(main).map(({ ts }) => ts).sort((a, b) => a - b);
  const begins = starts.filter((at, number) => number === 0 || at - starts[number - 1] > 4_000);
  const sums = begins.map(() => 0);
  let frame = 0;
  for (const { ts, dur, tdur } of tasks.sort((a, b) => a.ts - b.ts)) {
    // The task of a frame begins before its callbacks.
    while (frame + 1 < begins.length && ts + dur > begins[frame + 1]) frame++;
    sums[frame] += tdur / 1e3;
  }
  return sums.sort((a, b) => a - b);
}

test(`frames with 12 stations take less than ${FRAME_MS} ms of CPU time at the 95th percentile`, { skip: long, timeout: 120_000 }, async (context) => {
  const text = (await example("crowd.toml")).replace("count = 10", "count = 12");
  const opened = await animated(text);
  const { page, close } = opened;
  try {
    await seek(page, 1);
    await speed(page, -2.25);
    await page.locator(".animation .play").click();
    await page.waitForTimeout(1_000);
    const frames = await work(page, opened.context, () => page.waitForTimeout(MEASURED_MS));
    const at = (share) => frames[Math.floor(share * (frames.length - 1))];
    const told = `${frames.length} frames: median ${at(0.5).toFixed(2)} ms, p95 ${at(0.95).toFixed(2)} ms, most ${at(1).toFixed(2)} ms`;
    context.diagnostic(told);
    assert.ok(frames.length > MEASURED_MS / 200, told);
    assert.ok(at(0.5) > 0 && at(0.95) < FRAME_MS, told);
  } finally {
    await close();
  }
});

test("memory does not grow while windows pass", { skip: long, timeout: 120_000 + MINUTES * 60_000 }, async (context) => {
  const opened = await animated(await example("crowd.toml"), { changes: ['duration="600 s"'] });
  const { page, close } = opened;
  try {
    const session = await opened.context.newCDPSession(page);
    const heap = async () => {
      await session.send("HeapProfiler.collectGarbage");
      const { usedSize } = await session.send("Runtime.getHeapUsage");
      const { metrics } = await session.send("Performance.getMetrics").catch(() => ({ metrics: [] }));
      return { usedSize, nodes: metrics.find(({ name }) => name === "Nodes")?.value };
    };
    await session.send("Performance.enable");
    await speed(page, 0.25);
    await page.locator(".animation .play").click();
    await page.waitForTimeout(10_000);
    const [before, began] = [await heap(), await cursor(page)];
    await page.waitForTimeout(MINUTES * 60_000);
    const [after, ended] = [await heap(), await cursor(page)];
    const told = `${(ended - began).toFixed(1)} s of the run: ${(before.usedSize / 1e6).toFixed(1)} to ${(after.usedSize / 1e6).toFixed(1)} MB, ${before.nodes} to ${after.nodes} elements`;
    context.diagnostic(told);
    assert.ok(ended > began + 5, told);
    assert.ok(after.usedSize - before.usedSize < GROWTH, told);
    assert.ok(after.nodes <= before.nodes + 50, told);
  } finally {
    await close();
  }
});
