/** The map: nodes with positions, where they are at the time of the animation. */

import "./animation.css";
import type { App } from "./app";
import { el } from "./dom";
import type { JourneyMap } from "./protocol";
import type { Spot } from "./scene";
import { paintNode, paletteOf } from "./symbols";
import { theme } from "./theme";
import type { Timeline } from "./timeline";
import { windowsOf } from "./windows";

/** Pixels around what the map shows. */
const MARGIN = 34;
const HIGHEST = 420;
const LOWEST = 180;
/** A carrier sense range of at most this multiple of the range is shown whole. */
const WHOLE = 1.5;
/** The extent in metres of a map whose nodes stand at one place. */
const LEAST_M = 10;

/** How metres become pixels. */
interface Scale {
  height: number;
  /** Pixels per metre. */
  scale: number;
  west: number;
  north: number;
}

/** The position of a node at a time, in metres. */
function place({ corners }: JourneyMap, node: number, time: number): Spot {
  const { values } = corners;
  let before = -1;
  for (let at = 0; at < values.length; at += 4) {
    if (values[at] !== node) continue;
    if (values[at + 1]! <= time || before < 0) before = at;
    else break;
  }
  if (before < 0) return { x: 0, y: 0 };
  const after = values[before + 4] === node ? before + 4 : before;
  const [from, to] = [values[before + 1]!, values[after + 1]!];
  const share = to > from ? Math.max(0, (time - from) / (to - from)) : 0;
  const part = (axis: number): number => values[before + axis]! + (values[after + axis]! - values[before + axis]!) * share;
  return { x: part(2), y: part(3) };
}

function scaled(map: JourneyMap, width: number): Scale {
  let [west, east, south, north] = [Infinity, -Infinity, Infinity, -Infinity];
  const show = (x: number, y: number): void => {
    [west, east, south, north] = [Math.min(west, x), Math.max(east, x), Math.min(south, y), Math.max(north, y)];
  };
  const { values } = map.corners;
  for (let at = 0; at < values.length; at += 4) show(values[at + 2]!, values[at + 3]!);
  for (const { node, received, sensed } of map.ranges) {
    const { x, y } = place(map, node, 0);
    const radius = sensed <= WHOLE * received ? sensed : received;
    show(x - radius, y - radius);
    show(x + radius, y + radius);
  }
  const wide = Math.max(east - west, LEAST_M);
  const high = Math.max(north - south, LEAST_M / 4);
  const inner = width - 2 * MARGIN;
  const height = Math.min(HIGHEST, Math.max(LOWEST, (inner * high) / wide + 2 * MARGIN));
  const scale = Math.min(inner / wide, (height - 2 * MARGIN) / high);
  return {
    height,
    scale,
    west: (west + east) / 2 - width / 2 / scale,
    north: (south + north) / 2 + height / 2 / scale,
  };
}

/** A round length of about a sixth of a width, in metres. */
function roundLength(metres: number): number {
  const power = 10 ** Math.floor(Math.log10(metres));
  return power * (metres / power >= 5 ? 5 : metres / power >= 2 ? 2 : 1);
}

export function mountMap(root: HTMLElement, app: App): void {
  const canvas = el("canvas", { role: "img", "aria-label": "Map of the nodes" });
  const section = el("section", { class: "map", "aria-label": "Map", hidden: true }, el("h3", {}, "Map"), canvas);
  root.append(section);
  const shared = windowsOf(app);
  const pen = canvas.getContext("2d");
  if (!pen) return;
  let requested = false;
  let shown: { timeline: Timeline; width: number; scale: Scale } | undefined;

  const draw = (): void => {
    requested = false;
    const time = shared.time.value;
    const timeline = shared.of(0).at(time);
    const map = timeline?.journeys.map;
    if (timeline) section.hidden = !map;
    const width = section.clientWidth;
    if (!timeline || !map || width === 0) return;
    if (shown?.timeline !== timeline || shown.width !== width) {
      const scale = scaled(map, width);
      const ratio = Math.min(2, window.devicePixelRatio || 1);
      [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(scale.height * ratio)];
      canvas.style.height = `${scale.height}px`;
      shown = { timeline, width, scale };
    }
    paint(pen, timeline, map, shown.scale, width, time);
  };
  const request = (): void => {
    if (requested) return;
    requested = true;
    requestAnimationFrame(draw);
  };
  shared.time.subscribe(request);
  shared.runs.subscribe(request);
  shared.of(0).loaded.subscribe(request);
  theme.subscribe(request);
  new ResizeObserver(request).observe(root);
}

function paint(pen: CanvasRenderingContext2D, timeline: Timeline, map: JourneyMap, scale: Scale, width: number, time: number): void {
  const colors = paletteOf();
  const ratio = pen.canvas.width / width;
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, scale.height);
  const pixel = ({ x, y }: Spot): Spot => ({ x: (x - scale.west) * scale.scale, y: (scale.north - y) * scale.scale });
  const spots = new Map(map.nodes.map((node) => [node, pixel(place(map, node, time))]));
  const circle = ({ x, y }: Spot, metres: number, dash: number[], stroke: string): void => {
    pen.setLineDash(dash);
    pen.strokeStyle = stroke;
    pen.lineWidth = 1.2;
    pen.beginPath();
    pen.arc(x, y, metres * scale.scale, 0, 2 * Math.PI);
    pen.stroke();
  };
  for (const { node, received, sensed } of map.ranges) {
    const spot = spots.get(node);
    if (!spot) continue;
    circle(spot, received, [], colors["acked"]!);
    circle(spot, sensed, [2, 4], colors["faint"]!);
  }
  pen.setLineDash([]);
  // The ways of nodes that move.
  pen.strokeStyle = colors["frame"]!;
  pen.lineWidth = 1.2;
  const { values } = map.corners;
  pen.beginPath();
  for (let at = 0; at < values.length; at += 4) {
    const { x, y } = pixel({ x: values[at + 2]!, y: values[at + 3]! });
    if (at > 0 && values[at] === values[at - 4]) pen.lineTo(x, y);
    else pen.moveTo(x, y);
  }
  pen.stroke();
  // Associations are all wireless links of nodes that stay, and the used wireless links of nodes that roam.
  pen.strokeStyle = colors["sent"]!;
  pen.lineWidth = 2;
  for (const [number, link] of timeline.journeys.links.entries()) {
    const [from, to] = [spots.get(link.between[0]), spots.get(link.between[1])];
    if (!link.wireless || !from || !to || (timeline.roaming.has(number) && !timeline.uses(number, time))) continue;
    pen.beginPath();
    pen.moveTo(from.x, from.y);
    pen.lineTo(to.x, to.y);
    pen.stroke();
  }
  pen.textAlign = "center";
  pen.textBaseline = "top";
  pen.font = "600 12px system-ui, sans-serif";
  for (const [node, spot] of spots) {
    paintNode(pen, spot, timeline.journeys.nodes[node]?.kind ?? "host", colors);
    pen.fillStyle = colors["text"]!;
    pen.fillText(timeline.journeys.nodes[node]?.name ?? "", spot.x, spot.y + 16);
  }
  const metres = roundLength((width / scale.scale) * 0.25);
  const [right, bottom] = [width - 14, scale.height - 12];
  pen.strokeStyle = colors["text"]!;
  pen.lineWidth = 1.4;
  pen.beginPath();
  pen.moveTo(right - metres * scale.scale, bottom - 4);
  pen.lineTo(right - metres * scale.scale, bottom);
  pen.lineTo(right, bottom);
  pen.lineTo(right, bottom - 4);
  pen.stroke();
  pen.font = "11px system-ui, sans-serif";
  pen.textAlign = "right";
  pen.textBaseline = "bottom";
  pen.fillText(`${metres >= 1000 ? `${metres / 1000} km` : `${metres} m`}`, right, bottom - 5);
}
