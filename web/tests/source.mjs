// Modules of the page that need no document, for tests in Node.

import { fileURLToPath } from "node:url";
import { build } from "vite";

/** Imports a module of `src`. */
export async function source(name) {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const [{ output }] = await build({
    root,
    configFile: false,
    publicDir: false,
    logLevel: "error",
    build: { write: false, minify: false, target: "es2022", lib: { entry: `src/${name}`, formats: ["es"] } },
  });
  return import(`data:text/javascript;base64,${Buffer.from(output[0].code).toString("base64")}`);
}
