/** The journeys around a time: loaded in windows, of which at most two are kept. */

import type { App } from "./app";
import { Cancelled, logDefect } from "./engine";
import type { Subject } from "./protocol";
import { Signal, subjectOf, type Project } from "./state";
import { Timeline } from "./timeline";

/** Rows of a window: about 5 MB. */
const MOST_ROWS = 60_000;

/** Share of a window after which the next is loaded. */
const AHEAD = 0.4;

/** Share of a window that is loaded before the wanted time: for steps back. */
const BEHIND = 0.1;

export class Windows {
  /** Called when a window has arrived. */
  readonly loaded = new Signal<number>(0);
  private subject: Subject | undefined;
  private current: Timeline | undefined;
  private following: Timeline | undefined;
  /** Begin of the window that is being loaded. */
  private pending: number | undefined;
  /** No window has this time: its load failed. */
  private failed = false;
  /** Whether the windows are those of an earlier run. */
  private stale = true;

  constructor(
    private readonly app: App,
    private readonly slot: string,
  ) {}

  /** Shows another run. The old windows stay until the first new one has arrived. */
  show(subject: Subject | undefined): void {
    this.app.engine.cancel(this.slot);
    this.subject = subject;
    this.pending = undefined;
    this.failed = false;
    this.stale = true;
    if (subject === undefined) this.current = this.following = undefined;
  }

  /** Whether a window is being loaded. */
  get loads(): boolean {
    return this.pending !== undefined;
  }

  /** The window with a time, if it is loaded; loads it otherwise. */
  at(time: number): Timeline | undefined {
    if (this.subject === undefined || this.failed) return undefined;
    if (this.stale) {
      if (this.pending === undefined) this.load(time);
      return this.current;
    }
    if (this.following && holds(this.following, time)) {
      this.current = this.following;
      this.following = undefined;
    }
    const { current } = this;
    if (!current || !holds(current, time)) {
      const awaited = this.pending !== undefined && this.pending <= time && this.pending > (current?.journeys.from ?? -1);
      if (!awaited) this.load(time);
      return undefined;
    }
    const { from, to, overflowed } = current.journeys;
    if (overflowed && !this.following && this.pending === undefined && time > from + AHEAD * (to - from)) this.load(to, to);
    return current;
  }

  /** Loads the window around a time, or with `from` the one that begins there. */
  private load(time: number, from?: number): void {
    const { subject, current } = this;
    if (!subject) return;
    const span = current && !this.stale ? current.journeys.to - current.journeys.from : 0;
    const begin = from ?? Math.max(0, time - BEHIND * span);
    this.pending = begin;
    const call = this.app.engine.call("journeys", [subject, begin, Infinity, MOST_ROWS], { slot: this.slot, background: true });
    call.then(
      (journeys) => {
        if (this.subject === subject) this.arrived(new Timeline(journeys), time);
      },
      (error: unknown) => {
        if (this.subject !== subject || error instanceof Cancelled) return;
        this.pending = undefined;
        this.failed = true;
        this.loaded.value += 1;
        logDefect(error);
      },
    );
  }

  private arrived(timeline: Timeline, time: number): void {
    this.pending = undefined;
    const { current } = this;
    if (!this.stale && current && current.journeys.to === timeline.journeys.from) {
      this.following = timeline;
    } else if (holds(timeline, time) || timeline.journeys.from === time) {
      this.current = timeline;
      this.following = undefined;
      this.stale = false;
    } else {
      // The part before the time has taken all rows.
      this.load(time, time);
      return;
    }
    this.loaded.value += 1;
  }
}

/** Whether a window has a time. The last one has all times after its end. */
function holds({ journeys }: Timeline, time: number): boolean {
  return time >= journeys.from && (time <= journeys.to || !journeys.overflowed);
}

/** What the animation and the map share: the windows of each variant, and the time. */
export interface Shared {
  of(variant: number): Windows;
  readonly time: Signal<number>;
  /** Counts the runs: the variants may have changed with each. */
  readonly runs: Signal<number>;
}

const shared = new WeakMap<App, Shared>();

export function windowsOf(app: App): Shared {
  const known = shared.get(app);
  if (known) return known;
  const list: Windows[] = [];
  let shown: Project | undefined;
  const subject = (variant: number): Subject | undefined => {
    const project = shown;
    const chosen = project?.variants[variant];
    return project && chosen && app.results.value[variant]?.figure ? subjectOf(project, chosen) : undefined;
  };
  const made: Shared = {
    of: (variant) => {
      let windows = list[variant];
      if (!windows) {
        windows = new Windows(app, `journeys-${variant}`);
        list[variant] = windows;
        windows.show(subject(variant));
      }
      return windows;
    },
    time: new Signal(app.cursor.value ?? 0),
    runs: new Signal(0),
  };
  // The figures come first: journeys follow when all variants have run.
  app.results.subscribe((results) => {
    const project = app.store.project.value;
    if (project === shown || results.length !== project.variants.length) return;
    if (results.some((result, number) => result.progress !== undefined || result.variant !== project.variants[number])) return;
    shown = project;
    list.forEach((windows, number) => windows?.show(subject(number)));
    made.runs.value += 1;
  });
  shared.set(app, made);
  return made;
}
