/** Marks of events: one shape for each kind, as in the command's pictures. */

import { color } from "./theme";

type Pen = CanvasRenderingContext2D;

/** The colour of a kind of mark. */
export function markColor(kind: string): string {
  if (kind === "resent") return color("again");
  if (kind === "lost" || kind === "ack-lost" || kind === "corrupted") return color("lost");
  if (kind === "timeout" || kind === "fast-retransmit") return color("concluded");
  return color("notice");
}

/** Adds the mark's shape around (x, y) to the path; `s` is the size of a CSS pixel. */
export function stamp(pen: Pen, kind: string, x: number, y: number, s: number): void {
  const line = (...points: number[]): void => {
    for (let i = 0; i < points.length; i += 2) {
      const [px, py] = [x + s * (points[i] ?? 0), y + s * (points[i + 1] ?? 0)];
      if (i === 0) pen.moveTo(px, py);
      else pen.lineTo(px, py);
    }
  };
  const circle = (r: number): void => {
    pen.moveTo(x + s * r, y);
    pen.arc(x, y, s * r, 0, 2 * Math.PI);
  };
  const chevron = (dx: number, way: number): void => line(dx - way * 2.2, -4, dx + way * 2.2, 0, dx - way * 2.2, 4);
  switch (kind) {
    case "resent":
      line(0, -4, 4, 0, 0, 4, -4, 0, 0, -4);
      break;
    case "lost":
      line(-4, -4, 4, 4);
      line(-4, 4, 4, -4);
      break;
    case "corrupted":
      line(-1.5, -1.5, 1.5, 1.5);
      line(-1.5, 1.5, 1.5, -1.5);
      break;
    case "ack-lost":
      line(-4, 0, 4, 0);
      line(0, -4, 0, 4);
      break;
    case "timeout":
      circle(6.2);
      line(0, -9, 0, -6.2);
      line(0, -4, 0, 0, 2.6, 1.6);
      break;
    case "fast-retransmit":
      line(0, -8.6, 7.6, 5.4, -7.6, 5.4, 0, -8.6);
      break;
    case "icmp-defer":
      line(0, -4.8, 0, 4.8);
      line(-4.2, -2.4, 4.2, 2.4);
      line(-4.2, 2.4, 4.2, -2.4);
      break;
    case "icmp-retransmit":
      line(-5.8, -5.8, 5.8, -5.8, 5.8, 5.8, -5.8, 5.8, -5.8, -5.8);
      break;
    case "ack-taken":
    case "action-drops-ack":
      line(0, -4, 0, 4);
      line(-4, 4, 4, 4);
      break;
    case "action-drops-data":
      line(0, -4, 0, 4);
      line(-4, -4, 4, -4);
      break;
    case "action-resends":
      chevron(-2.2, 1);
      chevron(2.2, 1);
      break;
    case "action-acknowledges":
      chevron(0, -1);
      break;
    case "action-releases":
      chevron(-2.2, -1);
      chevron(2.2, -1);
      break;
    case "action-holds":
      line(-2.2, -4, -2.2, 4);
      line(2.2, -4, 2.2, 4);
      break;
    case "action-pauses":
      circle(4.6);
      line(-4.6, 0, 4.6, 0);
      break;
    case "action-resumes":
      circle(4.6);
      break;
    case "action-reports-loss":
      line(-4, 0, 4, -4, 4, 4, -4, 0);
      break;
    default:
      chevron(0, 1);
  }
}

/** Kinds whose shape is filled. */
export function filled(kind: string): boolean {
  return kind === "resent";
}
