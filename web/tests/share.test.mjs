// "Take away" in a real browser: the link and its way back, frames, files.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { deflateSync } from "node:zlib";
import { eventually, long, open, skip } from "./page.mjs";

const folder = process.env.PAGE_FOLDER;

/** A page with the tab open. */
async function taking(options = {}) {
  const opened = await open({ folder, ...options });
  await opened.page.locator("#tab-share").click();
  return opened;
}

/** The link, once it is that of the current state. */
async function linkOf(page, differs = "") {
  await page.waitForFunction((before) => ![before, ""].includes(document.querySelector("#share-link").value), differs);
  await page.waitForTimeout(300);
  return page.locator("#share-link").inputValue();
}

const state = (page) =>
  page.evaluate(() => {
    const { store, range, flow } = window.lasthop.app;
    const { files, ...project } = store.project.value;
    const sizes = Object.entries(files).map(([name, bytes]) => [name, bytes.length]);
    return { ...project, sizes, range: range.value, flow: flow.value };
  });

const settled = (page) =>
  page.waitForFunction(() => {
    if (!window.lasthop) return false;
    const { results, store } = window.lasthop.app;
    return results.value.length === store.project.value.variants.length && results.value.every((result) => result.figure && result.progress === undefined);
  });

test("link opens the same project and view on another visit", { skip }, async () => {
  const { page, context, errors, strangers, close } = await taking();
  try {
    const empty = await linkOf(page);
    await page.evaluate(() => {
      const { app } = window.lasthop;
      const project = app.store.project.value;
      const variants = [...project.variants, { name: "slow <i>", changes: ['links.air.rate="1 Mbps"'] }];
      app.store.step({ ...project, name: "mine.toml", text: `# é\n${project.text}`, files: { "own.csv": new Uint8Array([0, 255, 10]) }, variants });
      app.store.set("seed", "7");
      app.range.value = { from: 1.25, to: 2.5 };
    });
    const link = await linkOf(page, empty);
    const before = await state(page);
    const other = await context.newPage();
    await other.goto(link);
    await settled(other);
    await eventually(async () => assert.deepEqual(await state(other), before));
    await eventually(async () => assert.equal(await other.locator(".heading h3").nth(2).textContent(), "slow <i>"));
    await eventually(async () => assert.match(await other.locator(".where").textContent(), /^1\.25 s to 2\.5 s$/));
    // The link of a link is the same link.
    await other.locator("#tab-share").click();
    assert.equal(await linkOf(other), link);
    assert.deepEqual(errors, []);
    assert.deepEqual(strangers, []);
  } finally {
    await close();
  }
});

test("address that changes while the page is open is opened, and can be undone", { skip: long }, async () => {
  const { page, errors, close } = await taking();
  try {
    const link = await linkOf(page);
    const first = await state(page);
    await page.evaluate(() => window.lasthop.app.store.set("seed", "9"));
    await page.evaluate((hash) => (location.hash = hash), new URL(link).hash);
    await page.waitForFunction(() => window.lasthop.app.store.project.value.changes.length === 0);
    assert.deepEqual(await state(page), first);
    await page.getByRole("button", { name: "Undo" }).click();
    await eventually(async () => assert.deepEqual((await state(page)).changes, ["seed=9"]));
    await page.evaluate(() => (location.hash = "#example=walk.toml"));
    await page.waitForFunction(() => window.lasthop.app.store.project.value.name === "walk.toml");
    await settled(page);
    const { sizes } = await state(page);
    assert.deepEqual(sizes.map(([name]) => name), ["walk.csv"]);
    // The recording of an example is named, not embedded.
    const longer = await linkOf(page, link);
    assert.ok(longer.length < 6000, `${longer.length} characters`);
    assert.deepEqual(errors, []);
  } finally {
    await close();
  }
});

test("scenario of the command line is opened with its files, changes and scheme", { skip: long }, async () => {
  const { page, errors, close } = await open({ folder });
  try {
    const walk = await readFile(new URL("../../examples/walk.toml", import.meta.url), "utf8");
    const recording = await readFile(new URL("../../examples/walk.csv", import.meta.url));
    const files = { "walk.csv": recording.toString("base64") };
    const served = { name: "walk.toml", text: walk, files, changes: ["seed=5"], scheme: "unmodified" };
    await page.route("**/open/scenario.json", (route) => route.fulfill({ json: served }));
    await page.evaluate(() => (location.hash = "#open"));
    await page.waitForFunction(() => window.lasthop.app.store.project.value.name === "walk.toml");
    await settled(page);
    const { sizes, changes, variants } = await state(page);
    assert.deepEqual([sizes, changes], [[["walk.csv", recording.length]], ["seed=5"]]);
    assert.deepEqual(variants, [{ name: "unmodified", changes: [], scheme: "unmodified" }]);
    assert.deepEqual(errors, []);
  } finally {
    await close();
  }
});

test("wrong addresses leave the page as it is and say one sentence", { skip }, async () => {
  const { page, errors, close } = await taking();
  try {
    const link = new URL(await linkOf(page)).hash;
    const before = await state(page);
    const bomb = `#1=${deflateSync(`"${" ".repeat(12_000_000)}"`).toString("base64url")}`;
    const wrong = {
      [link.slice(0, -3)]: /incomplete or damaged/,
      "#1=": /incomplete or damaged/,
      [bomb]: /more than this page opens/,
      "#7=abc": /another version/,
      "#example=../../etc/passwd": /does not have/,
      "#example=%E0%A4%A": /could not be opened/,
    };
    for (const [hash, message] of Object.entries(wrong)) {
      await page.evaluate((hash) => (location.hash = hash), hash);
      await page.locator(".notice").filter({ hasText: message }).waitFor();
      await eventually(async () => assert.equal(await page.locator(".notice").count(), 1, hash));
      await page.locator(".notice button").click();
    }
    assert.deepEqual(await state(page), before);
    assert.deepEqual(errors, []);
  } finally {
    await close();
  }
});

test("hostile names in a link are shown as text", { skip: long }, async () => {
  const { page, context, errors, close } = await taking();
  try {
    const evil = '"><img src=x onerror=alert(1)>\u202e\u0007';
    await page.evaluate((evil) => {
      const { store } = window.lasthop.app;
      const project = store.project.value;
      const files = Object.fromEntries([[evil, new Uint8Array(3)], ["__proto__", new Uint8Array(1)]]);
      store.step({ ...project, name: evil, files, changes: [`title="${evil.slice(2, 8)}"`], variants: [{ name: evil, changes: [] }] });
    }, evil);
    await page.waitForTimeout(500);
    const link = await linkOf(page);
    const other = await context.newPage();
    let dialogs = 0;
    other.on("dialog", (dialog) => (dialogs++, dialog.dismiss()));
    other.on("pageerror", (error) => errors.push(String(error)));
    await other.goto(link);
    await other.locator("#tab-share").click();
    await linkOf(other);
    assert.equal(await other.locator("img").count(), 0);
    await eventually(async () => assert.equal(await other.locator(".heading h3").first().textContent(), evil));
    await eventually(async () => assert.doesNotMatch(await other.locator(".share pre").first().textContent(), /[\u0000-\u001f\u202e]/));
    const frame = await other.locator("#share-frame").inputValue();
    assert.match(frame, /^<iframe src="[^"<]*" title="[^"<]*" width="1280" height="760" loading="lazy"><\/iframe>$/);
    assert.deepEqual([dialogs, errors], [0, []]);
  } finally {
    await close();
  }
});

test("recording that is too large for a link is said, and no link is offered", { skip: long }, async () => {
  const { page, close } = await taking();
  try {
    await page.evaluate(() => {
      const { store } = window.lasthop.app;
      store.step({ ...store.project.value, files: { "big.csv": crypto.getRandomValues(new Uint8Array(60_000)) } });
    });
    await page.locator(".share .problem").filter({ hasText: "recording big.csv is too large for a link" }).waitFor();
    await eventually(async () => assert.equal(await page.locator("#share-link").inputValue(), ""));
    await eventually(async () => assert.ok(await page.getByRole("button", { name: "Copy the link" }).isDisabled()));
  } finally {
    await close();
  }
});

test("link and command are copied", { skip: long }, async () => {
  const { page, context, address, close } = await taking();
  try {
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: new URL(address).origin });
    const link = await linkOf(page);
    await page.getByRole("button", { name: "Copy the link" }).click();
    await page.locator(".said").filter({ hasText: "The link is copied." }).waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), link);
    await page.getByRole("button", { name: "Copy the command of unmodified" }).click();
    await page.locator(".said").filter({ hasText: "The command of unmodified is copied." }).waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal(copied, "lasthop run examples/goel-refined.toml --scheme unmodified");
    await page.evaluate(() => window.lasthop.app.store.set("links.air.rate", '"1 Mbps"'));
    const command = page.locator(".share pre").nth(1);
    await command.filter({ hasText: "--set" }).waitFor();
    await eventually(async () => assert.equal(await command.textContent(), `lasthop run examples/goel-refined.toml --set 'links.air.rate="1 Mbps"'`));
  } finally {
    await close();
  }
});

const program = fileURLToPath(new URL("../../target/checks/lasthop", import.meta.url));
const noProgram = existsSync(program) ? false : "skipped: cargo build --profile checks -p lasthop makes the command";

test("command gives the summary that the page shows", { skip: skip || noProgram }, async () => {
  const { page, close } = await taking();
  const place = await mkdtemp(join(tmpdir(), "lasthop-"));
  try {
    await symlink(fileURLToPath(new URL("../../examples", import.meta.url)), join(place, "examples"));
    await page.evaluate(() => {
      const { store } = window.lasthop.app;
      store.set("title", JSON.stringify(`it's "so" $HOME \`id\` \u0007!`));
      store.set("flows.download.bytes", '"1 MB"');
    });
    await page.waitForFunction(() => window.lasthop.app.results.value.every(({ figure }) => figure.summary.title.startsWith("it's") && figure.summary.simulated_s < 50));
    await page.locator(".share pre").first().filter({ hasText: "1 MB" }).waitFor();
    const shown = await page.evaluate(() => window.lasthop.app.results.value.map(({ figure }) => figure.summary));
    for (const [number, line] of (await page.locator(".share pre").allTextContents()).entries()) {
      const [, words] = /^lasthop (.*)$/.exec(line);
      const run = `"$PROGRAM" ${words} --json --out result-${number}`;
      const printed = execFileSync("bash", ["--norc", "-c", run], { cwd: place, encoding: "utf8", env: { LC_ALL: "C.UTF-8", PROGRAM: program } });
      const { flows, ...rest } = JSON.parse(printed);
      assert.equal(rest.title, shown[number].title);
      assert.equal(rest.simulated_s, shown[number].simulated_s);
      assert.deepEqual(flows.map(({ timeouts, completion_time_s }) => [timeouts, completion_time_s]), shown[number].flows.map(({ timeouts, completion_time_s }) => [timeouts, completion_time_s]));
    }
  } finally {
    await rm(place, { recursive: true });
    await close();
  }
});

/** The content of the file that a button saves. */
async function saved(page, name) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name, exact: true }).click()]);
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

test("scenario, TOML of a variant, series and summaries are saved", { skip: long }, async () => {
  const { page, errors, close } = await taking();
  try {
    const scenario = await saved(page, "Save goel-refined.toml");
    assert.deepEqual(scenario.bytes, await readFile(new URL("../../examples/goel-refined.toml", import.meta.url)));
    const toml = await saved(page, "Save goel-refined.unmodified.toml");
    assert.match(toml.bytes.toString(), /\[scheme\]\nkind = "unmodified"/);
    await page.locator("#share-series").selectOption("windows");
    const series = await saved(page, "Save series (CSV)");
    assert.equal(series.name, "goel-refined.windows.csv");
    const lines = series.bytes.toString().trimEnd().split("\n");
    const rows = await page.evaluate(() => window.lasthop.app.results.value.map(({ figure }) => figure.flows[0].windows.values.length / 3));
    assert.equal(lines[0], "variant,flow,time_s,cwnd_bytes,ssthresh_bytes");
    assert.equal(lines.length, 1 + rows[0] + rows[1]);
    const summaries = await saved(page, "Save summaries (CSV)");
    const [head, ...flows] = summaries.bytes.toString().trimEnd().split("\n");
    assert.ok(head.startsWith("variant,") && head.includes(",flow.goodput_bps,"), head);
    assert.equal(flows.length, 2);
    assert.deepEqual(errors, []);
  } finally {
    await close();
  }
});

test("picture of the shown part is that of the command, as SVG and PNG", { skip: long || noProgram }, async () => {
  const { page, errors, close } = await taking();
  const place = await mkdtemp(join(tmpdir(), "lasthop-"));
  try {
    await page.evaluate(() => (window.lasthop.app.range.value = { from: 1.25, to: 60 }));
    await page.locator("#share-picture").selectOption({ label: "unmodified" });
    const svg = await saved(page, "Save picture (SVG)");
    assert.equal(svg.name, "goel-refined.unmodified.svg");
    const scenario = fileURLToPath(new URL("../../examples/goel-refined.toml", import.meta.url));
    const shown = ["--flow", "download", "--from", "1.25 s", "--to", "60 s"];
    execFileSync(program, ["plot", scenario, "--scheme", "unmodified", ...shown, "--out", place]);
    assert.equal(svg.bytes.toString(), await readFile(join(place, "download.1.25s-to-60s.svg"), "utf8"));
    const png = await saved(page, "Save picture (PNG)");
    assert.equal(png.name, "goel-refined.unmodified.png");
    const [, width, height] = /width="(\d+)" height="(\d+)"/.exec(svg.bytes.toString());
    assert.equal(png.bytes.toString("latin1", 1, 4), "PNG");
    assert.deepEqual([png.bytes.readUInt32BE(16), png.bytes.readUInt32BE(20)], [2 * width, 2 * height]);
    assert.ok(png.bytes.length > 50_000, `${png.bytes.length} bytes`);
    await page.evaluate(() => window.lasthop.app.store.set("links.air.rate", '"fast"'));
    await page.getByRole("button", { name: "Save picture (SVG)" }).click();
    await page.locator(".said").filter({ hasText: 'found "fast", expected a rate' }).waitFor();
    assert.deepEqual(errors, []);
  } finally {
    await rm(place, { recursive: true });
    await close();
  }
});

for (const width of [480, 1280]) {
  test(`frame for slides at ${width} px shows figures alone`, { skip }, async () => {
    const { page, close } = await taking();
    const frame = new URL((await linkOf(page)).replace("#", "?embed=1#"));
    await close();
    const embed = await open({ folder, width, path: `?embed=1${frame.hash}` });
    try {
      const { page, errors } = embed;
      await page.locator(".panel-sequence").first().waitFor();
      for (const hidden of [".top", ".bar", "#variants", "#tab-share", ".hint"]) {
        for (const element of await page.locator(hidden).all()) assert.ok(!(await element.isVisible()), hidden);
      }
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(wide <= 0, `${wide} px too wide`);
      assert.deepEqual(errors, []);
    } finally {
      await embed.close();
    }
  });
}
