import { build, defineConfig, type Plugin } from "vite";

/** Builds the script of reports beside the page: one file, which `lasthop report` embeds. */
const report: Plugin = {
  name: "report",
  apply: "build",
  async closeBundle() {
    const { outDir } = this.environment.config.build;
    await build({
      configFile: false,
      publicDir: false,
      logLevel: "warn",
      build: { outDir, emptyOutDir: false, target: "es2022", lib: { entry: "src/report.ts", formats: ["iife"], name: "report", fileName: () => "report.js" } },
    });
  },
};

// The folder works from any path of a static host, so all addresses are relative.
export default defineConfig({
  base: "./",
  plugins: [report],
  worker: { format: "es" },
  build: { outDir: "dist", emptyOutDir: true, target: "es2022", assetsInlineLimit: 0, modulePreload: { polyfill: false } },
});
