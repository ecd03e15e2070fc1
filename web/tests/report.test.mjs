// A report that the command has written: its courses of runs are the figures of the page.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { CHROMIUM, eventually, long, skip } from "./page.mjs";

const program = process.env.LASTHOP ?? fileURLToPath(new URL("../../target/checks/lasthop", import.meta.url));
const noProgram = existsSync(program) ? false : "skipped: cargo xtask web, then cargo build --profile checks -p lasthop make the command";

/** A report of a small sweep: its file, and a function that removes it. */
async function report() {
  const place = await mkdtemp(join(tmpdir(), "lasthop-"));
  const scenario = fileURLToPath(new URL("../../examples/goel-refined.toml", import.meta.url));
  const small = ["--set", 'flows.download.bytes="1 MB"', "--set", 'title="</script><img src=x onerror=alert(1)>"'];
  execFileSync(program, ["compare", scenario, ...small, "--schemes", "unmodified,snoop", "--replications", "2", "--out", "s.sqlite"], { cwd: place });
  execFileSync(program, ["report", "s.sqlite", "--out", "s.html"], { cwd: place });
  return { file: join(place, "s.html"), remove: () => rm(place, { recursive: true }) };
}

for (const dark of [false, true]) {
  test(`report in a ${dark ? "dark" : "light"} browser has figures that read all panels`, { skip: (dark ? long : skip) || noProgram }, async () => {
    const { file, remove } = await report();
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
    try {
      const page = await browser.newPage({ colorScheme: dark ? "dark" : "light", viewport: { width: 1280, height: 900 } });
      const [errors, others] = [[], []];
      page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
      page.on("pageerror", (error) => errors.push(String(error)));
      page.on("request", (request) => /^(file|data|blob):/.test(request.url()) || others.push(request.url()));
      await page.goto(`file://${file}`);
      const course = page.locator("figure.course");
      await course.locator(".panel-sequence").first().waitFor();
      await eventually(async () => assert.deepEqual(await course.locator(".heading h3").allTextContents(), ["unmodified", "snoop"]));
      await eventually(async () => assert.equal(await course.locator(":scope > svg").isVisible(), false));
      const grid = course.getByRole("group", { name: "Figures on one time axis" });
      await grid.focus();
      for (let count = 0; count < 5; count++) await page.keyboard.press("ArrowRight");
      await page.keyboard.press("+");
      await page.keyboard.press("m");
      await eventually(async () => assert.match(await course.locator(".tip").first().textContent(), /Why: /));
      await page.emulateMedia({ media: "print" });
      await eventually(async () => assert.equal(await course.locator(":scope > svg").isVisible(), true));
      assert.equal(await page.locator("img").count(), 0);
      assert.deepEqual([errors, others], [[], []]);
    } finally {
      await browser.close();
      await remove();
    }
  });
}

test("report without scripts has pictures", { skip: skip || noProgram }, async () => {
  const { file, remove } = await report();
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  try {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`file://${file}`);
    await eventually(async () => assert.equal(await page.locator("figure.course > svg").isVisible(), true));
    const bytes = (await readFile(file)).length;
    assert.ok(bytes < 5_000_000, `${bytes} bytes`);
  } finally {
    await browser.close();
    await remove();
  }
});
