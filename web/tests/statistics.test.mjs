// Replications in the page: the numbers are those of `lasthop sweep`.

import assert from "node:assert/strict";
import { test } from "node:test";
import { COMMAND, same, sweep } from "./command.mjs";
import { FULL, eventually, open, skip as withoutBrowser } from "./page.mjs";

const folder = process.env.PAGE;
const skip = withoutBrowser || (COMMAND ? false : "skipped: the command is not built");
const long = FULL ? skip : "runs with --full";

/** Opens the page with its statistics. */
async function opened(options = {}) {
  const found = await open({ folder, ...options });
  await found.page.getByRole("tab", { name: "Statistics" }).click();
  await found.page.locator("#statistics-metric option").first().waitFor({ state: "attached" });
  return found;
}

const state = (page) => page.locator(".statistics .state");

async function done(page) {
  await state(page).filter({ hasText: "done" }).waitFor({ timeout: 120_000 });
}

/** The exact numbers of the table, row by row: mean, half-width, n, change, its half-width. */
function numbers(page) {
  return page.locator(".numbers tbody tr").evaluateAll((rows) =>
    rows.map((row) => Array.from(row.querySelectorAll("td"), (cell) => (cell.dataset.value === undefined ? null : Number(cell.dataset.value)))),
  );
}

/** The same numbers of the command. */
function expected(entries, metric) {
  const half = (ci) => (ci === null || ci === undefined ? null : (ci[1] - ci[0]) / 2);
  return entries
    .filter((entry) => entry.metric === metric)
    .map((entry) => {
      const against = entry.against_first;
      return [entry.mean, half(entry.ci), entry.n, against?.change_percent ?? null, half(against?.change_percent_ci)];
    });
}

const CASES = 'sweep.compare.scheme=["unmodified", "refined-icmp"]';

test("means, intervals and paired changes equal those of the command", { skip }, async () => {
  const { page, errors, close } = await opened();
  try {
    await page.locator("#replications").fill("12");
    await page.getByRole("button", { name: "Run replications" }).click();
    await done(page);
    const entries = sweep("goel-refined.toml", [CASES, "sweep.replications=12", 'sweep.metrics=["completion_time_s", "goodput_bps", "timeouts", "rtt_p95_s"]']);
    same((await numbers(page)).flat(), expected(entries, "completion_time_s").flat(), "completion_time_s");
    // Another metric of the same runs, and one for which they run again with delays measured.
    await page.locator("#statistics-metric").selectOption("goodput_bps");
    await page.locator(".numbers caption", { hasText: "goodput_bps" }).waitFor();
    same((await numbers(page)).flat(), expected(entries, "goodput_bps").flat(), "goodput_bps");
    await page.locator("#statistics-metric").selectOption("rtt_p95_s");
    await page.locator(".numbers caption", { hasText: "rtt_p95_s: means of 12" }).waitFor();
    await done(page);
    same((await numbers(page)).flat(), expected(entries, "rtt_p95_s").flat(), "rtt_p95_s");
    assert.deepEqual(errors, []);
  } finally {
    await close();
  }
});

test("a precision takes as many replications as in the command", { skip: long }, async () => {
  const { page, close } = await opened();
  try {
    await page.locator("#until").selectOption("precision");
    await page.locator("#precision").fill("2");
    await page.getByRole("button", { name: "Run replications" }).click();
    await done(page);
    const entries = sweep("goel-refined.toml", [CASES, "sweep.replications={ precision = 0.02 }"]);
    same((await numbers(page)).flat(), expected(entries, "completion_time_s").flat(), "completion_time_s");
    assert.ok(entries[0].n > 10, `${entries[0].n} replications are more than the first ten`);
  } finally {
    await close();
  }
});

test("intervals narrow while replications run, and they can be stopped", { skip: long }, async () => {
  const { page, close } = await opened();
  try {
    await page.locator("#replications").fill("5000");
    await page.getByRole("button", { name: "Run replications" }).click();
    const half = async () => (await numbers(page))[0]?.slice(1, 3) ?? [];
    const at = async (least) => {
      await page.waitForFunction((least) => Number(document.querySelectorAll(".numbers tbody td")[2]?.dataset.value) >= least, least, { timeout: 60_000 });
      return half();
    };
    const [early, late] = [await at(5), await at(60)];
    assert.ok(late[0] < early[0], `${early} then ${late}`);
    await page.locator(".statistics .go").click();
    await state(page).filter({ hasText: "Stopped after" }).waitFor();
    await page.waitForTimeout(600);
    const [, count] = await half();
    await page.waitForTimeout(600);
    assert.equal((await half())[1], count, "no more replications after the stop");
  } finally {
    await close();
  }
});

test("a change of the scenario stops replications and says so", { skip: long }, async () => {
  const { page, errors, close } = await opened();
  try {
    await page.locator("#replications").fill("5000");
    await page.getByRole("button", { name: "Run replications" }).click();
    await page.locator(".numbers tbody td").first().waitFor();
    await page.evaluate(() => window.lasthop.app.store.set("links.air.rate", '"2 Mbps"'));
    await state(page).filter({ hasText: "The scenario has changed" }).waitFor();
    // A change that cannot run.
    await page.evaluate(() => window.lasthop.app.store.set("links.air.rate", '"fast"'));
    await page.getByRole("button", { name: "Run replications" }).click();
    await state(page).filter({ hasText: "cannot run" }).waitFor();
    await eventually(async () => assert.match(await state(page).textContent(), /links\.air\.rate/));
    assert.deepEqual(errors, []);
  } finally {
    await close();
  }
});

test("figures are drawn while replications keep all workers busy", { skip }, async () => {
  const { page, close } = await opened();
  try {
    await page.locator("#replications").fill("5000");
    await page.getByRole("button", { name: "Run replications" }).click();
    await page.locator(".numbers tbody td").first().waitFor();
    const ms = await page.evaluate(async () => {
      const { app } = window.lasthop;
      const before = app.results.value;
      const began = performance.now();
      // A mark of the figures, which does not stop the replications.
      const { store } = app;
      store.step({ ...store.project.value, variants: store.project.value.variants.map((variant) => ({ ...variant })) });
      while (app.results.value === before) await new Promise((resume) => setTimeout(resume, 1));
      return performance.now() - began;
    });
    assert.ok(ms < 2000, `${ms} ms`);
  } finally {
    await close();
  }
});
