/** Symbols of nodes, packets and losses: shapes at a place, in the colours of the theme. */

import type { Spot } from "./scene";
import { color } from "./theme";

/** What is painted on. */
export type Pen = CanvasRenderingContext2D;

/** Kinds of packets, as in the column. */
const [DATA, ACK, ICMP, DATAGRAM, CONTROL, AGAIN] = [0, 1, 2, 3, 4, 5];

/** The colours of a theme. */
export interface Colors {
  [name: string]: string;
}

const NAMES = ["background", "surface", "text", "faint", "grid", "frame", "bad", "sent", "again", "again-edge", "acked", "lost", "notice", "accent"];

/** Those of the current theme. */
export const paletteOf = (): Colors => Object.fromEntries(NAMES.map((name) => [name, color(name)]));

/** Data is drawn above the link, acknowledgments and ICMP below. */
export function side(kind: number): number {
  return kind === ACK || kind === ICMP || kind === CONTROL ? -1 : 1;
}

/** The colour of a kind of packets. */
export function fillOf(kind: number, colors: Colors): string {
  if (kind === ACK) return colors["acked"]!;
  if (kind === ICMP) return colors["notice"]!;
  return (kind === AGAIN ? colors["again"] : colors["sent"])!;
}

/** A packet: each kind has a shape of its own. */
export function paintPacket(pen: Pen, colors: Colors, kind: number, cx: number, cy: number, scale: number): void {
  pen.fillStyle = fillOf(kind, colors);
  pen.lineWidth = 1.5;
  switch (kind) {
    case ACK:
      pen.beginPath();
      pen.arc(cx, cy, 3.5 * scale, 0, 2 * Math.PI);
      pen.fill();
      break;
    case ICMP:
      pen.beginPath();
      pen.moveTo(cx, cy - 5);
      pen.lineTo(cx + 5, cy + 4);
      pen.lineTo(cx - 5, cy + 4);
      pen.fill();
      break;
    case DATAGRAM:
      pen.beginPath();
      pen.moveTo(cx, cy - 5 * scale);
      pen.lineTo(cx + 5 * scale, cy);
      pen.lineTo(cx, cy + 5 * scale);
      pen.lineTo(cx - 5 * scale, cy);
      pen.fill();
      break;
    case CONTROL:
      pen.fillStyle = colors["background"]!;
      pen.strokeStyle = colors["text"]!;
      pen.fillRect(cx - 4, cy - 4, 8, 8);
      pen.strokeRect(cx - 4, cy - 4, 8, 8);
      break;
    case DATA:
    case AGAIN:
      pen.fillRect(cx - 6 * scale, cy - 4 * scale, 12 * scale, 8 * scale);
      // Packets of a train stay apart.
      pen.strokeStyle = (kind === AGAIN ? colors["again-edge"] : colors["background"])!;
      pen.strokeRect(cx - 6 * scale, cy - 4 * scale, 12 * scale, 8 * scale);
      if (kind === AGAIN) {
        pen.beginPath();
        pen.moveTo(cx, cy - 4 * scale);
        pen.lineTo(cx, cy + 4 * scale);
        pen.stroke();
      }
      break;
    default:
      pen.strokeStyle = colors["sent"]!;
      pen.strokeRect(cx - 6, cy - 4, 12, 8);
  }
}

/** A cross: what it lies on is lost. */
export function paintCross(pen: Pen, colors: Colors, cx: number, cy: number, size: number): void {
  pen.strokeStyle = colors["lost"]!;
  pen.lineWidth = 2;
  pen.beginPath();
  pen.moveTo(cx - size, cy - size);
  pen.lineTo(cx + size, cy + size);
  pen.moveTo(cx - size, cy + size);
  pen.lineTo(cx + size, cy - size);
  pen.stroke();
}

/** A star: frames met at a receiver. */
export function paintBurst(pen: Pen, colors: Colors, cx: number, cy: number, size: number): void {
  pen.strokeStyle = colors["lost"]!;
  pen.lineWidth = 2;
  pen.beginPath();
  for (let ray = 0; ray < 4; ray++) {
    const [dx, dy] = [size * Math.cos((ray * Math.PI) / 4), size * Math.sin((ray * Math.PI) / 4)];
    pen.moveTo(cx - dx, cy - dy);
    pen.lineTo(cx + dx, cy + dy);
  }
  pen.stroke();
}

/** A node's symbol. */
export function paintNode(pen: Pen, { x: cx, y: cy }: Spot, kind: string, colors: Colors): void {
  pen.fillStyle = colors["surface"]!;
  pen.strokeStyle = colors["text"]!;
  pen.lineWidth = 1.5;
  pen.beginPath();
  if (kind === "router") {
    pen.arc(cx, cy, 13, 0, 2 * Math.PI);
    pen.moveTo(cx - 7, cy);
    pen.lineTo(cx + 7, cy);
    pen.moveTo(cx, cy - 7);
    pen.lineTo(cx, cy + 7);
  } else if (kind === "base station") {
    pen.moveTo(cx, cy - 13);
    pen.lineTo(cx + 11, cy + 13);
    pen.lineTo(cx - 11, cy + 13);
    pen.closePath();
    pen.moveTo(cx - 6, cy + 2);
    pen.lineTo(cx + 6, cy + 2);
    pen.moveTo(cx + 7, cy - 14);
    pen.arc(cx, cy - 13, 7, -0.2, 0.7);
    pen.moveTo(cx - 7, cy - 12);
    pen.arc(cx, cy - 13, 7, Math.PI - 0.2, Math.PI + 0.5);
  } else if (kind === "mobile") {
    pen.rect(cx - 7, cy - 12, 14, 24);
    pen.moveTo(cx - 3, cy + 8);
    pen.lineTo(cx + 3, cy + 8);
  } else {
    pen.rect(cx - 14, cy - 11, 28, 18);
    pen.moveTo(cx - 7, cy + 12);
    pen.lineTo(cx + 7, cy + 12);
    pen.moveTo(cx, cy + 7);
    pen.lineTo(cx, cy + 12);
  }
  pen.fill();
  pen.stroke();
}
