/** Paints a scene at a time. Frames allocate nothing: only what changes with the network or the theme does. */

import { bytes } from "./format";
import type { Line, Scene, Spot } from "./scene";
import { type Colors, fillOf, paintBurst, paintCross, paintNode, paintPacket, paletteOf, type Pen, side } from "./symbols";
import { AIR, BACK_OFF, FRAME, Fall, PACKET, STOP, type Timeline } from "./timeline";

/** Kinds of a cell's frames. */
const [AGGREGATE, AIR_ACK, BLOCK_ACK, RTS, CTS, BEACON] = [1, 2, 3, 4, 5, 6];

/** Packets that are drawn in a queue; the number tells of all. */
const STACKED = 12;
/** Packets in flight that are drawn on one hop. */
const FLYING = 400;
/** Share of the way after which a packet that is lost falls. */
const LOST_AT = 0.7;
/** Distance of packets from the middle of the link. */
const BESIDE = 8;

const NUMBERS = Array.from({ length: 2_000 }, (_, number) => String(number));
const number = (value: number): string => NUMBERS[value] ?? String(value);

const FONT = "12px system-ui, sans-serif";
const SMALL = "11px system-ui, sans-serif";

export class Painter {
  private readonly pen: Pen;
  private readonly still = document.createElement("canvas");
  private timeline: Timeline | undefined;
  private scene: Scene | undefined;
  private ratio = 1;
  private colors: Colors = paletteOf();
  /** What schemes keep, as text, renewed when it changes. */
  private keptBytes = new Float64Array();
  private keptTexts: string[] = [];
  /** Hops whose frames are drawn instead of their packets' flights. */
  private framed = new Uint8Array();
  private hopOf = new Map<number, number>();
  /** Waiting packets that the current hop has drawn: data and others. */
  private stackData = 0;
  private stackOther = 0;

  constructor(readonly canvas: HTMLCanvasElement) {
    const pen = canvas.getContext("2d");
    if (!pen) throw new Error("the browser has no 2D canvas");
    this.pen = pen;
  }

  /** Shows a network; also after a change of the theme. */
  show(timeline: Timeline, scene: Scene): void {
    this.timeline = timeline;
    this.scene = scene;
    this.colors = paletteOf();
    const { links, nodes } = timeline.journeys;
    this.keptBytes = new Float64Array(nodes.length).fill(-1);
    this.keptTexts = nodes.map(() => "");
    this.framed = Uint8Array.from({ length: 2 * links.length }, (_, hop) => {
      const link = links[hop >> 1];
      return link && (link.medium !== null || link.frames[hop & 1]) ? 1 : 0;
    });
    this.hopOf.clear();
    for (const [at, { between: [a, b] }] of links.entries()) {
      this.hopOf.set(a * nodes.length + b, 2 * at);
      this.hopOf.set(b * nodes.length + a, 2 * at + 1);
    }
    this.ratio = Math.min(2, window.devicePixelRatio || 1);
    const [width, height] = [Math.round(scene.width * this.ratio), Math.round(scene.height * this.ratio)];
    for (const canvas of [this.canvas, this.still]) {
      canvas.width = width;
      canvas.height = height;
    }
    this.canvas.style.height = `${scene.height}px`;
    this.paintStill();
  }

  /** A further window of the same network. */
  follow(timeline: Timeline): void {
    this.timeline = timeline;
  }

  /** Paints the scene at a time; what was lost in the last `fall` seconds falls. */
  paint(time: number, fall: number): void {
    const { pen, scene, timeline } = this;
    if (!scene || !timeline) return;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.globalAlpha = 1;
    pen.clearRect(0, 0, this.canvas.width, this.canvas.height);
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.font = SMALL;
    pen.textBaseline = "middle";
    this.paintBad(timeline, scene, time);
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.drawImage(this.still, 0, 0);
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    this.paintAssociations(timeline, scene, time);
    for (let hop = 0; hop < this.framed.length; hop++) {
      this.paintHop(timeline, scene, hop, time);
      if (this.framed[hop]) this.paintFrames(timeline, scene, hop, time);
    }
    for (let cell = 0; cell < timeline.air.length; cell++) this.paintCell(timeline, scene, cell, time);
    this.paintFalls(timeline, scene, time, fall);
    this.paintKept(timeline, scene, time);
  }

  /** What does not change with time: links, nodes and names. */
  private paintStill(): void {
    const pen = this.still.getContext("2d");
    const { scene, timeline, colors } = this;
    if (!pen || !scene || !timeline) return;
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.clearRect(0, 0, scene.width, scene.height);
    const { links, nodes } = timeline.journeys;
    for (const [at, link] of links.entries()) {
      const line = scene.links[at]!;
      pen.strokeStyle = (link.wireless ? colors["acked"] : colors["frame"])!;
      pen.lineWidth = 1.5;
      pen.globalAlpha = timeline.roaming.has(at) ? 0.3 : 0.8;
      pen.setLineDash(link.wireless ? [5, 4] : []);
      pen.beginPath();
      pen.moveTo(line.from.x, line.from.y);
      pen.lineTo(line.to.x, line.to.y);
      pen.stroke();
    }
    pen.setLineDash([]);
    pen.globalAlpha = 1;
    pen.textAlign = "center";
    pen.textBaseline = "top";
    for (const [at, node] of nodes.entries()) {
      const spot = scene.nodes[at]!;
      paintNode(pen, spot, node.kind, colors);
      pen.fillStyle = colors["text"]!;
      pen.font = `600 ${FONT}`;
      const room = scene.width >= 520 ? 120 : 84;
      // Names keep within the canvas.
      const text = clipped(pen, node.name, room);
      const half = pen.measureText(text).width / 2 + 2;
      const x = Math.max(half, Math.min(scene.width - half, spot.x));
      pen.strokeStyle = colors["background"]!;
      pen.lineWidth = 4;
      pen.lineJoin = "round";
      pen.strokeText(text, x, spot.y + 17);
      pen.fillText(text, x, spot.y + 17);
      if (node.scheme) {
        pen.font = SMALL;
        pen.fillStyle = colors["faint"]!;
        const scheme = clipped(pen, node.scheme, room);
        const wide = pen.measureText(scheme).width / 2 + 2;
        pen.fillText(scheme, Math.max(wide, Math.min(scene.width - wide, spot.x)), spot.y + 31);
      }
    }
  }

  /** Links whose channel is BAD, as a hatched band with the word. */
  private paintBad(timeline: Timeline, scene: Scene, time: number): void {
    const { pen } = this;
    const { bad } = timeline;
    for (let link = 0; link < scene.links.length; link++) {
      const last = bad.high(link, time);
      let isBad = false;
      for (let row = bad.low(link, time); row < last && !isBad; row++) isBad = bad.values[row * 3 + 2]! > time;
      if (!isBad) continue;
      const { from, to, up } = scene.links[link]!;
      pen.strokeStyle = this.colors["bad"]!;
      pen.lineWidth = 34;
      pen.beginPath();
      pen.moveTo(from.x, from.y);
      pen.lineTo(to.x, to.y);
      pen.stroke();
      pen.strokeStyle = this.colors["faint"]!;
      pen.lineWidth = 0.7;
      pen.beginPath();
      const [dx, dy] = [to.x - from.x, to.y - from.y];
      const count = Math.max(2, Math.floor(Math.hypot(dx, dy) / 9));
      for (let step = 0; step < count; step++) {
        const [x, y] = [from.x + (dx * (step + 0.5)) / count, from.y + (dy * (step + 0.5)) / count];
        pen.moveTo(x - up.x * 17, y - up.y * 17);
        pen.lineTo(x + up.x * 17 + (dx / count) * 0.7, y + up.y * 17 + (dy / count) * 0.7);
      }
      pen.stroke();
      pen.fillStyle = this.colors["text"]!;
      pen.textAlign = "center";
      pen.fillText("BAD", (from.x + to.x) / 2 + up.x * 25, (from.y + to.y) / 2 + up.y * 25);
    }
  }

  private paintAssociations(timeline: Timeline, scene: Scene, time: number): void {
    if (timeline.associations.count === 0) return;
    const { pen } = this;
    pen.strokeStyle = this.colors["acked"]!;
    pen.lineWidth = 2.5;
    for (let link = 0; link < scene.links.length; link++) {
      if (!timeline.roaming.has(link) || !timeline.uses(link, time)) continue;
      const { from, to } = scene.links[link]!;
      pen.beginPath();
      pen.moveTo(from.x, from.y);
      pen.lineTo(to.x, to.y);
      pen.stroke();
    }
  }

  /** The queue of a hop, and its packets in flight. */
  private paintHop(timeline: Timeline, scene: Scene, hop: number, time: number): void {
    const { packets } = timeline;
    const { values, width } = packets;
    const line = scene.links[hop >> 1]!;
    const framed = this.framed[hop] === 1;
    this.stackData = this.stackOther = 0;
    let flying = 0;
    const last = packets.high(hop, time);
    for (let row = packets.low(hop, time); row < last; row++) {
      const at = row * width;
      const arrives = values[at + PACKET.arrives]!;
      if (arrives <= time) continue;
      const kind = values[at + PACKET.kind]!;
      const starts = values[at + PACKET.starts]!;
      if (starts > time || framed) {
        this.stack(line, hop, kind, framed && starts <= time);
      } else if (flying < FLYING) {
        flying++;
        const share = (time - starts) / (arrives - starts);
        paintPacket(this.pen, this.colors, kind, x(line, hop, share, side(kind)), y(line, hop, share, side(kind)), 1);
      }
    }
    this.count(line, hop, this.stackData, 1);
    this.count(line, hop, this.stackOther, -1);
  }

  /** Draws a waiting packet on the stack of its hop. `begun`: the link layer has begun to send it. */
  private stack(line: Line, hop: number, kind: number, begun: boolean): void {
    const way = side(kind);
    const place = way > 0 ? this.stackData++ : this.stackOther++;
    if (place >= STACKED) return;
    const { pen, colors } = this;
    const cx = x(line, hop, 0, 0);
    const cy = y(line, hop, 0, 0) - way * (BESIDE + 5 * place);
    pen.fillStyle = fillOf(kind, colors);
    pen.fillRect(cx - 5, cy - 2, 10, 4);
    if (begun) {
      pen.strokeStyle = colors["text"]!;
      pen.lineWidth = 1;
      pen.strokeRect(cx - 5.5, cy - 2.5, 11, 5);
    }
  }

  /** The number of packets in a stack that hides some. */
  private count(line: Line, hop: number, stacked: number, way: number): void {
    if (stacked <= 3) return;
    const { pen } = this;
    const high = BESIDE + 5 * Math.min(stacked, STACKED) + 5;
    pen.fillStyle = this.colors["text"]!;
    pen.textAlign = "center";
    pen.fillText(number(stacked), x(line, hop, 0, 0), y(line, hop, 0, 0) - way * high);
  }

  /** Frames of a link layer on a link of its own. */
  private paintFrames(timeline: Timeline, scene: Scene, hop: number, time: number): void {
    const { frames } = timeline;
    const { values, width } = frames;
    const line = scene.links[hop >> 1]!;
    const last = frames.high(hop, time);
    for (let row = frames.low(hop, time); row < last; row++) {
      const at = row * width;
      const [starts, arrives] = [values[at + FRAME.starts]!, values[at + FRAME.arrives]!];
      if (arrives <= time) continue;
      const share = ((time - starts) / (arrives - starts)) * (values[at + FRAME.damaged] === 1 ? LOST_AT : 1);
      const kind = values[at + FRAME.kind]!;
      const [cx, cy] = [x(line, hop, share, side(kind)), y(line, hop, share, side(kind))];
      paintPacket(this.pen, this.colors, kind, cx, cy, 1);
      const attempt = values[at + FRAME.attempt]!;
      if (attempt > 1) {
        this.pen.fillStyle = this.colors["text"]!;
        this.pen.textAlign = "center";
        const up = side(kind);
        this.pen.fillText(number(attempt), cx + line.up.x * up * 11, cy + line.up.y * up * 11);
      }
    }
  }

  /** Frames in the air of a cell, and its back-offs. */
  private paintCell(timeline: Timeline, scene: Scene, cell: number, time: number): void {
    const { pen, colors } = this;
    const air = timeline.air[cell]!;
    const { values, width } = air;
    const last = air.high(0, time);
    for (let row = air.low(0, time); row < last; row++) {
      const at = row * width;
      const [begin, end] = [values[at + AIR.begin]!, values[at + AIR.end]!];
      if (end <= time) continue;
      const [from, to, kind] = [values[at]!, values[at + AIR.to]!, values[at + AIR.kind]!];
      const sender = scene.nodes[from];
      if (!sender) continue;
      const share = (time - begin) / (end - begin);
      // The radio of the sender.
      pen.strokeStyle = colors["acked"]!;
      pen.lineWidth = 1;
      pen.beginPath();
      pen.arc(sender.x, sender.y, 17 + 5 * share, 0, 2 * Math.PI);
      pen.stroke();
      const hop = this.hopOf.get(from * scene.nodes.length + to);
      if (kind === BEACON || hop === undefined) continue;
      const line = scene.links[hop >> 1]!;
      const answers = kind === AIR_ACK || kind === BLOCK_ACK || kind === CTS;
      const way = answers ? -1 : 1;
      this.airFrame(values, at, x(line, hop, share, way), y(line, hop, share, way));
    }
    const backOffs = timeline.backOffs[cell]!;
    for (let node = 0; node < scene.nodes.length; node++) {
      const until = backOffs.high(node, time);
      for (let row = backOffs.low(node, time); row < until; row++) {
        const at = row * backOffs.width;
        if (backOffs.values[at + BACK_OFF.end]! > time) this.backOff(backOffs.values, at, scene.nodes[node]!, time);
      }
    }
  }

  private airFrame(values: Float64Array, at: number, cx: number, cy: number): void {
    const { pen, colors } = this;
    const kind = values[at + AIR.kind]!;
    const fails = values[at + AIR.reception]! > 0;
    pen.textAlign = "center";
    if (kind === RTS || kind === CTS) {
      pen.fillStyle = colors["background"]!;
      pen.strokeStyle = (kind === RTS ? colors["sent"] : colors["acked"])!;
      pen.lineWidth = 1.5;
      pen.fillRect(cx - 7, cy - 6, 14, 12);
      pen.strokeRect(cx - 7, cy - 6, 14, 12);
      pen.fillStyle = colors["text"]!;
      pen.fillText(kind === RTS ? "R" : "C", cx, cy + 0.5);
    } else if (kind === AIR_ACK || kind === BLOCK_ACK) {
      pen.fillStyle = colors["acked"]!;
      pen.beginPath();
      pen.arc(cx, cy, kind === BLOCK_ACK ? 5 : 3.5, 0, 2 * Math.PI);
      pen.fill();
    } else {
      paintPacket(pen, colors, values[at + AIR.packet]!, cx, cy, kind === AGGREGATE ? 1.6 : 1.25);
      const packets = values[at + AIR.packets]!;
      if (packets > 1) {
        pen.fillStyle = colors["text"]!;
        pen.fillText(number(packets), cx, cy - 14);
      }
    }
    if (fails) paintCross(pen, colors, cx, cy, 6);
  }

  /** A back-off: a bar of the slots that are left, hollow while it is frozen, with their number. */
  private backOff(values: Float64Array, at: number, spot: Spot, time: number): void {
    const { pen, colors } = this;
    const [begin, end, slots] = [values[at + BACK_OFF.begin]!, values[at + BACK_OFF.end]!, values[at + BACK_OFF.slots]!];
    const left = values[at + BACK_OFF.left]! - (slots > 0 ? (slots * (time - begin)) / (end - begin) : 0);
    if (!(left >= 0)) return;
    const share = Math.min(1, left / Math.max(1, values[at + BACK_OFF.window]!));
    const [top, start] = [spot.y - 28, spot.x - 18];
    pen.strokeStyle = colors["notice"]!;
    pen.lineWidth = 1;
    pen.strokeRect(start - 0.5, top - 0.5, 31, 7);
    if (slots > 0) {
      pen.fillStyle = colors["notice"]!;
      pen.fillRect(start, top, 30 * share, 6);
    } else {
      pen.strokeRect(start + 1, top + 1.5, Math.max(0, 30 * share - 2), 3);
    }
    pen.fillStyle = colors["text"]!;
    pen.textAlign = "left";
    pen.fillText(number(Math.ceil(left)), start + 35, top + 3);
  }

  /** What has left its way in the last moments. */
  private paintFalls(timeline: Timeline, scene: Scene, time: number, fall: number): void {
    const { pen } = this;
    const { fallTimes, fallKinds, fallRows } = timeline;
    let [low, high] = [0, fallTimes.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (fallTimes[middle]! > time - fall) high = middle;
      else low = middle + 1;
    }
    for (let at = low; at < fallTimes.length && fallTimes[at]! <= time && at < low + FLYING; at++) {
      const age = fall > 0 ? (time - fallTimes[at]!) / fall : 0;
      pen.globalAlpha = 1 - age * age;
      this.falling(timeline, scene, fallKinds[at]!, fallRows[at]!, age);
    }
    pen.globalAlpha = 1;
  }

  private falling(timeline: Timeline, scene: Scene, what: Fall, row: number, age: number): void {
    const { pen, colors } = this;
    const down = 34 * age;
    if (what === Fall.Collision) {
      for (const air of timeline.air) {
        if (row >= air.count) {
          row -= air.count;
          continue;
        }
        const spot = scene.nodes[air.values[row * air.width + AIR.to]!];
        if (spot) paintBurst(pen, colors, spot.x, spot.y - 20, 5 + 7 * age);
        return;
      }
      return;
    }
    if (what === Fall.Stop) {
      const { values, width } = timeline.stops;
      const spot = scene.nodes[values[row * width]!];
      if (!spot) return;
      if (values[row * width + STOP.why] !== 2) return this.fallen(values[row * width + STOP.kind]!, spot.x, spot.y + 18 + down);
      // A packet that a scheme consumes stays in the node.
      pen.strokeStyle = colors["notice"]!;
      pen.lineWidth = 2;
      pen.beginPath();
      pen.arc(spot.x, spot.y, 20 - 12 * age, 0, 2 * Math.PI);
      pen.stroke();
      return;
    }
    const { values, width } = what === Fall.Frame ? timeline.frames : timeline.packets;
    const at = row * width;
    const [hop, kind] = [values[at]!, values[at + PACKET.kind]!];
    const line = scene.links[hop >> 1]!;
    const onWay = what === Fall.Frame || values[at + PACKET.outcome] === 1;
    const share = onWay ? LOST_AT : 0;
    this.fallen(kind, x(line, hop, share, side(kind)), y(line, hop, share, side(kind)) + down);
  }

  private fallen(kind: number, cx: number, cy: number): void {
    paintPacket(this.pen, this.colors, kind, cx, cy, 1);
    paintCross(this.pen, this.colors, cx, cy, 6);
  }

  /** What schemes keep: a bar above their node, with the bytes. */
  private paintKept(timeline: Timeline, scene: Scene, time: number): void {
    const { pen, colors } = this;
    for (let node = 0; node < scene.nodes.length; node++) {
      const most = timeline.mostKept[node]!;
      if (most <= 0) continue;
      const kept = timeline.kept(node, time);
      if (kept !== this.keptBytes[node]) {
        this.keptBytes[node] = kept;
        this.keptTexts[node] = `keeps ${bytes(kept)}`;
      }
      const spot = scene.nodes[node]!;
      const bottom = spot.y - 24;
      pen.fillStyle = colors["surface"]!;
      pen.fillRect(spot.x - 14, bottom - 26, 28, 26);
      pen.fillStyle = colors["notice"]!;
      pen.fillRect(spot.x - 14, bottom - (26 * kept) / most, 28, (26 * kept) / most);
      pen.strokeStyle = colors["frame"]!;
      pen.lineWidth = 1;
      pen.strokeRect(spot.x - 14, bottom - 26, 28, 26);
      pen.fillStyle = colors["text"]!;
      pen.textAlign = "center";
      pen.fillText(this.keptTexts[node]!, spot.x, bottom - 34);
    }
  }
}

/** Coordinates on a hop: a share of the way, beside the link. */
function x({ from, to, up }: Line, hop: number, share: number, way: number): number {
  const along = (hop & 1) === 0 ? share : 1 - share;
  return from.x + (to.x - from.x) * along + up.x * way * BESIDE;
}

function y({ from, to, up }: Line, hop: number, share: number, way: number): number {
  const along = (hop & 1) === 0 ? share : 1 - share;
  return from.y + (to.y - from.y) * along + up.y * way * BESIDE;
}

function clipped(pen: Pen, text: string, room: number): string {
  if (pen.measureText(text).width <= room) return text;
  let kept = text.slice(0, 60);
  while (kept.length > 1 && pen.measureText(`${kept}…`).width > room) kept = kept.slice(0, -1);
  return `${kept}…`;
}
