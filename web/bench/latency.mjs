// Time from an input to the painted figures, and from the start of loading to the first picture: 50 changes of goel-refined
// (10 MB over one hop, two variants). Prints figures; run it on an idle machine: node bench/latency.mjs

import { open } from "../tests/page.mjs";

const CHANGES = 50;

const quantile = (values, share) => values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(share * values.length))];

const { page, close } = await open();
const first = await page.evaluate(() => performance.getEntriesByName("lasthop-drawn")[0].startTime);
const sample = async (variants) => {
  await page.evaluate((count) => {
    const { store } = window.lasthop.app;
    store.step({ ...store.project.value, variants: store.project.value.variants.slice(-count) });
  }, variants);
  await page.waitForTimeout(1500);
  const times = [];
  for (let change = 0; change < CHANGES; change++) {
    times.push(
      await page.evaluate(
        (rate) =>
          new Promise((resolve) => {
            const { store, results } = window.lasthop.app;
            const begin = performance.now();
            let drawn = false;
            const unsubscribe = results.subscribe((all) => {
              // The first call is the state before the change.
              if (!drawn && performance.now() - begin > 1 && all.every((result) => result.progress === undefined)) {
                drawn = true;
                queueMicrotask(() => unsubscribe());
                // The frame that shows it has been painted when a task after it runs.
                requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - begin), 0));
              }
            });
            store.set("links.air.rate", `"${rate} kbps"`, "rate");
          }),
        1500 + change,
      ),
    );
    await page.waitForTimeout(120);
  }
  console.log(`${variants} variant${variants > 1 ? "s" : ""}: input to paint median ${quantile(times, 0.5).toFixed(0)} ms, p95 ${quantile(times, 0.95).toFixed(0)} ms (${CHANGES} changes)`);
};
console.log(`first picture ${first.toFixed(0)} ms after the start of loading`);
await sample(2);
await sample(1);
await close();
