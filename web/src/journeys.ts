/** Where packets are in an interval of a run: the head and columns of the crate `figure`, module `journeys`. */

import type { Column } from "./protocol";

export interface JourneyNode {
  name: string;
  kind: "host" | "mobile" | "router" | "base station";
  scheme: string | null;
}

export interface JourneyLink {
  name: string;
  between: [number, number];
  wireless: boolean;
  medium: number | null;
  /** Whether each direction has a link layer whose frames are in `frames`. */
  frames: [boolean, boolean];
}

export interface Cell {
  name: string;
  stations: number[];
  /** Rows of sending node, receiving node, kind, begin, end, reception, again, packets, damaged, flow, packet kind, offset. */
  frames: Column;
  /** Rows of node, begin, end, slots counted (0: frozen), slots left at the begin, contention window. */
  back_offs: Column;
}

export interface JourneyMap {
  nodes: number[];
  moves: boolean;
  /** Rows of node, time, x and y in metres. */
  corners: Column;
  ranges: { node: number; received: number; sensed: number }[];
}

export interface Journeys {
  from: number;
  to: number;
  overflowed: boolean;
  ended: number | null;
  nodes: JourneyNode[];
  links: JourneyLink[];
  flows: { name: string; from: number; to: number }[];
  kinds: string[];
  outcomes: string[];
  stop_reasons: string[];
  cell_names: { frames: string[]; receptions: string[] };
  /** Rows of hop, flow, kind, offset, bytes, joined, starts, leaves, arrives, outcome; by hop and joined. */
  packets: Column;
  /** Rows of hop, flow, kind, offset, begin, arrival, attempt, damaged; by hop and begin. */
  frames: Column;
  /** Rows of node, flow, kind, offset, bytes, time, reason. */
  stops: Column;
  /** Rows of link, begin, end. */
  bad: Column;
  /** Rows of node, link, begin, end. */
  associations: Column;
  /** Rows of node, time, bytes from then on. */
  scheme_state: Column;
  cells: Cell[];
  map: JourneyMap | null;
}
