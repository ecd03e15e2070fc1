/** The parts of the page beside the figures, in the order of their tabs. */

import type { App } from "./app";
import { mountHeat } from "./heat";
import { mountShare } from "./share";
import { mountStatistics } from "./statistics";

export interface Part {
  id: string;
  title: string;
  mount: (root: HTMLElement, app: App) => void;
}

/** Statistics of one project, and a map of differences over two keys. */
function mountNumbers(root: HTMLElement, app: App): void {
  mountStatistics(root, app);
  mountHeat(root, app);
}

export const PARTS: Part[] = [
  { id: "statistics", title: "Statistics", mount: mountNumbers },
  { id: "share", title: "Take away", mount: mountShare },
];
