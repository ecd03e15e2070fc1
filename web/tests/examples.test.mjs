// The chooser of examples, and files that a visitor opens or drops.

import assert from "node:assert/strict";
import { mkdtemp, open as openFile, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { eventually, long, open, skip } from "./page.mjs";
import { source } from "./source.mjs";

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const EXAMPLES = fileURLToPath(new URL("../../examples/", import.meta.url));

const state = (page) =>
  page.evaluate(() => {
    const { name, text, files, changes, variants } = window.lasthop.app.store.project.value;
    return { name, text, files: Object.keys(files), changes, variants };
  });

const named = (page, name) => page.waitForFunction((name) => window.lasthop.app.store.project.value.name === name, name);

/** All variants have run. */
const ran = (page) =>
  page.waitForFunction(() => {
    const { app } = window.lasthop;
    const { variants } = app.store.project.value;
    const results = app.results.value;
    return results.length === variants.length && results.every(({ figure, variant, progress }, number) => figure && variant === variants[number] && progress === undefined);
  });

const chooser = async (page) => {
  await page.getByRole("button", { name: "Examples", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Examples" });
  await dialog.locator("li").first().waitFor();
  return dialog;
};

test("the chooser finds an example, draws it, and opens what it compares", { skip }, async () => {
  const { page, errors, strangers, close } = await open();
  try {
    const dialog = await chooser(page);
    await eventually(async () => assert.ok((await dialog.locator("li").count()) >= 40));
    await page.getByRole("searchbox", { name: "Find an example" }).fill("hidden-terminals");
    const cards = dialog.locator("li:visible");
    assert.equal(await cards.count(), 1);
    await cards.locator("svg .air").first().waitFor({ state: "attached" });
    await eventually(async () => assert.deepEqual((await cards.locator("svg text").allTextContents()).toSorted(), ["ap", "east", "server", "west"]));
    await page.getByRole("searchbox", { name: "Find an example" }).fill("packet-control.toml");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await named(page, "packet-control.toml");
    assert.ok(!(await dialog.isVisible()));
    await ran(page);
    await eventually(async () => assert.ok((await state(page)).variants.length > 1));
    assert.equal(new URL(page.url()).hash, "#example=packet-control.toml");
    await page.getByRole("button", { name: "Undo" }).click();
    await named(page, "goel-refined.toml");
    assert.deepEqual([errors, strangers], [[], []]);
  } finally {
    await close();
  }
});

test("a scenario is opened with its recording, and a datafile of the thesis runs", { skip: long }, async () => {
  const { page, errors, close } = await open();
  try {
    await chooser(page);
    await page.locator("dialog input[type=file]").setInputFiles(["walk.toml", "walk.csv"].map((name) => join(EXAMPLES, name)));
    await named(page, "walk.toml");
    await eventually(async () => assert.deepEqual((await state(page)).files, ["walk.csv"]));
    await ran(page);
    await chooser(page);
    await page.locator("dialog input[type=file]").setInputFiles(join(EXAMPLES, "goel1997/datafile.dat"));
    await named(page, "datafile.dat");
    await ran(page);
    await page.locator(".important .control").first().waitFor();
    assert.deepEqual(errors, []);
  } finally {
    await close();
  }
});

test("files that are dropped are opened: a scenario, then the recording that it lacks", { skip: long }, async () => {
  const { page, errors, close } = await open();
  try {
    const drop = async (name) => {
      const text = await readFile(join(EXAMPLES, name), "utf8");
      await page.evaluate(([name, text]) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([text], name));
        document.dispatchEvent(new DragEvent("dragenter", { dataTransfer, bubbles: true }));
        if (!document.body.classList.contains("dropping")) throw new Error("nothing shows that the page takes files");
        document.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
      }, [name, text]);
    };
    await drop("walk.toml");
    await named(page, "walk.toml");
    await page.waitForFunction(() => window.lasthop.app.results.value.some(({ problems }) => /walk\.csv/.test(problems[0]?.text)));
    await drop("walk.csv");
    await page.locator(".notice").waitFor();
    await eventually(async () => assert.match(await page.locator(".notice").textContent(), /walk\.csv: now beside walk\.toml/));
    await ran(page);
    await eventually(async () => assert.equal(await page.evaluate(() => document.body.classList.contains("dropping")), false));
    assert.deepEqual(errors, []);
  } finally {
    await close();
  }
});

test("binary, large, many and hostile files give one message each, and the page goes on", { skip, timeout: 120_000 }, async () => {
  const { page, errors, close } = await open();
  const folder = await mkdtemp(join(tmpdir(), "lasthop-"));
  try {
    const large = join(folder, "large.toml");
    const handle = await openFile(large, "w");
    await handle.truncate(100_000_000);
    await handle.close();
    const before = await state(page);
    const dialog = await chooser(page);
    const input = page.locator("dialog input[type=file]");
    const bytes = (name, buffer) => ({ name, mimeType: "application/octet-stream", buffer });
    for (const [files, message] of [
      [large, /^large\.toml has 100 MB; the page takes at most 5 MB\.$/],
      [bytes("image.toml", Buffer.from([0xff, 0xd8, 0, 1])), /^image\.toml is not text/],
      [bytes("zero.dat", Buffer.alloc(100)), /^zero\.dat is not text/],
      [[bytes("a.toml", Buffer.from("")), bytes("b.toml", Buffer.from(""))], /several scenarios/],
      [Array.from({ length: 21 }, (_, number) => bytes(`${number}.csv`, Buffer.from(""))), /at most 20 at once/],
    ]) {
      await input.setInputFiles(files);
      await dialog.locator(".fault").filter({ hasText: message }).waitFor();
      assert.deepEqual(await state(page), before);
    }
    const hostile = '<img src=x onerror="window.harmed=true">.toml';
    await input.setInputFiles(bytes(hostile, Buffer.from('title = "<script>window.harmed=true</script>"\nduration = 7\n')));
    await named(page, hostile);
    await page.locator(".problem:not(:empty)").first().waitFor();
    assert.equal(await page.evaluate(() => window.harmed), undefined);
    assert.deepEqual(errors, []);
  } finally {
    await close();
    await rm(folder, { recursive: true });
  }
});

for (const [width, dark] of [[360, true], [1280, false]]) {
  test(`chooser at ${width} px: no findings of axe, nothing sideways`, { skip: long }, async () => {
    const { page, close } = await open({ width, dark });
    try {
      const dialog = await chooser(page);
      await dialog.locator("svg").first().waitFor();
      await page.evaluate(axe);
      const violations = await page.evaluate(async () => (await globalThis.axe.run("dialog")).violations);
      assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 160)}`), []);
      assert.ok((await dialog.evaluate((element) => element.scrollWidth - element.clientWidth)) <= 0);
      await page.keyboard.press("Escape");
      assert.ok(!(await dialog.isVisible()));
    } finally {
      await close();
    }
  });
}

test("a file that the host does not give is said, and is fetched again when it is asked for again", { skip: long }, async () => {
  // Routes of a page do not see what a service worker fetches.
  const { page, close } = await open({ serviceWorkers: "block" });
  try {
    await page.route("**/examples/walk.csv", (route) => route.fulfill({ status: 404 }));
    const dialog = await chooser(page);
    const card = dialog.locator("li").filter({ hasText: "walk.toml" }).getByRole("button");
    await card.click();
    await dialog.locator(".fault").filter({ hasText: "no file examples/walk.csv (status 404)" }).waitFor();
    await eventually(async () => assert.equal((await state(page)).name, "goel-refined.toml"));
    await page.unroute("**/examples/walk.csv");
    await card.click();
    await named(page, "walk.toml");
    await ran(page);
  } finally {
    await close();
  }
});

test("nodes stand in columns by their distance from the first flow's sender", async () => {
  const { columnsOf, topologyOf } = await source("examples-picture.ts");
  const set = (path, current) => ({ path, current, default: null });
  const topology = topologyOf([
    set("nodes.a.kind", "host"),
    set("nodes.a.count", "3"),
    set("nodes.b.kind", "router"),
    set('nodes."c d".kind', "host"),
    set("nodes.alone.kind", "host"),
    set("links.x.kind", "wireless"),
    set("links.x.between[0]", "b"),
    set("links.x.between[1]", "a"),
    set("links.y.kind", "wired"),
    set("links.y.between[0]", "b"),
    set("links.y.between[1]", "c d"),
    set("flows.f.from", "c d"),
  ]);
  assert.deepEqual(columnsOf(topology), [["c d"], ["b"], ["a"], ["alone"]]);
  assert.deepEqual(topology.links.map(({ isWireless }) => isWireless), [true, false]);
  assert.equal(topology.nodes[0].count, 3);
});

test("every example opens and runs", { skip: long, timeout: 1_800_000 }, async () => {
  const { page, errors, close } = await open();
  try {
    page.setDefaultTimeout(300_000);
    const names = await page.evaluate(async () => (await (await fetch("examples/index.json")).json()).map(({ name }) => name));
    for (const name of names) {
      await page.evaluate((name) => (location.hash = `#example=${name}`), name);
      await named(page, name);
      const started = performance.now();
      await ran(page);
      console.log(`${name}: ${Math.round(performance.now() - started)} ms`);
    }
    assert.deepEqual(errors, []);
  } finally {
    await close();
  }
});
