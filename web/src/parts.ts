/** The parts of the page beside the figures, in the order of their tabs. */

import type { App } from "./app";
import { mountShare } from "./share";

export interface Part {
  id: string;
  title: string;
  mount: (root: HTMLElement, app: App) => void;
}

export const PARTS: Part[] = [{ id: "share", title: "Take away", mount: mountShare }];
