/** Runs the variants of the project whenever it changes. */

import type { App, Result } from "./app";
import { Cancelled, logDefect, Problems } from "./engine";
import type { Problem } from "./protocol";
import { subjectOf } from "./state";

/** Progress is shown for runs that take longer than this, in ms: a bar for a moment would only distract. */
const SHOWN_MS = 150;

/** How long nothing changes before runs are explained, in ms: not while a slider moves. */
const PAUSE_MS = 200;

/** Findings that are kept of each flow. */
const FINDINGS = 200;

export function startRuns(app: App): void {
  let generation = 0;
  app.store.project.subscribe((project) => {
    const current = ++generation;
    const before = app.results.value;
    app.engine.cancel("figure-*");
    app.engine.cancel("explain-*");
    const started = performance.now();
    const results: Result[] = project.variants.map((variant, number) => {
      const old = before[number];
      return { variant, figure: old?.figure, problems: [], progress: undefined };
    });
    const update = (number: number, change: Partial<Result>): void => {
      const old = results[number];
      if (current !== generation || !old) return;
      results[number] = { ...old, ...change };
    };
    let open = project.variants.length;
    /** Variants are shown together: side by side, old beside new would compare what is not comparable. */
    const done = (): void => {
      open -= 1;
      if (open > 0 || current !== generation) return;
      app.results.value = results;
      // Explanations take longer than figures. Therefore they are computed when nothing has changed for a moment.
      setTimeout(explain, PAUSE_MS);
    };
    const explain = (): void => {
      if (current !== generation) return;
      for (const [number, { figure, variant }] of results.entries()) {
        if (!figure) continue;
        const call = app.engine.call("explain", [subjectOf(project, variant), FINDINGS], { slot: `explain-${number}` });
        call.then((reports) => {
          const flows = figure.flows.map((flow, at) => ({ ...flow, report: reports[at] ?? null }));
          update(number, { figure: { ...figure, flows } });
          if (current === generation) app.results.value = [...results];
        }, logDefect);
      }
    };
    for (const [number, variant] of project.variants.entries()) {
      const progress = (share: number): void => {
        if (current !== generation || performance.now() - started < SHOWN_MS) return;
        const shown = app.results.value.length === results.length ? app.results.value : results;
        app.results.value = shown.map((result, other) => (other === number ? { ...result, progress: share } : result));
      };
      app.engine.call("figure", [subjectOf(project, variant), false], { slot: `figure-${number}`, progress }).then(
        (figure) => {
          update(number, { figure, problems: [], progress: undefined });
          done();
        },
        (error: unknown) => {
          if (error instanceof Cancelled) return;
          const problems: Problem[] = error instanceof Problems ? error.problems : [defect(error)];
          update(number, { figure: undefined, problems, progress: undefined });
          done();
        },
      );
    }
  });
}

/** A defect of the program, as a problem. */
function defect(error: unknown): Problem {
  const text = `the run failed, which is a defect of the program: ${error instanceof Error ? error.message : String(error)}`;
  return { file: null, line: null, column: null, key: null, found: null, expected: "", hint: null, lint: null, text };
}

/** Stops the runs. Figures stay as they are. */
export function stopRuns(app: App): void {
  app.engine.cancel("figure-*");
  app.results.value = app.results.value.map((result) => ({ ...result, progress: undefined }));
}
