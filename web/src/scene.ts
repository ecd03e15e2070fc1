/** Places of nodes and links on a canvas: the path from left to right, cells as a star around their base station. */

import type { Journeys } from "./protocol";

export interface Spot {
  x: number;
  y: number;
}

/** A link on the canvas, in CSS pixels. */
export interface Line {
  /** Ends at the borders of the nodes, in the direction of the link. */
  from: Spot;
  to: Spot;
  /** Unit vector to the side on which data is drawn: upwards, or to the left of a vertical link. */
  up: Spot;
}

export interface Scene {
  width: number;
  height: number;
  nodes: Spot[];
  links: Line[];
}

/** Distance of a link's ends from the middle of their nodes. */
const BORDER = 20;
/** Height for a row of nodes, and of stations around a base station. */
const ROW = 84;
const STATION = 44;
/** The same where few stations leave room for their queues. */
const ROOMY = 72;
const LOW = 190;

interface Part {
  layer: number;
  /** The node around which this one stands, if it is one of a star. */
  hub: number | undefined;
}

/** The nodes' layers: by their distance in links from the first flow's sender. */
function parts({ nodes, links, flows }: Journeys): Part[] {
  const around: number[][] = nodes.map(() => []);
  for (const [number, link] of links.entries()) for (const end of link.between) around[end]?.push(number);
  const other = (link: number, node: number): number => {
    const [a, b] = links[link]!.between;
    return a === node ? b : a;
  };
  const hubs = nodes.map((_, node): number | undefined => {
    const [only, ...more] = around[node]!;
    if (only === undefined || more.length > 0 || links[only]!.medium === null) return undefined;
    return other(only, node);
  });
  const stars = nodes.map((_, hub) => hubs.filter((other) => other === hub).length);
  // A single station continues the path. Two nodes that only have each other do not form a star.
  const hubOf = hubs.map((hub) => (hub !== undefined && stars[hub]! > 1 && hubs[hub] === undefined ? hub : undefined));
  const layers: (number | undefined)[] = nodes.map(() => undefined);
  const spread = (start: number): void => {
    layers[start] = 0;
    const queue = [start];
    for (let node = queue.shift(); node !== undefined; node = queue.shift()) {
      for (const link of around[node]!) {
        const next = other(link, node);
        if (layers[next] !== undefined || hubOf[next] !== undefined) continue;
        layers[next] = layers[node]! + 1;
        queue.push(next);
      }
    }
  };
  const first = flows[0]?.from ?? 0;
  if (nodes.length > 0) spread(hubOf[first] ?? first);
  nodes.forEach((_, node) => {
    if (hubOf[node] === undefined && layers[node] === undefined) spread(node);
  });
  // A host with one link stands on the side of its kind: senders on the left, receivers on the right.
  for (const { from } of flows) {
    const [only, ...more] = around[from] ?? [];
    const layer = layers[from];
    if (only === undefined || more.length > 0 || layer === undefined || hubOf[from] !== undefined || from === first) continue;
    const neighbour = layers[other(only, from)];
    if (neighbour !== undefined && layer > neighbour && neighbour > 0 && !flows.some((flow) => flow.to === from)) layers[from] = neighbour - 1;
  }
  return nodes.map((_, node) => ({ layer: layers[node] ?? 0, hub: hubOf[node] }));
}

/** Lays a network out for a width. */
export function layout(journeys: Journeys, width: number): Scene {
  const found = parts(journeys);
  const core = found.flatMap((part, node) => (part.hub === undefined ? [node] : []));
  const columns = new Map<number, number[]>();
  for (const node of core) {
    const layer = found[node]!.layer;
    columns.set(layer, [...(columns.get(layer) ?? []), node]);
  }
  const last = Math.max(0, ...columns.keys());
  const starOf = new Map<number, number[]>();
  for (const [node, { hub }] of found.entries()) {
    if (hub !== undefined) starOf.set(hub, [...(starOf.get(hub) ?? []), node]);
  }
  // Stations stand beyond their base station: on the left of the path if the base station is the first of several
  // nodes.
  const isLeft = (hub: number): boolean => found[hub]!.layer === 0 && last > 0;
  const wide = width >= 520 ? 1.6 : 1.3;
  const left = [...starOf.keys()].some(isLeft) ? wide : 0;
  const right = [...starOf.keys()].some((hub) => !isLeft(hub) && found[hub]!.layer === last) ? wide : 0;
  const margin = width >= 520 ? 64 : 40;
  const steps = last + left + right;
  const step = steps > 0 ? (width - 2 * margin) / steps : 0;
  const stars = [...starOf.values()].map(({ length }) => length * (length > 4 ? STATION : ROOMY));
  const most = Math.max(1, ...[...columns.values()].map((column) => column.length));
  const height = Math.max(LOW, most * ROW + 40, Math.max(0, ...stars) + 66);
  const nodes: Spot[] = journeys.nodes.map(() => ({ x: 0, y: 0 }));
  for (const [layer, column] of columns) {
    const x = steps > 0 ? margin + (layer + left) * step : width / 2;
    for (const [number, node] of column.entries()) nodes[node] = { x, y: (height * (number + 0.5)) / column.length - 4 };
  }
  for (const [hub, stations] of starOf) {
    const way = isLeft(hub) ? -1 : 1;
    const reach = step * wide;
    for (const [number, node] of stations.entries()) {
      const share = stations.length > 1 ? number / (stations.length - 1) : 0.5;
      const angle = (share - 0.5) * Math.PI * 0.8;
      // Every second of many stands further in, so that names have room.
      const near = stations.length > 6 && number % 2 === 1 ? 0.68 : 1;
      const y = 48 + share * (height - 94);
      nodes[node] = { x: nodes[hub]!.x + way * reach * near * (0.62 + 0.38 * Math.cos(angle)), y };
    }
  }
  const line = ({ between: [a, b] }: { between: [number, number] }, number: number): Line => {
    const [from, to] = [nodes[a]!, nodes[b]!];
    const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
    const along = { x: (to.x - from.x) / length, y: (to.y - from.y) / length };
    const up = along.x > 1e-6 || (Math.abs(along.x) <= 1e-6 && along.y > 0) ? { x: along.y, y: -along.x } : { x: -along.y, y: along.x };
    const border = Math.min(BORDER, length / 3);
    // Links between the same two nodes lie side by side.
    const same = journeys.links.slice(0, number).filter((link) => link.between.includes(a) && link.between.includes(b)).length;
    const shift = same * 22;
    const end = ({ x, y }: Spot, way: number): Spot => ({ x: x + way * along.x * border + up.x * shift, y: y + way * along.y * border + up.y * shift });
    return { from: end(from, 1), to: end(to, -1), up };
  };
  return { width, height, nodes, links: journeys.links.map(line) };
}
