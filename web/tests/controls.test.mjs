// Controls: each changes the run or shows what is wrong, in place, by pointer and by keys.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { test } from "node:test";
import { eventually, long, open, skip } from "./page.mjs";
import { source } from "./source.mjs";

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const changes = (page) => page.evaluate(() => window.lasthop.app.store.project.value.changes);

/** Opens an example as it is written, and waits for its run and controls. */
async function example(name, options = {}) {
  const opened = await open({ ...options, path: `#example=${name}` });
  const { page } = opened;
  await page.waitForFunction((name) => window.lasthop.app.store.project.value.name === name, name);
  await page.evaluate(() => {
    const { store } = window.lasthop.app;
    store.open({ ...store.project.value, changes: [], variants: [{ name: "as written", changes: [] }] });
  });
  await page.waitForFunction(() => window.lasthop.app.results.value.length === 1 && window.lasthop.app.results.value[0].figure);
  await page.locator(".important .control").first().waitFor();
  await page.waitForTimeout(400);
  return opened;
}

const control = (page, key, kind) => page.locator(`.important .control[data-key="${key}"]${kind ? `[data-kind="${kind}"]` : ""}`);

test("a slider that moves by keys keeps the focus, changes the run, and is undone as one step", { skip }, async () => {
  const { page, errors, close } = await example("goel-refined.toml");
  try {
    const rate = control(page, "links.air.rate");
    const slider = rate.getByRole("slider", { name: "rate of links.air" });
    await eventually(async () => assert.equal(await slider.getAttribute("aria-valuetext"), "1 Mbps"));
    const before = await page.evaluate(() => window.lasthop.app.results.value[0].figure.summary.flows[0].completion_time_s);
    await slider.focus();
    for (let count = 0; count < 5; count++) await page.keyboard.press("ArrowLeft", { delay: 20 });
    await eventually(async () => assert.equal(await page.evaluate(() => document.activeElement.type), "range"));
    const [change] = await changes(page);
    assert.match(change, /^links\.air\.rate=\d+ kbps$/);
    await page.waitForFunction((before) => window.lasthop.app.results.value[0].figure?.summary.flows[0].completion_time_s > before, before);
    await page.waitForTimeout(300);
    assert.equal(await page.evaluate(() => document.activeElement.type), "range");
    await eventually(async () => assert.equal(await rate.locator("input").nth(1).inputValue(), change.split("=")[1]));
    await eventually(async () => assert.ok(await rate.evaluate((element) => element.classList.contains("changed"))));
    await rate.getByRole("button", { name: "Take back rate of links.air" }).click();
    await eventually(async () => assert.deepEqual(await changes(page), []));
    await page.waitForFunction(() => document.querySelector('.important [data-key="links.air.rate"] input:not([type])').value === "1 Mbps");
    assert.deepEqual(errors, []);
  } finally {
    await close();
  }
});

test("controls of another scenario go when a text cannot be read, those of the same one wait", { skip: long }, async () => {
  const { page, close } = await example("goel-refined.toml");
  try {
    const become = (name, text) =>
      page.evaluate(([name, text]) => {
        const { store } = window.lasthop.app;
        store.step({ ...store.project.value, name: name ?? store.project.value.name, text });
      }, [name, text]);
    const text = await page.evaluate(() => window.lasthop.app.store.project.value.text);
    const shown = page.locator(".important .control");
    const count = await shown.count();
    await become(undefined, `${text}\n[`);
    await page.getByText("The text has no keys that can be read").waitFor();
    assert.equal(await shown.count(), count);
    assert.ok(await page.locator(".controls .important").evaluate(({ inert }) => inert));
    await become(undefined, text);
    await eventually(async () => assert.equal(await page.locator(".controls .important").evaluate(({ inert }) => inert), false));
    await become("broken.toml", "duration = [");
    await eventually(async () => assert.equal(await shown.count(), 0));
  } finally {
    await close();
  }
});

test("moves of one slider with a pointer are one step, those after it another", { skip: long }, async () => {
  const { page, close } = await example("goel-refined.toml");
  try {
    const slider = control(page, "links.air.delay").getByRole("slider");
    const drag = async (from, to) => {
      const { x, y, width, height } = await slider.boundingBox();
      await page.mouse.move(x + from * width, y + height / 2);
      await page.mouse.down();
      await page.mouse.move(x + to * width, y + height / 2, { steps: 8 });
      await page.mouse.up();
    };
    await drag(0.5, 0.7);
    const [first] = await changes(page);
    await drag(0.7, 0.3);
    await eventually(async () => assert.notDeepEqual(await changes(page), [first]));
    await page.getByRole("button", { name: "Undo" }).click();
    await eventually(async () => assert.deepEqual(await changes(page), [first]));
    await page.getByRole("button", { name: "Undo" }).click();
    await eventually(async () => assert.deepEqual(await changes(page), []));
  } finally {
    await close();
  }
});

test("a kind brings its settings, and leaves with them", { skip: long }, async () => {
  const { page, close } = await example("bufferbloat.toml");
  try {
    await page.locator('.group[data-group="links.line"] summary').click();
    const key = (path) => page.locator(`.group [data-key="${path}"]`);
    const menu = control(page, "links.line.queue", "menu").getByRole("combobox");
    await menu.selectOption("fq-codel");
    await key("links.line.queue.target").waitFor();
    await eventually(async () => assert.match(await control(page, "links.line.queue", "menu").locator(".choice").textContent(), /CoDel for each flow/));
    await key("links.line.queue.target").getByRole("slider").press("ArrowRight");
    await eventually(async () => assert.equal((await changes(page)).length, 2));
    await menu.selectOption("red");
    await key("links.line.queue.target").waitFor({ state: "detached" });
    await eventually(async () => assert.deepEqual(await changes(page), ['links.line.queue="red"']));
    await menu.selectOption({ label: "not set" });
    await eventually(async () => assert.deepEqual(await changes(page), []));
  } finally {
    await close();
  }
});

test("a wrong value is said at its control, and stays there until it is corrected", { skip }, async () => {
  const { page, errors, close } = await example("goel-refined.toml");
  try {
    const rate = control(page, "links.air.rate");
    const field = rate.getByRole("textbox", { name: "rate" });
    await field.fill("fast");
    await field.press("Enter");
    await rate.locator(".fault:not(:empty)").waitFor();
    await eventually(async () => assert.match(await rate.locator(".fault").textContent(), /^found "fast", expected a rate/));
    await eventually(async () => assert.equal(await field.getAttribute("aria-invalid"), "true"));
    await eventually(async () => assert.match(await page.locator('.group[data-group="links.air"] .count').textContent(), /1 changed · 1 wrong/));
    await field.fill("2.5 Mbps");
    await field.press("Enter");
    await rate.locator(".fault:empty").waitFor({ state: "attached" });
    await eventually(async () => assert.deepEqual(await changes(page), ["links.air.rate=2.5 Mbps"]));
    assert.deepEqual(errors, []);
  } finally {
    await close();
  }
});

test("a change of one variant leaves the others, and a change of all says which do not follow", { skip: long }, async () => {
  const { page, close } = await open();
  try {
    await page.locator(".important .control").first().waitFor();
    await page.getByLabel("Change", { exact: true }).selectOption("refined-icmp");
    await page.waitForTimeout(300);
    await control(page, "links.air.delay").getByRole("slider").press("ArrowRight");
    const variants = () => page.evaluate(() => window.lasthop.app.store.project.value.variants);
    await eventually(async () => assert.equal((await variants())[1].changes.length, 1));
    assert.equal((await variants())[0].changes.length, 0);
    await page.getByLabel("Change", { exact: true }).selectOption("all variants");
    await page.waitForFunction(() => /refined-icmp: own value/.test(document.querySelector('.important [data-key="links.air.delay"] .note').textContent));
    await page.getByLabel("Change", { exact: true }).selectOption("unmodified");
    await page.waitForTimeout(300);
    await control(page, "scheme").getByRole("combobox").selectOption("snoop");
    await page.waitForFunction(() => window.lasthop.app.results.value[0]?.figure?.summary.scheme === "snoop");
  } finally {
    await close();
  }
});

test("a search finds keys by name and by meaning", { skip }, async () => {
  const { page, close } = await example("goel-refined.toml");
  try {
    const search = page.getByRole("searchbox", { name: "Find a key" });
    await search.fill("mss");
    const found = page.getByRole("group", { name: "Keys found" });
    await eventually(async () => assert.equal(await found.locator('[data-key="flows.download.mss"]').count(), 1));
    await search.fill("nagle");
    await found.locator('[data-key="flows.download.tcp.nagle"] select').selectOption("on");
    await eventually(async () => assert.deepEqual(await changes(page), ['flows.download.tcp.nagle="on"']));
    await search.fill("");
    await eventually(async () => assert.ok(await page.locator(".important").isVisible()));
  } finally {
    await close();
  }
});

for (const [width, dark] of [[360, true], [1280, false]]) {
  test(`open groups at ${width} px: no findings of axe, nothing sideways`, { skip: long }, async () => {
    const { page, close } = await example("hidden-terminals.toml", { width, dark });
    try {
      for (const group of ["links.west", "media.cell", "flows.west"]) await page.locator(`.group[data-group="${group}"] summary`).click();
      await page.getByRole("button", { name: "Meaning of rts threshold of media.cell" }).first().click();
      await page.evaluate(axe);
      const violations = await page.evaluate(async () => (await globalThis.axe.run(".controls")).violations);
      assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 160)}`), []);
      const wide = await page.evaluate(() => {
        const list = document.querySelector(".controls");
        return Math.max(list.scrollWidth - list.clientWidth, document.documentElement.scrollWidth - document.documentElement.clientWidth);
      });
      assert.ok(wide <= 0, `${wide} px too wide`);
    } finally {
      await close();
    }
  });
}

test("changes of a value replace those below it, and the nearest control has a problem", async () => {
  const { assigned, problemsOf, matching, valueOf } = await source("controls-model.ts");
  const project = { changes: ["a.b.c=1", "a.bc=2", "a.b=3", 'a.b["x"]=4'], variants: [{ name: "v", changes: [], scheme: "snoop" }] };
  assert.deepEqual(assigned(project, undefined, "a.b", "5").changes, ["a.bc=2", "a.b=5"]);
  assert.deepEqual(assigned(project, undefined, "a.b", undefined).changes, ["a.bc=2"]);
  assert.deepEqual(assigned(project, 0, "scheme", '"eln"').variants[0], { name: "v", changes: ['scheme="eln"'], scheme: undefined });
  const of = (path, kind = "switch") => ({ path, title: "t", meaning: "m", widget: { kind, quoted: true } });
  const problems = problemsOf([of("a"), of("a.b"), of("a.bc")], [{ key: "a.b.c.d", hint: null, text: "x.toml:1:1: a.b.c.d: wrong" }]);
  assert.deepEqual([...problems], [["a.b switch", ["wrong"]]]);
  const below = problemsOf([of("a.b.c"), of("a.bc")], [{ key: "a.b", hint: null, text: "x.toml:1:1: a.b: incomplete" }]);
  assert.deepEqual([...below], [["a.b.c switch", ["incomplete"]]]);
  assert.equal(valueOf(of("title", "text"), 'a "b"\u007f'), '"a \\"b\\"\\u007f"');
  assert.equal(matching([of("tcp.nagle"), of("tcp.mss")], "nag tcp").length, 1);
});

/** Moves a control in its group; tries further positions until the run changes or a problem is shown. */
async function move(page, { path, kind }) {
  return page.evaluate(
    async ([path, kind]) => {
      const { app } = window.lasthop;
      const pause = (ms) => new Promise((done) => setTimeout(done, ms));
      const until = async (done, what) => {
        for (let count = 0; count < 1500; count++) {
          if (done()) return;
          await pause(20);
        }
        throw new Error(`${path}: ${what}`);
      };
      const find = () => document.querySelector(`.group .control[data-key="${CSS.escape(path)}"][data-kind="${kind}"]`);
      const digest = ({ summary, flows }) => JSON.stringify([summary, flows.map(({ sent, acks }) => [sent.values.length, acks.values.length, acks.values.at(-2)])]);
      const back = async () => {
        const before = app.results.value[0].figure?.summary;
        if (app.store.project.value.changes.length > 0) app.store.step({ ...app.store.project.value, changes: [] });
        else return;
        await until(() => app.results.value[0].figure && app.results.value[0].figure.summary !== before, "no run as written");
        await until(() => find() && !find().classList.contains("changed"), "still changed");
      };
      await back();
      await until(find, "no control");
      const base = digest(app.results.value[0].figure);
      const field = find().querySelector("select, input");
      const last = Number(field.max);
      const places =
        field.type === "range"
          ? [Number(field.value) - 3, Number(field.value) + 3, Number(field.value) - 12, 1, 0, last].filter((place) => place >= 0 && place <= last && place !== Number(field.value))
          : field.type === "checkbox"
            ? [!field.checked]
            : [...field.options].map(({ value }) => value).filter((value) => value !== "" && value !== field.value);
      if (places.length === 0) return "alone";
      for (const place of places) {
        const field = find()?.querySelector("select, input");
        if (!field) break;
        const before = app.results.value[0].figure?.summary;
        const project = app.store.project.value;
        if (field.type === "checkbox") field.checked = place;
        else field.value = String(place);
        field.dispatchEvent(new Event("input", { bubbles: true }));
        field.dispatchEvent(new Event("change", { bubbles: true }));
        if (app.store.project.value === project) continue;
        await until(() => {
          const [{ figure, problems, progress }] = app.results.value;
          return progress === undefined && (problems.length > 0 || (figure && figure.summary !== before));
        }, `no result of ${place}`);
        const [{ figure, problems }] = app.results.value;
        if (problems.length > 0) {
          await until(() => document.querySelector(".controls .fault:not(:empty)"), `no control has the problem of ${place}: ${problems[0].text}`);
          await back();
          if (place === places.at(-1)) return "refused";
        } else if (digest(figure) !== base) {
          return "changed";
        }
      }
      return "idle";
    },
    [path, kind],
  );
}

/**
 * Keys that examples set and that do not change their runs: a fast wire has no queue and loses nothing, a station that moves
 * within the range of its access point is heard as before, and only agents tell a router from a host.
 */
const IDLE = {
  "goel-refined.toml": ["links.wire.kind"],
  "hidden-terminals.toml": ["links.wire.queue", "links.wire.kind", "nodes.ap.kind", "nodes.ap.position[1]", "nodes.west.position[1]", "nodes.east.position[1]"],
  "bufferbloat.toml": ["links.wire.queue", "links.wire.kind", "links.line.kind", "nodes.modem.kind"],
};

for (const name of Object.keys(IDLE)) {
  test(`${name}: every control changes the run or says what is wrong`, { skip: long, timeout: 1_800_000 }, async () => {
    const { page, errors, close } = await example(name);
    try {
      const controls = await page.evaluate(() => {
        const { app } = window.lasthop;
        const { name, text, files } = app.store.project.value;
        for (const summary of document.querySelectorAll(".group summary")) summary.click();
        return app.engine.call("controls", [{ name, text, files, changes: [] }]);
      });
      const tried = controls.filter(({ widget }) => widget.kind !== "text");
      const count = { changed: 0, refused: 0, idle: 0, alone: 0 };
      const unexpected = [];
      for (const { path, widget, written } of tried) {
        const outcome = await move(page, { path, kind: widget.kind });
        count[outcome] += 1;
        if (outcome === "idle" && written !== null && !IDLE[name].includes(path)) unexpected.push(path);
      }
      console.log(`${name}: ${JSON.stringify(count)} of ${controls.length}`);
      assert.deepEqual(unexpected, []);
      assert.deepEqual(errors, []);
    } finally {
      await close();
    }
  });
}
