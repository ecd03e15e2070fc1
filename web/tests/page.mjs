// The page in a real browser: a static server of the built folder, and Chromium.

import { createReadStream, existsSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".json": "application/json", ".svg": "image/svg+xml" };

/** The browser; without the variable, that of Debian's package. */
export const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** Whether all cases are tested: otherwise some of each kind. */
export const FULL = process.env.LASTHOP_FULL === "1";

/** The reason why tests in a browser cannot run, if there is one. */
export const skip = existsSync(CHROMIUM) ? false : "skipped: no Chromium is installed";

/** The reason why a test of the full lane does not run, if there is one. */
export const long = FULL ? skip : "runs with --full";

/** Serves a folder; resolves to the address and a function that ends the server. */
export function serve(folder = fileURLToPath(new URL("../dist", import.meta.url))) {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://localhost").pathname));
    const file = join(folder, path.endsWith("/") ? `${path}index.html` : path);
    if (!file.startsWith(folder) || !existsSync(file)) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "Content-Type": TYPES[extname(file)] ?? "text/plain" });
    createReadStream(file).pipe(response);
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = `http://127.0.0.1:${server.address().port}/`;
      resolve({ address, close: () => new Promise((done) => server.close(done)) });
    });
  });
}

/** Repeats an assertion until it holds; throws its last error after a time that is long for a busy machine, too. */
export async function eventually(assertion, { timeout = 30_000 } = {}) {
  const end = performance.now() + timeout;
  for (;;) {
    try {
      return await assertion();
    } catch (error) {
      if (performance.now() > end) throw error;
      await new Promise((done) => setTimeout(done, 50));
    }
  }
}

/**
 * Opens the page; resolves to the page, the errors of its console so far, requests to other hosts, and a function that
 * ends everything.
 */
export async function open({ width = 1280, height = 900, dark = false, path = "", touch = false, folder, serviceWorkers = "allow" } = {}) {
  const server = await serve(folder);
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: dark ? "dark" : "light",
    hasTouch: touch,
    acceptDownloads: true,
    serviceWorkers,
  });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const errors = [];
  const strangers = [];
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(server.address) && !url.startsWith("data:") && !url.startsWith("blob:")) strangers.push(url);
  });
  await page.goto(server.address + path);
  await page.waitForFunction(() => performance.getEntriesByName("lasthop-drawn").length > 0);
  const close = async () => {
    await browser.close();
    await server.close();
  };
  return { page, context, errors, strangers, close, address: server.address };
}
