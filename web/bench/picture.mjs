// The picture of the page in the documentation: npm run build, then node bench/picture.mjs

import { fileURLToPath } from "node:url";
import { open } from "../tests/page.mjs";

const FILE = fileURLToPath(new URL("../../docs/pictures/web.png", import.meta.url));

const { page, close } = await open({ width: 1280, path: "#example=snoop.toml" });
try {
  await page.locator("#tab-animation").click();
  await page.waitForTimeout(1_500);
  await page.locator(".animation .play").click();
  await page.evaluate(() => {
    window.lasthop.app.range.value = { from: 2, to: 6 };
  });
  await page.waitForTimeout(500);
  await page.evaluate(() => {
    window.lasthop.app.cursor.value = 3.25;
  });
  await page.waitForTimeout(1_500);
  for (let count = 0; count < 3; count++) {
    await page.getByRole("button", { name: "Step", exact: true }).click();
    await page.waitForTimeout(300);
  }
  await page.screenshot({ path: FILE });
} finally {
  await close();
}
