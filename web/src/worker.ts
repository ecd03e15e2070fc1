/** A worker: it loads the module and answers one call after the other. */

import init, { type Figure, LessonRuns, Replications, Scenario, axis, lesson, metrics, model_version, schema, version } from "./wasm/lasthop_web.js";
import { placing } from "./column";
import type { Call, Calls, Evaluated, LessonRun, Problem, Request, Response, Subject, Values } from "./protocol";

type Answers = { [C in Call]: (id: number, ...values: Calls[C]["arguments"]) => Calls[C]["result"] };

let ready: Promise<unknown> | undefined;

/** Shortest time between two reports of progress in ms. */
const STRIDE_MS = 50;

function send(response: Response, transfer: Transferable[] = []): void {
  self.postMessage(response, { transfer });
}

/** A function for the module that reports progress. */
function reporting(id: number): (share: number) => boolean {
  let last = performance.now();
  return (share) => {
    const now = performance.now();
    if (now - last >= STRIDE_MS) {
      last = now;
      send({ id, progress: share });
    }
    return true;
  };
}

/** Calls `use` with the module's scenario, and frees it. */
function withScenario<T>(subject: Subject, use: (scenario: Scenario) => T): T {
  const scenario = new Scenario(subject.name, new TextEncoder().encode(subject.text));
  try {
    for (const [name, bytes] of Object.entries(subject.files)) scenario.add_file(name, bytes);
    for (const change of subject.changes) scenario.set(change);
    if (subject.scheme !== undefined) scenario.set_scheme(subject.scheme);
    return use(scenario);
  } finally {
    scenario.free();
  }
}

/** The head of a figure with its columns in the places that name them. */
function assembled(figure: Figure): unknown {
  const columns = Array.from({ length: figure.columns() }, (_, number) => figure.take(number));
  const head: unknown = JSON.parse(figure.head(), placing(columns));
  figure.free();
  return head;
}

/** Calls `use` with the module's replications, and frees them. */
function withReplications<T>(metric: string, cases: Values[][], use: (replications: Replications) => T): T {
  const replications = Replications.of(metric, cases.length);
  if (!replications) throw new Error(`there is no metric ${metric}`);
  try {
    for (const [number, subjects] of cases.entries()) {
      for (const { subject, ...given } of subjects) replications.add(number, subject, given.replications, given.values);
    }
    return use(replications);
  } finally {
    replications.free();
  }
}

/** Texts and what is asked, on the runs of a lesson. */
function evaluated(given: LessonRun[], texts: string[], asked: Evaluated | undefined): Calls["evaluate"]["result"] {
  const runs = new LessonRuns();
  try {
    for (const { variant, head, columns } of given) {
      runs.add(variant, head);
      for (const column of columns) runs.add_column(column);
    }
    const filled = texts.map((text) => runs.fill(text));
    try {
      if (asked === undefined) return { texts: filled, truth: false };
      if ("holds" in asked) return { texts: filled, truth: runs.holds(asked.holds) };
      return { texts: filled, truth: runs.answers(asked.value, asked.unit, asked.tolerance, asked.given) };
    } catch (error) {
      // The expression has no value on these runs, which the reader may have changed.
      if (!(error instanceof Error) || error instanceof WebAssembly.RuntimeError) throw error;
      return { texts: filled, truth: error.message };
    }
  } finally {
    runs.free();
  }
}

const ANSWERS: Answers = {
  about: () => ({ version: version(), model: model_version(), schema: schema() }),
  check: (_, subject) => withScenario(subject, (scenario) => JSON.parse(scenario.check()) as Problem[]),
  toml: (_, subject) => withScenario(subject, (scenario) => scenario.toml()),
  summary: (id, subject) => withScenario(subject, (scenario) => JSON.parse(scenario.run(false, reporting(id)))),
  figure: (id, subject, reports) =>
    withScenario(subject, (scenario) => assembled(scenario.figure(reports, reporting(id))) as Calls["figure"]["result"]),
  journeys: (id, subject, from, to, most) =>
    withScenario(subject, (scenario) => assembled(scenario.journeys(from, to, most, reporting(id))) as Calls["journeys"]["result"]),
  picture: (id, subject, flow, from, to, dark) => withScenario(subject, (scenario) => scenario.picture(flow, from, to, dark, reporting(id))),
  explain: (id, subject, top) => withScenario(subject, (scenario) => JSON.parse(scenario.explain(top, reporting(id)))),
  controls: (_, subject) => withScenario(subject, (scenario) => JSON.parse(scenario.controls())),
  variants: (_, subject) => withScenario(subject, (scenario) => JSON.parse(scenario.variants())),
  metrics: () => JSON.parse(metrics()),
  sweep: (_, subject) => withScenario(subject, (scenario) => JSON.parse(scenario.sweep())),
  axis: (_, key, values) => JSON.parse(axis(key, values)),
  readings: (id, subject, delays) =>
    withScenario(subject, (scenario) => assembled(scenario.readings(delays, reporting(id))) as Calls["readings"]["result"]),
  statistics: (_, metric, groups) =>
    groups.map((cases) => withReplications(metric, cases, (replications) => JSON.parse(replications.entries()))),
  lesson: (_, text) => JSON.parse(lesson(text)),
  evaluate: (_, runs, texts, asked) => evaluated(runs, texts, asked),
  needed: (_, metric, cases, { precision, min, max }, runs) =>
    withReplications(metric, cases, (replications) => replications.runs_needed(precision, min, max, runs) ?? 0),
};

/** The buffers of all columns in a result: they move to the page without a copy. */
function buffers(value: unknown, found: Set<ArrayBuffer> = new Set()): Set<ArrayBuffer> {
  if (value instanceof Float64Array) {
    found.add(value.buffer as ArrayBuffer);
  } else if (typeof value === "object" && value !== null) {
    for (const inner of Object.values(value)) buffers(inner, found);
  }
  return found;
}

self.onmessage = async ({ data }: MessageEvent<Request>) => {
  if ("module" in data) {
    ready = init({ module_or_path: data.module });
    return;
  }
  const { id, call } = data;
  try {
    await ready;
    const result = (ANSWERS[call] as (id: number, ...values: unknown[]) => unknown)(id, ...data.arguments);
    send({ id, result }, [...buffers(result)]);
  } catch (thrown) {
    // Problems of a scenario arrive as JSON. Everything else is a defect.
    if (typeof thrown === "string") send({ id, problems: JSON.parse(thrown) as Problem[] });
    else send({ id, failed: String(thrown) });
  }
};
