/** Replications of cases on all cores: replication 7 of each case has the same random streams, so cases are compared in pairs. */

import type { App } from "./app";
import { Cancelled, type Problems } from "./engine";
import type { Readings, Subject, Values } from "./protocol";

/** Runs that wait for a worker or are in one, for each worker: more would only wait. */
const AHEAD = 2;

let next = 0;

export interface Options {
  /** Whether delays are measured. */
  delays: boolean;
  /** Called after each run of a case. */
  ran: (number: number) => void;
  /** Called when a case cannot run; its replications end. */
  failed: (number: number, error: Problems | Error) => void;
}

export class Replication {
  /** By case and replication. */
  private readonly results: (Readings | undefined)[][];
  /** One copy of each list of names: they are nearly always the same in all runs of a case. */
  private readonly names = new Map<string, Readings["names"]>();
  private readonly counts: number[];
  private readonly ended: boolean[];
  private readonly slot = `replications-${next++}-`;
  private wanted = 0;
  private started = 0;
  private waiting = 0;
  private stopped = false;

  constructor(
    private readonly app: App,
    private readonly subjects: Subject[],
    private readonly options: Options,
  ) {
    this.results = subjects.map(() => []);
    this.counts = subjects.map(() => 0);
    this.ended = subjects.map(() => false);
  }

  /** Runs each case until it has so many replications. */
  upTo(count: number): void {
    this.wanted = Math.max(this.wanted, count);
    this.assign();
  }

  /** Replications from the first on that a case has without a gap. */
  count(number: number): number {
    return this.counts[number] ?? 0;
  }

  /** Replications that all of these cases have: cases that have ended do not count. */
  common(numbers: number[]): number {
    const counts = numbers.filter((number) => !this.ended[number]).map((number) => this.count(number));
    return counts.length > 0 ? Math.min(...counts) : 0;
  }

  /** Whether all runs that were asked for are there. */
  get isDone(): boolean {
    return this.stopped || this.subjects.every((_, number) => this.ended[number] || this.count(number) >= this.wanted);
  }

  /** Share of the runs that are there. */
  get progress(): number {
    const done = this.subjects.map((_, number) => (this.ended[number] ? this.wanted : this.count(number)));
    return done.reduce((sum, count) => sum + count, 0) / Math.max(1, this.wanted * this.subjects.length);
  }

  stop(): void {
    this.stopped = true;
    this.app.engine.cancel(`${this.slot}*`);
  }

  /** What the first `count` replications of a case gave of a metric, for each subject. */
  values(number: number, metric: string, count: number): Values[] {
    const subjects = new Map<string, { replications: number[]; values: number[] }>();
    for (const [replication, readings] of (this.results[number] ?? []).slice(0, count).entries()) {
      for (const [at, [name, subject]] of (readings?.names ?? []).entries()) {
        if (name !== metric) continue;
        const found = subjects.get(subject) ?? { replications: [], values: [] };
        subjects.set(subject, found);
        found.replications.push(replication);
        found.values.push(readings?.values.values[at] ?? NaN);
      }
    }
    return [...subjects].map(([subject, { replications, values }]) => ({
      subject,
      replications: Uint32Array.from(replications),
      values: Float64Array.from(values),
    }));
  }

  /** Starts runs while workers have room: one replication of all cases after the other. */
  private assign(): void {
    const cases = this.subjects.length;
    while (!this.stopped && this.started < this.wanted * cases && this.waiting < AHEAD * this.app.engine.size) {
      const [number, replication] = [this.started % cases, Math.floor(this.started / cases)];
      this.started += 1;
      const subject = this.subjects[number];
      if (!subject || this.ended[number]) continue;
      this.waiting += 1;
      const changes = [...subject.changes, `replication=${replication}`];
      const options = { slot: `${this.slot}${number}-${replication}`, background: true };
      this.app.engine.call("readings", [{ ...subject, changes }, this.options.delays], options).then(
        (readings) => this.keep(number, replication, readings),
        (error: unknown) => this.fail(number, error),
      );
    }
  }

  private keep(number: number, replication: number, { names, values }: Readings): void {
    this.waiting -= 1;
    if (this.stopped) return;
    const results = this.results[number] ?? [];
    const key = JSON.stringify(names);
    const same = this.names.get(key) ?? names;
    this.names.set(key, same);
    results[replication] = { names: same, values };
    while (results[this.count(number)]) this.counts[number] = this.count(number) + 1;
    this.assign();
    this.options.ran(number);
  }

  private fail(number: number, error: unknown): void {
    this.waiting -= 1;
    if (this.stopped || error instanceof Cancelled || this.ended[number]) return;
    this.ended[number] = true;
    this.options.failed(number, error instanceof Error ? error : new Error(String(error)));
    this.assign();
  }
}
