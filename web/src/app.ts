/** What all parts of the page share. */

import type { Engine } from "./engine";
import type { Problem, RunFigure } from "./protocol";
import type { Signal, Store, Variant } from "./state";

/** The part of the time axis that all panels show, in seconds. */
export interface Range {
  from: number;
  to: number;
}

/** The run of one variant. */
export interface Result {
  variant: Variant;
  figure: RunFigure | undefined;
  /** Errors of its scenario, if it has no figure. */
  problems: Problem[];
  /** Share that is done, while it runs. */
  progress: number | undefined;
}

/** What figures need to draw results. */
export interface Figures {
  /** One result a variant, in their order. */
  results: Signal<Result[]>;
  /** The shown part of the time axis; `undefined` for the whole. */
  range: Signal<Range | undefined>;
  /** The time under the cursor or of the animation, in seconds. */
  cursor: Signal<number | undefined>;
  /** Number of the flow that is shown. */
  flow: Signal<number>;
  /** Says a text to screen readers. */
  announce(text: string): void;
}

export interface App extends Figures {
  store: Store;
  engine: Engine;
}
