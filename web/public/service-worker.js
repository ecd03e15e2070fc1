// Answers from the network, and from what it has kept if there is none. Files below assets/ have a hash of their content in
// their names and never change.

const KEPT = "lasthop";
const HERE = new URL("./", self.location.href).href;

const keeps = (address) => address.startsWith(HERE) && !address.startsWith(`${HERE}open/`);

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

/** Fetches what the page has loaded and all examples, and forgets assets of earlier versions. */
async function keep(addresses) {
  const cache = await caches.open(KEPT);
  const index = await fetch("examples/index.json").then((response) => (response.ok ? response.json() : []), () => []);
  const examples = index.flatMap(({ name, files }) => [name, ...files]).map((name) => `${HERE}examples/${name}`);
  const wanted = [...new Set([...addresses, `${HERE}examples/index.json`, ...examples])].filter(keeps);
  const absent = [];
  for (const address of wanted) if (!(await cache.match(address))) absent.push(address);
  await Promise.all(absent.map((address) => cache.add(address).catch(() => undefined)));
  for (const request of await cache.keys()) {
    if (request.url.startsWith(`${HERE}assets/`) && !wanted.includes(request.url)) await cache.delete(request);
  }
}

self.addEventListener("message", (event) => event.waitUntil(keep(event.data)));

async function answer(request) {
  const cache = await caches.open(KEPT);
  const options = { ignoreSearch: true };
  if (request.url.startsWith(`${HERE}assets/`)) {
    const kept = await cache.match(request, options);
    if (kept) return kept;
  }
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put(request, response.clone());
    return response;
  } catch (error) {
    const kept = await cache.match(request, options);
    if (kept) return kept;
    throw error;
  }
}

self.addEventListener("fetch", (event) => {
  if (event.request.method === "GET" && keeps(event.request.url)) event.respondWith(answer(event.request));
});
