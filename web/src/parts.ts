/** The parts of the page beside the figures, in the order of their tabs. */

import type { App } from "./app";
import { mountAnimation } from "./animation";
import { mountControls } from "./controls";
import { mountEditor } from "./editor";
import { mountHeat } from "./heat";
import { mountLessons } from "./lessons";
import { mountMap } from "./map";
import { mountShare } from "./share";
import { mountStatistics } from "./statistics";

export interface Part {
  id: string;
  title: string;
  mount: (root: HTMLElement, app: App) => void;
}

/** Packets on their path, and nodes on a map. */
function mountPackets(root: HTMLElement, app: App): void {
  mountAnimation(root, app);
  mountMap(root, app);
}

/** Statistics of one project, and a map of differences over two keys. */
function mountNumbers(root: HTMLElement, app: App): void {
  mountStatistics(root, app);
  mountHeat(root, app);
}

export const PARTS: Part[] = [
  { id: "controls", title: "Controls", mount: mountControls },
  { id: "editor", title: "TOML", mount: mountEditor },
  { id: "animation", title: "Packets", mount: mountPackets },
  { id: "statistics", title: "Statistics", mount: mountNumbers },
  { id: "share", title: "Take away", mount: mountShare },
  { id: "lessons", title: "Lessons", mount: mountLessons },
];
