// Lessons in the page: each can be done with its controls, and wrong answers get a hint.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { FULL, eventually, long, open, skip } from "./page.mjs";

const folder = process.env.PAGE;
const LESSONS = new URL("../../examples/lessons/", import.meta.url);
const files = readdirSync(LESSONS).sort();

/** Opens the page with its lessons. */
async function opened(options = {}) {
  const found = await open({ folder, ...options });
  await found.page.getByRole("tab", { name: "Lessons" }).click();
  await found.page.locator(".lessons .list button").first().waitFor();
  return found;
}

/** The head of a lesson, as the page reads it. */
function lesson(page, file) {
  const text = readFileSync(new URL(file, LESSONS), "utf8");
  return page.evaluate((text) => window.lasthop.app.engine.call("lesson", [text]), text);
}

/** The right number of an answer, in its unit: the lesson's own text says it through the evaluator. */
function right(page, { value, unit }) {
  return page.evaluate(
    async ([value, unit]) => {
      const { app } = window.lasthop;
      const runs = app.results.value.map(({ variant, figure }) => {
        const columns = [];
        const head = JSON.stringify(figure, (_, inner) => {
          if (!(inner?.values instanceof Float64Array)) return inner;
          columns.push(inner.values);
          return { width: inner.width, column: columns.length - 1 };
        });
        return { variant: variant.name, head, columns };
      });
      const { texts } = await app.engine.call("evaluate", [runs, [`{{${value}${unit ? ` : ${unit}` : ""}}}`], undefined]);
      return parseFloat(texts[0]);
    },
    [value, unit],
  );
}

const verdict = (page) => page.locator(".lesson .verdict");

/** Waits for the texts of a step. */
async function told(page, number) {
  await page.locator(".lesson h4", { hasText: `Step ${number} of` }).waitFor();
  await page.locator(".lesson .step .see").waitFor({ timeout: 60_000 });
}

/** Does a step by its controls, first wrongly where that is possible. */
async function follow(page, { do: changes, check }) {
  const step = page.locator(".lesson .step");
  const submit = step.getByRole("button", { name: "Check" });
  const notYet = () => page.locator(".lesson .verdict.not-yet").waitFor();
  if (check.kind === "metric") {
    assert.ok(changes.length > 0);
    assert.equal(await page.locator(".lesson .verdict.right").count(), 0);
    await step.getByRole("button", { name: "Do it for me" }).click();
  } else if (check.kind === "answer") {
    const input = step.getByRole("textbox");
    const number = await right(page, check);
    await input.fill(String(number * 1.7));
    await submit.click();
    await notYet();
    await input.fill(String(number));
    await input.press("Enter");
  } else if (check.kind === "choice") {
    const choices = step.getByRole("radio");
    for (let number = 0; number < (await choices.count()); number++) {
      if ((await page.locator(".lesson .verdict.right").count()) > 0) break;
      await choices.nth(number).check();
      await submit.click();
      await page.locator(".lesson .verdict.right, .lesson .verdict.not-yet").waitFor();
      await page.waitForTimeout(150);
    }
  } else {
    const options = step.locator("select option");
    const values = await options.evaluateAll((all) => all.map(({ value }) => value));
    const kind = (value) => JSON.parse(value)[0];
    const wrong = values.find((value) => kind(value) !== check.mark);
    if (wrong) {
      await step.locator("select").selectOption(wrong);
      await submit.click();
      await notYet();
    }
    await step.locator("select").selectOption(values.find((value) => kind(value) === check.mark));
    await submit.click();
  }
  await page.locator(".lesson .verdict.right").waitFor({ timeout: 60_000 });
  const text = await verdict(page).textContent();
  assert.ok(text.startsWith("Right.") && !text.includes("?") && !text.includes("{{"), text);
}

test("there are ten lessons, each with its question", { skip }, async () => {
  const { page, errors, close } = await opened();
  try {
    await eventually(async () => assert.equal(await page.locator(".lessons .list li").count(), 10));
    await eventually(async () => assert.match(await page.locator(".lessons .meaning").first().textContent(), /^0 of 10 done/));
    assert.deepEqual(errors, []);
  } finally {
    await close();
  }
});

for (const file of files.filter((_, number) => FULL || number === 0)) {
  test(`${file} can be done by its controls`, { skip }, async () => {
    const { page, errors, close } = await opened();
    try {
      const { title, steps } = await lesson(page, file);
      await page.locator(".lessons .list").getByRole("button", { name: title, exact: true }).click();
      for (const [number, step] of steps.entries()) {
        await told(page, number + 1);
        const text = await page.locator(".lesson .step").textContent();
        assert.ok(!text.includes("{{") && !text.includes(" ? "), text);
        await follow(page, step);
        if (number + 1 < steps.length) await page.getByRole("button", { name: "Next step" }).click();
      }
      await page.getByText("This lesson is done.").waitFor();
      await page.getByRole("button", { name: "All lessons", exact: true }).click();
      await page.locator(".lessons .list li.done").getByRole("button", { name: title, exact: true }).waitFor();
      assert.deepEqual(errors, []);
    } finally {
      await close();
    }
  });
}

test("a mark that is chosen by keys in the figure does a step", { skip: long }, async () => {
  const { page, close } = await opened();
  try {
    await page.getByRole("button", { name: "A timeout", exact: true }).click();
    await told(page, 1);
    await page.locator(".figures").focus();
    for (let press = 0; press < 60 && (await page.locator(".lesson .verdict.right").count()) === 0; press++) {
      await page.keyboard.press("m");
      await page.waitForTimeout(100);
    }
    await eventually(async () => assert.match(await verdict(page).textContent(), /RFC 5681/));
  } finally {
    await close();
  }
});

test("the list of marks follows the figures, and has each kind", { skip: long }, async () => {
  const { page, close } = await opened();
  try {
    await page.getByRole("button", { name: "A timeout", exact: true }).click();
    await told(page, 1);
    const kinds = async () => new Set(await page.locator(".lesson .step option").evaluateAll((options) => options.map(({ value }) => JSON.parse(value)[0])));
    const texts = () => page.locator(".lesson .step option").allTextContents();
    await page.evaluate(() => (window.lasthop.app.range.value = undefined));
    await eventually(async () => assert.ok((await kinds()).has("timeout")));
    const whole = await texts();
    await page.evaluate(() => (window.lasthop.app.range.value = { from: 0, to: 1e-3 }));
    await eventually(async () => assert.notDeepEqual(await texts(), whole));
    assert.ok((await kinds()).has("timeout"));
    await page.evaluate(() => (window.lasthop.app.range.value = undefined));
    await eventually(async () => assert.deepEqual(await texts(), whole));
  } finally {
    await close();
  }
});

test("a lesson whose runs are gone says so, and opens them again", { skip: long }, async () => {
  const { page, errors, close } = await opened();
  try {
    await page.getByRole("button", { name: "Snoop", exact: true }).click();
    await told(page, 1);
    await page.evaluate(() => {
      const { store } = window.lasthop.app;
      store.step({ ...store.project.value, variants: [{ name: "mine", changes: [] }] });
    });
    await page.getByText("The figures show something else").waitFor();
    await page.getByRole("button", { name: "Open its example again" }).click();
    await told(page, 1);
    await eventually(async () => assert.equal(await page.getByText("The figures show something else").isVisible(), false));
    await eventually(async () => assert.equal(await page.evaluate(() => window.lasthop.app.store.project.value.variants.length), 2));
    assert.deepEqual(errors, []);
  } finally {
    await close();
  }
});

test("progress is optional: without storage lessons work", { skip }, async () => {
  const { page, errors, close } = await open({ folder });
  try {
    await page.evaluate(() => {
      Object.defineProperty(window, "localStorage", { get: () => { throw new Error("denied"); } });
    });
    await page.getByRole("tab", { name: "Lessons" }).click();
    await page.getByRole("button", { name: "Slow start", exact: true }).click();
    await told(page, 1);
    assert.deepEqual(errors, []);
  } finally {
    await close();
  }
});
