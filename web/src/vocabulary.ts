// Generated from the tables of the crates plot and observe by `UPDATE_GOLDEN=1 cargo test -p lasthop-figure`.

/** How a mark is drawn. */
export interface MarkShape {
  /** The outline as SVG path data, in CSS pixels around the place of the mark. */
  path: string;
  /** The name of its colour in the style sheet. */
  color: string;
  /** The colour of the edge around a filled shape; null for a shape of lines. */
  edge: string | null;
  /** Width of its lines in CSS pixels. */
  width: number;
}

/** The shapes of all kinds of marks. */
export const MARKS: Readonly<Record<string, MarkShape>> = {
  "resent": { path: "M0 -3.8L3.8 0L0 3.8L-3.8 0Z", color: "again", edge: "again-edge", width: 0.8 },
  "lost": { path: "M-4 -4L4 4M-4 4L4 -4", color: "lost", edge: null, width: 2 },
  "corrupted": { path: "M-1.5 -1.5L1.5 1.5M-1.5 1.5L1.5 -1.5", color: "lost", edge: null, width: 0.8 },
  "ack-lost": { path: "M-4 0L4 0M0 -4L0 4", color: "lost", edge: null, width: 1.4 },
  "timeout": { path: "M0 -9.01L0 -6.2M0 0m-6.2 0a6.2 6.2 0 1 0 12.4 0a6.2 6.2 0 1 0 -12.4 0", color: "concluded", edge: null, width: 1.4 },
  "fast-retransmit": { path: "M0 -8.6L7.6 5.4L-7.6 5.4Z", color: "concluded", edge: null, width: 1.4 },
  "icmp-defer": { path: "M0 -4.8L0 4.8M-4.2 -2.4L4.2 2.4M4.2 -2.4L-4.2 2.4", color: "notice", edge: null, width: 1.4 },
  "icmp-retransmit": { path: "M-5.8 -5.8L5.8 -5.8L5.8 5.8L-5.8 5.8Z", color: "notice", edge: null, width: 1.4 },
  "local-copy": { path: "M-2.4 -4L2.4 0L-2.4 4", color: "notice", edge: null, width: 1.4 },
  "ack-taken": { path: "M0 -3.6L0 3.6M-3.6 3.6L3.6 3.6", color: "notice", edge: null, width: 1.4 },
  "action-forwards": { path: "M-2.2 -4L2.2 0L-2.2 4", color: "notice", edge: null, width: 1.4 },
  "action-resends": { path: "M-4.4 -4L0 0L-4.4 4M0 -4L4.4 0L0 4M4.4 0", color: "notice", edge: null, width: 1.4 },
  "action-acknowledges": { path: "M2.2 -4L-2.2 0L2.2 4", color: "notice", edge: null, width: 1.4 },
  "action-holds": { path: "M-2.2 -4L-2.2 4M2.2 -4L2.2 4", color: "notice", edge: null, width: 1.4 },
  "action-releases": { path: "M4.4 -4L0 0L4.4 4M0 -4L-4.4 0L0 4M-4.4 0", color: "notice", edge: null, width: 1.4 },
  "action-drops-ack": { path: "M-4 4L4 4M0 4L0 -4", color: "notice", edge: null, width: 1.4 },
  "action-drops-data": { path: "M-4 -4L4 -4M0 -4L0 4", color: "notice", edge: null, width: 1.4 },
  "action-pauses": { path: "M-4 0L4 0M0 0m-4.6 0a4.6 4.6 0 1 0 9.2 0a4.6 4.6 0 1 0 -9.2 0M0 -4M0 0", color: "notice", edge: null, width: 1.4 },
  "action-resumes": { path: "M0 -4M0 0m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0", color: "notice", edge: null, width: 1.4 },
  "action-reports-loss": { path: "M-4 0L4 -4L4 4Z", color: "notice", edge: null, width: 1.4 },
  "ssthresh-above": { path: "M0 5.5L0 -5.5M-4 -1.5L0 -5.5L4 -1.5", color: "ssthresh", edge: null, width: 1.6 },
  "collided": { path: "M-4 -4L4 4M-4 4L4 -4", color: "lost", edge: null, width: 1.8 },
  "frame-corrupted": { path: "M-4 0L4 0M0 -4L0 4", color: "lost", edge: null, width: 1.8 },
  "out-of-range": { path: "M0 -4M0 0m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0", color: "lost", edge: null, width: 1.8 },
};

/** The units of quantities by their base unit, each with its size there, the largest first. */
export const UNITS = {
  "bit/s": [[1000000000, "Gbps"], [1000000, "Mbps"], [1000, "kbps"], [1, "bps"]],
  "bytes": [[1000000000, "GB"], [1000000, "MB"], [1000, "kB"], [1, "B"]],
  "s": [[1, "s"], [0.001, "ms"], [0.000001, "us"], [0.000000001, "ns"]],
} as const;
