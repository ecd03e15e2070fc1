/** Calls to workers: each call waits for a free worker; a call that is cancelled while it runs ends its worker. */

import type { Call, Calls, Problem, Response } from "./protocol";

/** A wrong scenario. */
export class Problems extends Error {
  constructor(readonly problems: Problem[]) {
    super(problems.map((problem) => problem.text).join("\n"));
  }
}

/** The call was cancelled, or another call took its place. */
export class Cancelled extends Error {}

/**
 * Writes an error to the console if it is a defect of the program: not a call that was cancelled, and not a wrong scenario,
 * whose problems are shown beside the figures.
 */
export function logDefect(error: unknown): void {
  if (!(error instanceof Cancelled || error instanceof Problems)) console.error(error);
}

interface Job {
  id: number;
  call: Call;
  values: unknown[];
  slot: string | undefined;
  light: boolean;
  progress: ((share: number) => void) | undefined;
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
}

interface Crew {
  worker: Worker;
  job: Job | undefined;
  /** Ends the worker if the cancelled call that it still runs takes long. */
  ending?: ReturnType<typeof setTimeout> | undefined;
}

export interface Options {
  /** A call with a slot replaces an earlier one with the same slot, queued or running. */
  slot?: string;
  /** Called with the share of a run that is done. */
  progress?: (share: number) => void;
  /** True for a call that waits behind all others. */
  background?: boolean;
  /** True for a call that takes a moment: it has a worker of its own if all others run. */
  light?: boolean;
}

/** How long a worker may go on with a cancelled call, in ms: most calls end before another worker would have started. */
const PATIENCE_MS = 250;

/** Most workers: those of a large machine would take more memory than they save time. */
const MOST = 16;

export class Engine {
  private crews: Crew[] = [];
  private queue: Job[] = [];
  private next = 0;

  private constructor(
    private readonly module: WebAssembly.Module,
    readonly size: number,
  ) {}

  /** Compiles the module once, for all workers. */
  static async start(): Promise<Engine> {
    const address = new URL("./wasm/lasthop_web_bg.wasm", import.meta.url);
    const module = await WebAssembly.compileStreaming(fetch(address));
    return new Engine(module, Math.min(MOST, Math.max(2, navigator.hardwareConcurrency || 2)));
  }

  call<C extends Call>(call: C, values: Calls[C]["arguments"], options: Options = {}): Promise<Calls[C]["result"]> {
    const { slot, progress, background, light = false } = options;
    if (slot !== undefined) this.cancel(slot);
    return new Promise((resolve, reject) => {
      const id = this.next++;
      const job: Job = { id, call, values, slot, light, progress, resolve: (value) => resolve(value as Calls[C]["result"]), reject };
      if (background) this.queue.push(job);
      else this.queue.unshift(job);
      this.assign();
    });
  }

  /** Cancels the call of a slot, if there is one; a slot that ends in `*` names all that begin with the rest. */
  cancel(slot: string): void {
    const named = (job: Job | undefined): boolean =>
      job?.slot !== undefined && (slot.endsWith("*") ? job.slot.startsWith(slot.slice(0, -1)) : job.slot === slot);
    for (const job of this.queue.filter(named)) job.reject(new Cancelled());
    this.queue = this.queue.filter((job) => !named(job));
    for (const crew of this.crews.filter((crew) => named(crew.job) && crew.ending === undefined)) {
      crew.job?.reject(new Cancelled());
      crew.ending = setTimeout(() => this.dismiss(crew), PATIENCE_MS);
    }
    this.assign();
  }

  private dismiss(crew: Crew): void {
    clearTimeout(crew.ending);
    crew.worker.terminate();
    this.crews = this.crews.filter((other) => other !== crew);
    this.assign();
  }

  private assign(): void {
    while (this.queue.length > 0) {
      const idle = this.crews.find((crew) => crew.job === undefined);
      const busy = this.crews.filter((crew) => crew.ending === undefined).length;
      const most = this.size + (this.queue[0]?.light ? 1 : 0);
      const crew = idle ?? (busy < most ? this.hire() : undefined);
      const job = crew && this.queue.shift();
      if (!crew || !job) return;
      crew.job = job;
      crew.worker.postMessage({ id: job.id, call: job.call, arguments: job.values });
    }
  }

  private hire(): Crew {
    const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
    const crew: Crew = { worker, job: undefined };
    worker.postMessage({ module: this.module });
    worker.onmessage = ({ data }: MessageEvent<Response>) => this.answered(crew, data);
    worker.onerror = (event) => this.failed(crew, event.message);
    this.crews.push(crew);
    return crew;
  }

  private answered(crew: Crew, response: Response): void {
    const { job } = crew;
    if (job === undefined || job.id !== response.id) return;
    if ("progress" in response) {
      if (crew.ending === undefined) job.progress?.(response.progress);
      return;
    }
    // A module that has panicked may be in any state.
    if ("failed" in response) return this.failed(crew, response.failed);
    clearTimeout(crew.ending);
    [crew.job, crew.ending] = [undefined, undefined];
    if ("problems" in response) job.reject(new Problems(response.problems));
    else job.resolve(response.result);
    this.assign();
  }

  private failed(crew: Crew, text: string): void {
    crew.job?.reject(new Error(text));
    this.dismiss(crew);
  }
}
