import { defineConfig } from "vite";

// The folder works from any path of a static host, so all addresses are relative.
export default defineConfig({
  base: "./",
  worker: { format: "es" },
  build: { outDir: "dist", emptyOutDir: true, target: "es2022", assetsInlineLimit: 0, modulePreload: { polyfill: false } },
});
