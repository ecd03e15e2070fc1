/** Journeys in an interval, indexed by time: what is under way at a time, and which event is next. */

import type { Cell, Column, Journeys } from "./protocol";

/** Values of a row of packets. */
export const PACKET = { hop: 0, flow: 1, kind: 2, offset: 3, bytes: 4, joined: 5, starts: 6, leaves: 7, arrives: 8, outcome: 9 } as const;
/** Values of a row of link layers' frames. */
export const FRAME = { hop: 0, flow: 1, kind: 2, offset: 3, starts: 4, arrives: 5, attempt: 6, damaged: 7 } as const;
/** Values of a row of stopped packets. */
export const STOP = { node: 0, flow: 1, kind: 2, offset: 3, bytes: 4, at: 5, why: 6 } as const;
/** Values of a row of a cell's frames. */
export const AIR = { from: 0, to: 1, kind: 2, begin: 3, end: 4, reception: 5, again: 6, packets: 7, damaged: 8, flow: 9, packet: 10, offset: 11 } as const;
/** Values of a row of back-offs. */
export const BACK_OFF = { node: 0, begin: 1, end: 2, slots: 3, left: 4, window: 5 } as const;

/** Rows that begin and end, by group and by begin. */
export class Rows {
  readonly count: number;
  /** The first row of each group, and the end of the last. */
  private readonly first: Int32Array;
  /** The latest end among the rows of a group up to each row. */
  private readonly latest: Float64Array;

  constructor(
    readonly values: Float64Array,
    readonly width: number,
    readonly groups: number,
    group: number | undefined,
    readonly begin: number,
    readonly end: number,
  ) {
    this.count = values.length / width;
    this.first = new Int32Array(groups + 1);
    this.latest = new Float64Array(this.count);
    let before = -1;
    for (let row = 0; row < this.count; row++) {
      const of = group === undefined ? 0 : values[row * width + group]!;
      const ends = values[row * width + end]!;
      this.latest[row] = of === before ? Math.max(ends, this.latest[row - 1]!) : ends;
      for (; before < of; before++) this.first[before + 1] = row;
    }
    for (; before < groups; before++) this.first[before + 1] = this.count;
  }

  /** The first row of a group that may end after a time. */
  low(group: number, time: number): number {
    let [low, high] = [this.first[group]!, this.first[group + 1]!];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.latest[middle]! > time) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** The first row of a group that begins after a time. */
  high(group: number, time: number): number {
    let [low, high] = [this.first[group]!, this.first[group + 1]!];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.values[middle * this.width + this.begin]! > time) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** The time after `time`, or before it, at which one of the columns of any row has a value; `best` if that is nearer. */
  nearest(time: number, forward: boolean, columns: readonly number[], best: number): number {
    for (let group = 0; group < this.groups; group++) {
      best = forward ? this.next(group, time, columns, best) : this.previous(group, time, columns, best);
    }
    return best;
  }

  private next(group: number, time: number, columns: readonly number[], best: number): number {
    const last = this.first[group + 1]!;
    for (let row = this.low(group, time); row < last; row++) {
      const at = row * this.width;
      if (this.values[at + this.begin]! > best) break;
      for (const column of columns) {
        const value = this.values[at + column]!;
        if (value > time && value < best) best = value;
      }
    }
    return best;
  }

  private previous(group: number, time: number, columns: readonly number[], best: number): number {
    for (let row = this.high(group, time) - 1; row >= this.first[group]!; row--) {
      if (this.latest[row]! <= best) break;
      const at = row * this.width;
      for (const column of columns) {
        const value = this.values[at + column]!;
        if (value < time && value > best) best = value;
      }
    }
    return best;
  }
}

/** What falls off its way. */
export enum Fall {
  Packet,
  Frame,
  Stop,
  Collision,
}

const rows = (column: Column, groups: number, group: number | undefined, begin: number, end: number): Rows =>
  new Rows(column.values, column.width, groups, group, begin, end);

/** Two times are the same event if they differ by less than this, in seconds. */
const SAME = 5e-10;

/** Events that are described of one time. */
const TOLD = 2;

export class Timeline {
  readonly packets: Rows;
  readonly frames: Rows;
  readonly stops: Rows;
  readonly bad: Rows;
  readonly associations: Rows;
  readonly air: Rows[];
  readonly backOffs: Rows[];
  /** Times at which something falls off, in order, with what it is and its row. */
  readonly fallTimes: Float64Array;
  readonly fallKinds: Uint8Array;
  readonly fallRows: Int32Array;
  /** Most bytes that a scheme keeps, by node; 0 for nodes without. */
  readonly mostKept: Float64Array;
  /** Links of mobiles that use one link at a time. */
  readonly roaming: Set<number>;

  constructor(readonly journeys: Journeys) {
    const { nodes, links, cells } = journeys;
    this.packets = rows(journeys.packets, 2 * links.length, PACKET.hop, PACKET.joined, PACKET.arrives);
    this.frames = rows(journeys.frames, 2 * links.length, FRAME.hop, FRAME.starts, FRAME.arrives);
    this.stops = rows(journeys.stops, 1, undefined, STOP.at, STOP.at);
    this.bad = rows(journeys.bad, links.length, 0, 1, 2);
    this.associations = rows(journeys.associations, 1, undefined, 2, 3);
    this.air = cells.map((cell: Cell) => rows(cell.frames, 1, undefined, AIR.begin, AIR.end));
    this.backOffs = cells.map((cell) => rows(cell.back_offs, nodes.length, BACK_OFF.node, BACK_OFF.begin, BACK_OFF.end));
    this.mostKept = new Float64Array(nodes.length);
    const { values } = journeys.scheme_state;
    for (let at = 0; at < values.length; at += 3) this.mostKept[values[at]!] = Math.max(this.mostKept[values[at]!]!, values[at + 2]!);
    this.roaming = new Set();
    const roamers = journeys.associations.values;
    for (let at = 0; at < roamers.length; at += 4) {
      for (const [number, link] of links.entries()) {
        if (link.medium !== null && link.between.includes(roamers[at]!)) this.roaming.add(number);
      }
    }
    const falls = this.falls();
    this.fallTimes = Float64Array.from(falls, ([time]) => time);
    this.fallKinds = Uint8Array.from(falls, ([, kind]) => kind);
    this.fallRows = Int32Array.from(falls, ([, , row]) => row);
  }

  private falls(): [number, Fall, number][] {
    const found: [number, Fall, number][] = [];
    const collect = (from: Rows, kind: Fall, time: number, falls: (at: number) => boolean, base = 0): void => {
      for (let row = 0; row < from.count; row++) {
        const at = row * from.width;
        if (falls(at)) found.push([from.values[at + time]!, kind, base + row]);
      }
    };
    const { packets, frames, stops } = this;
    const lost = (at: number): boolean => {
      const outcome = packets.values[at + PACKET.outcome]!;
      return outcome > 0 && outcome < 5;
    };
    collect(packets, Fall.Packet, PACKET.arrives, lost);
    collect(frames, Fall.Frame, FRAME.arrives, (at) => frames.values[at + FRAME.damaged] === 1);
    collect(stops, Fall.Stop, STOP.at, () => true);
    // The rows of all cells have consecutive numbers.
    let base = 0;
    for (const air of this.air) {
      collect(air, Fall.Collision, AIR.end, (at) => air.values[at + AIR.reception]! > 0, base);
      base += air.count;
    }
    return found.sort((a, b) => a[0] - b[0]);
  }

  /** Bytes that a node's scheme keeps at a time. */
  kept(node: number, time: number): number {
    const { values } = this.journeys.scheme_state;
    let [low, high] = [0, values.length / 3];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (values[middle * 3 + 1]! > time) high = middle;
      else low = middle + 1;
    }
    for (let row = low - 1; row >= 0; row--) if (values[row * 3] === node) return values[row * 3 + 2]!;
    return 0;
  }

  /** Whether a mobile uses a link at a time. */
  uses(link: number, time: number): boolean {
    const { associations } = this;
    for (let row = associations.low(0, time); row < associations.high(0, time); row++) {
      if (associations.values[row * 4 + 1] === link && associations.values[row * 4 + 3]! > time) return true;
    }
    return false;
  }

  /** The time of the next or the previous event; infinite without one. */
  event(time: number, forward: boolean): number {
    const from = forward ? time + SAME : time - SAME;
    let best = forward ? Infinity : -Infinity;
    const look = (rows: Rows, ...columns: number[]): void => {
      best = rows.nearest(from, forward, columns, best);
    };
    look(this.packets, PACKET.joined, PACKET.starts, PACKET.arrives);
    look(this.frames, FRAME.starts, FRAME.arrives);
    look(this.stops, STOP.at);
    look(this.bad, 1, 2);
    look(this.associations, 2, 3);
    for (const air of this.air) look(air, AIR.begin, AIR.end);
    return best;
  }

  /** What happens at a time, in words; empty if nothing does. */
  told(time: number): string {
    const told = [...this.happenings(time)];
    const more = told.length > TOLD ? `, and ${told.length - TOLD} more` : "";
    return told.slice(0, TOLD).join("; ") + more;
  }

  private *happenings(time: number): Generator<string> {
    const { journeys } = this;
    const node = (number: number): string => journeys.nodes[number]?.name ?? "?";
    const link = (number: number): string => journeys.links[number]?.name ?? "?";
    const farEnd = (hop: number): string => node(journeys.links[hop >> 1]?.between[1 - (hop & 1)] ?? -1);
    const nearEnd = (hop: number): string => node(journeys.links[hop >> 1]?.between[hop & 1] ?? -1);
    const packet = (kind: number, offset: number, flow: number): string => {
      const position = Number.isNaN(offset) ? "" : ` ${offset}`;
      const of = flow < 0 ? "" : ` of flow ${journeys.flows[flow]?.name ?? flow}`;
      return `${journeys.kinds[kind]}${position}${of}`;
    };
    const is = (value: number | undefined): boolean => Math.abs((value ?? NaN) - time) < SAME;
    const [p, f, s] = [this.packets, this.frames, this.stops];
    const name = (values: Float64Array, at: number): string => packet(values[at + 2]!, values[at + 3]!, values[at + 1]!);

    for (const at of near(p, time)) {
      if (!is(p.values[at + PACKET.arrives])) continue;
      const [hop, what] = [p.values[at]!, name(p.values, at)];
      const ends = [
        `${what} arrives at ${farEnd(hop)}`,
        `${what} is lost on ${link(hop >> 1)}`,
        `${what} is dropped at ${nearEnd(hop)}: the queue is full`,
        `${what} is dropped early at ${nearEnd(hop)}`,
        `${what} is given up by the link layer of ${link(hop >> 1)}`,
      ];
      yield ends[p.values[at + PACKET.outcome]!] ?? what;
    }
    for (const at of near(s, time)) {
      if (!is(s.values[at + STOP.at])) continue;
      const [what, where] = [name(s.values, at), node(s.values[at]!)];
      const why = [`is dropped at ${where}: the buffer is full`, `has no route at ${where}`, `is consumed by the scheme of ${where}`];
      yield `${what} ${why[s.values[at + STOP.why]!]}`;
    }
    for (const [number, cell] of this.air.entries()) {
      const names = journeys.cell_names;
      for (const at of near(cell, time)) {
        const value = (column: number): number => cell.values[at + column]!;
        const [kind, from, to] = [names.frames[value(AIR.kind)], node(value(AIR.from)), node(value(AIR.to))];
        const again = value(AIR.again) === 1 ? " again" : "";
        if (is(value(AIR.begin))) yield `${from} sends ${kind} to ${to}${again} in ${journeys.cells[number]?.name}`;
        else if (is(value(AIR.end))) yield `${kind} of ${from} ${received(names.receptions[value(AIR.reception)])} ${to}`;
      }
    }
    for (const at of near(f, time)) {
      const [hop, what, attempt] = [f.values[at]!, name(f.values, at), f.values[at + FRAME.attempt]!];
      if (is(f.values[at + FRAME.arrives]) && f.values[at + FRAME.damaged] === 1) yield `the frame with ${what} arrives damaged at ${farEnd(hop)}`;
      if (is(f.values[at + FRAME.starts])) yield attempt > 0 ? `attempt ${attempt} to send ${what} on ${link(hop >> 1)}` : `${what} on ${link(hop >> 1)}`;
    }
    for (const at of near(p, time)) {
      const [hop, what] = [p.values[at]!, name(p.values, at)];
      const [joined, starts] = [is(p.values[at + PACKET.joined]), is(p.values[at + PACKET.starts])];
      if (starts && (p.values[at + PACKET.outcome] !== 2 || !is(p.values[at + PACKET.arrives]))) yield `${what} leaves the queue of ${nearEnd(hop)} for ${farEnd(hop)}`;
      else if (joined) yield `${what} joins the queue of ${nearEnd(hop)} for ${farEnd(hop)}`;
    }
    for (const at of near(this.bad, time)) {
      const begins = is(this.bad.values[at + 1]);
      if (begins || is(this.bad.values[at + 2])) yield `the channel of ${link(this.bad.values[at]!)} turns ${begins ? "BAD" : "GOOD"}`;
    }
    for (const at of near(this.associations, time)) {
      const [who, over] = [node(this.associations.values[at]!), link(this.associations.values[at + 1]!)];
      if (is(this.associations.values[at + 2])) yield `${who} associates over ${over}`;
      else if (is(this.associations.values[at + 3])) yield `${who} leaves ${over}`;
    }
  }

  /** A typical time that a packet takes over a link that is not wired, or over any. */
  typicalFlight(): number {
    const { packets } = this;
    const flights: number[] = [];
    for (const wireless of [true, false]) {
      const stride = Math.max(1, Math.floor(packets.count / 500));
      for (let row = 0; row < packets.count; row += stride) {
        const at = row * packets.width;
        const flight = packets.values[at + PACKET.arrives]! - packets.values[at + PACKET.starts]!;
        const link = this.journeys.links[packets.values[at]! >> 1];
        const data = packets.values[at + PACKET.kind] === 0 || packets.values[at + PACKET.kind] === 3;
        if (data && Number.isFinite(flight) && flight > 0 && (link?.wireless || !wireless)) flights.push(flight);
      }
      if (flights.length > 0) break;
    }
    return flights.sort((a, b) => a - b)[flights.length >> 1] ?? 1;
  }
}

/** Offsets of the rows around a time. */
function* near(rows: Rows, time: number): Generator<number> {
  for (let group = 0; group < rows.groups; group++) {
    const last = rows.high(group, time + SAME);
    for (let row = rows.low(group, time - SAME); row < last; row++) yield row * rows.width;
  }
}

function received(reception: string | undefined): string {
  if (reception === "received") return "arrives at";
  if (reception === "collided") return "collides at";
  return reception === "corrupted" ? "arrives damaged at" : "is not heard by";
}
