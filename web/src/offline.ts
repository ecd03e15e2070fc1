/** Keeps the page for visits without a network. */

/** Registers the service worker, and hands over what this visit has loaded: the worker was not there to see it. */
export function keepForOffline(): void {
  if (!("serviceWorker" in navigator)) return;
  const loaded = performance.getEntriesByType("resource").map((entry) => entry.name);
  navigator.serviceWorker.register("service-worker.js").then(
    async () => {
      const registration = await navigator.serviceWorker.ready;
      registration.active?.postMessage([location.href.split(/[?#]/)[0], ...loaded]);
    },
    // A browser may forbid this, for example in a private window. Then the page needs its host.
    () => undefined,
  );
}
