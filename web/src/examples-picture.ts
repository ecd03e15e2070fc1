/** A small picture of a scenario's nodes and links, from its controls. */

import type { Control } from "./protocol";

const SPACE = "http://www.w3.org/2000/svg";
const WIDTH = 240;
const HEIGHT = 88;

/** Nodes of a column that fit with their names. */
const NAMED = 2;

/** Nodes of a column that are drawn. */
const DRAWN = 6;

export interface Topology {
  nodes: { name: string; kind: string; count: number }[];
  links: { ends: [string, string]; isWireless: boolean }[];
  /** Where the first flow begins. */
  start: string | undefined;
}

/** The name in a path such as `nodes.server.kind`. */
function nameIn(path: string, part: string, rest: string): string | undefined {
  if (!path.startsWith(`${part}.`) || !path.endsWith(rest)) return undefined;
  return path.slice(part.length + 1, path.length - rest.length).replace(/^"(.*)"$/, "$1");
}

/** The nodes and links that the controls of a scenario describe. */
export function topologyOf(controls: Control[]): Topology {
  const values = new Map(controls.map((control) => [control.path, control.current ?? control.default] as const));
  const topology: Topology = { nodes: [], links: [], start: undefined };
  for (const { path, current } of controls) {
    const node = nameIn(path, "nodes", ".kind");
    if (node !== undefined && !node.includes(".")) {
      const count = Number(values.get(path.replace(/kind$/, "count")) ?? 1) || 1;
      topology.nodes.push({ name: node, kind: current ?? "host", count });
    }
    const link = nameIn(path, "links", ".between[0]");
    const other = values.get(path.replace(/\[0\]$/, "[1]"));
    if (link !== undefined && current !== null && other) {
      const isWireless = values.get(path.replace(/between\[0\]$/, "kind")) === "wireless";
      topology.links.push({ ends: [current, other], isWireless });
    }
    const flow = nameIn(path, "flows", ".from") ?? nameIn(path, "arrivals", ".from");
    if (flow !== undefined && current !== null) topology.start ??= current;
  }
  return topology;
}

/** The nodes in columns, by their distance from the start. */
export function columnsOf({ nodes, links, start }: Topology): string[][] {
  const names = nodes.map((node) => node.name);
  const columns: string[][] = [];
  const placed = new Set<string>();
  let next = names.filter((name) => name === start).concat(names.slice(0, 1)).slice(0, 1);
  while (next.length > 0) {
    columns.push(next);
    for (const name of next) placed.add(name);
    const last = next;
    const beyond = links.flatMap(({ ends: [a, b] }) => (last.includes(a) ? [b] : last.includes(b) ? [a] : []));
    next = [...new Set(beyond)].filter((name) => names.includes(name) && !placed.has(name));
  }
  const rest = names.filter((name) => !placed.has(name));
  return rest.length > 0 ? [...columns, rest] : columns;
}

function shape(name: string, attributes: Record<string, string | number>): SVGElement {
  const element = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}

function label(text: string, x: number, y: number): SVGElement {
  const element = shape("text", { x, y, "text-anchor": "middle" });
  element.textContent = text;
  return element;
}

const short = (name: string): string => (name.length > 10 ? `${name.slice(0, 9)}…` : name);

function node(kind: string, x: number, y: number): SVGElement {
  if (kind === "router") return shape("rect", { class: "router", x: x - 7, y: y - 7, width: 14, height: 14, rx: 2 });
  if (kind === "base-station") return shape("path", { class: "station", d: `M${x} ${y - 10}L${x + 9} ${y + 7}H${x - 9}Z` });
  return shape("circle", { class: "host", cx: x, cy: y, r: 7 });
}

/** The picture; the text beside it says what it shows. */
export function picture(topology: Topology): SVGElement {
  const svg = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true", class: "topology" });
  const columns = columnsOf(topology);
  const places = new Map<string, [number, number]>();
  const labels: SVGElement[] = [];
  const kinds = new Map(topology.nodes.map((entry) => [entry.name, entry] as const));
  for (const [number, names] of columns.entries()) {
    const x = columns.length === 1 ? WIDTH / 2 : 28 + (number * (WIDTH - 56)) / (columns.length - 1);
    const drawn = names.slice(0, DRAWN);
    const isNamed = names.length <= NAMED;
    for (const [row, name] of drawn.entries()) {
      const y = isNamed ? (HEIGHT * (row + 0.5)) / drawn.length - 5 : 10 + (row * (HEIGHT - 20)) / Math.max(1, drawn.length - 1);
      places.set(name, [x, y]);
      const count = kinds.get(name)?.count ?? 1;
      if (isNamed) labels.push(label(count > 1 ? `${short(name)} ×${count}` : short(name), x, y + 20));
    }
  }
  for (const { ends, isWireless } of topology.links) {
    const [from, to] = [places.get(ends[0]), places.get(ends[1])];
    if (from && to) svg.append(shape("path", { class: isWireless ? "air" : "wire", d: `M${from.join(" ")}L${to.join(" ")}` }));
  }
  for (const [name, [x, y]] of places) svg.append(node(kinds.get(name)?.kind ?? "host", x, y));
  svg.append(...labels);
  return svg;
}
