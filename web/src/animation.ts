/** Packets that move: the path of each shown variant as an animation, in step with the figures. */

import "./animation.css";
import type { App } from "./app";
import { button, el } from "./dom";
import { moment } from "./format";
import { Painter } from "./paint";
import { layout } from "./scene";
import { paintPacket, paletteOf } from "./symbols";
import { theme } from "./theme";
import type { Timeline } from "./timeline";
import { windowsOf, type Windows } from "./windows";

/** Speeds as powers of ten. */
const SLOWEST = -3;
const FASTEST = 1;
const STEP = 0.25;

/** Time that a typical flight takes on the screen, in seconds. */
const FLIGHT_S = 0.6;

/** Time for which what is lost falls, in seconds of the screen. */
const FALL_S = 0.7;

/** Shortest time between two moves of the figures' cursor, in ms: they draw all panels. */
const CURSOR_MS = 100;

/** Longest step of a frame, in ms: after a pause of the browser the animation does not jump. */
const LONGEST_MS = 100;

const still = matchMedia("(prefers-reduced-motion: reduce)");

/** Packets' shapes in the key: kinds of the column, and names. */
const KEY: [number, string][] = [
  [0, "data"],
  [5, "data again"],
  [1, "ACK"],
  [2, "ICMP"],
  [3, "datagram"],
  [4, "SYN, FIN"],
];

/** One variant's animation. */
class View {
  readonly element: HTMLElement;
  readonly painter: Painter;
  private readonly waits = el("span", { class: "waits" });
  private shown: Timeline | undefined;
  private width = 0;
  private waiting = false;

  constructor(
    readonly windows: Windows,
    name: string,
  ) {
    const canvas = el("canvas", { role: "img", "aria-label": `Packets on the path, ${name}` });
    this.painter = new Painter(canvas);
    this.element = el("div", { class: "stage-of" }, el("h3", {}, name), this.waits, canvas);
  }

  get timeline(): Timeline | undefined {
    return this.shown;
  }

  /** Forgets the layout: after a change of the theme. */
  reset(): void {
    this.width = 0;
  }

  /** Paints a time in this width; returns whether it is loaded. */
  paint(time: number, fall: number, width: number): boolean {
    const timeline = this.windows.at(time);
    if (!timeline !== this.waiting) {
      this.waiting = !timeline;
      this.waits.textContent = this.waiting ? "loads …" : "";
    }
    if (!timeline) return false;
    if (width === 0) return true;
    if (timeline !== this.shown || width !== this.width) {
      const same = this.shown?.journeys;
      const sameNetwork = same && JSON.stringify([same.nodes, same.links]) === JSON.stringify([timeline.journeys.nodes, timeline.journeys.links]);
      if (sameNetwork && width === this.width && timeline.roaming.size === this.shown?.roaming.size) this.painter.follow(timeline);
      else this.painter.show(timeline, layout(timeline.journeys, width));
      this.shown = timeline;
      this.width = width;
    }
    this.painter.paint(time, fall);
    return true;
  }
}

export function mountAnimation(root: HTMLElement, app: App): void {
  const shared = windowsOf(app);
  const stages = el("div", { class: "stages" });
  const play = button("Play", () => (playing ? pause() : start()), { class: "play" });
  const menu = el("select", { id: "animated", on: { change: () => arrange() } });
  const seek = el("input", { type: "range", id: "animation-time", min: 0, max: 1, step: "any", value: 0, on: { input: () => go(Number(seek.value)) } });
  const speed = el("input", { type: "range", id: "animation-speed", min: SLOWEST, max: FASTEST, step: STEP, value: 0, on: { input: () => setSpeed() } });
  const clock = el("output", { for: "animation-time" });
  const rate = el("output", { for: "animation-speed" });
  const event = el("p", { class: "event", "aria-live": "polite" });
  const key = el("ul", { class: "key", "aria-label": "Shapes" });
  const section = el(
    "section",
    { class: "animation", "aria-label": "Packets that move" },
    el(
      "div",
      { class: "tools" },
      play,
      button("◂ Step back", () => step(false), { title: "To the event before", "aria-label": "Step back" }),
      button("Step ▸", () => step(true), { title: "To the next event", "aria-label": "Step" }),
      el("span", { class: "pair" }, el("label", { for: "animated" }, "Show "), menu),
    ),
    el(
      "div",
      { class: "sliders" },
      el("label", { for: "animation-time" }, "Time"),
      seek,
      clock,
      el("label", { for: "animation-speed" }, "Speed"),
      speed,
      rate,
    ),
    event,
    stages,
    key,
  );
  root.append(section);

  let views: View[] = [];
  let unsubscribe: (() => void)[] = [];
  let width = 0;
  /** Number of variants. */
  let count = 0;
  let playing = false;
  let visible = false;
  let chosen = false;
  let factor = 1;
  let end = 0;
  let time = shared.time.value;
  let requested: number | undefined;
  let last = 0;
  let told = 0;
  /** True while the animation itself moves the figures' cursor. */
  let moving = false;
  /** A direction in which to step once the windows are loaded. */
  let awaited: boolean | undefined;

  const setSpeed = (): void => {
    chosen = true;
    show();
  };

  const show = (): void => {
    factor = 10 ** Number(speed.value);
    const text = factor >= 1 ? `${Number(factor.toPrecision(2))} ×` : `1/${Number((1 / factor).toPrecision(2))} ×`;
    rate.textContent = text;
    speed.setAttribute("aria-valuetext", text);
  };

  /** Shows the time in the readout and to the figures: at once, or in a frame at `now` if it is time again. */
  const tell = (now?: number): void => {
    if (now !== undefined && now - told < CURSOR_MS) return;
    told = now ?? 0;
    clock.textContent = moment(time);
    seek.value = String(time);
    seek.setAttribute("aria-valuetext", moment(time));
    moving = true;
    app.cursor.value = time;
    moving = false;
  };

  const draw = (now: number): void => {
    requested = undefined;
    if (!visible) {
      last = 0;
      return;
    }
    if (playing) {
      if (last > 0) time = Math.min(end, time + (Math.min(LONGEST_MS, now - last) / 1e3) * factor);
      last = now;
    }
    let loaded = true;
    for (const view of views) loaded = view.paint(time, FALL_S * factor, width) && loaded;
    // The time stands still while a window loads.
    if (!loaded) last = 0;
    shared.time.value = time;
    if (playing) {
      tell(now);
      if (end > 0 && time >= end) pause();
      else if (loaded) request();
    }
  };

  const request = (): void => {
    requested ??= requestAnimationFrame(draw);
  };

  const start = (): void => {
    if (end > 0 && time >= end) time = 0;
    playing = true;
    last = 0;
    play.textContent = "Pause";
    event.textContent = "";
    request();
  };

  const pause = (): void => {
    playing = false;
    play.textContent = "Play";
    tell();
    describe();
    request();
  };

  const describe = (): void => {
    const lines = views.flatMap((view) => {
      const what = view.timeline?.told(time) ?? "";
      return what ? [views.length > 1 ? `${view.element.querySelector("h3")?.textContent}: ${what}` : what] : [];
    });
    event.textContent = `${moment(time)}${lines.length > 0 ? `: ${lines.join(". ")}` : ""}`;
  };

  /** Goes to a time, as the slider or the figures' cursor says. */
  const go = (to: number): void => {
    time = Math.max(0, Math.min(end, to));
    last = 0;
    tell();
    if (!playing) describe();
    request();
  };

  const step = (forward: boolean): void => {
    if (playing) pause();
    awaited = undefined;
    const windows = views.map((view) => view.windows.at(time));
    if (windows.some((timeline) => !timeline)) {
      awaited = forward;
      return;
    }
    let best = forward ? Infinity : -Infinity;
    for (const timeline of windows) {
      const at = timeline?.event(time, forward) ?? best;
      best = forward ? Math.min(best, at) : Math.max(best, at);
    }
    // Behind the edge of a window there may be an earlier event than in it.
    const edges = windows.flatMap((timeline) => {
      const { from, to, overflowed } = timeline!.journeys;
      if (forward) return overflowed ? [to] : [];
      return from > 0 ? [from] : [];
    });
    const edge = forward ? Math.min(...edges) : Math.max(...edges);
    if (edges.length > 0 && (forward ? best > edge : best < edge)) {
      time = forward ? edge + 1e-9 : edge - 1e-9;
      awaited = forward;
    } else if (Number.isFinite(best)) {
      time = Math.max(0, Math.min(end, best));
    }
    tell();
    request();
    if (awaited === undefined) describe();
  };

  /** Makes the views of the chosen variants. */
  const arrange = (): void => {
    const { variants } = app.store.project.value;
    const shown = menu.value === "all" ? variants.map((_, number) => number) : [Math.min(Number(menu.value), variants.length - 1)];
    views = shown.map((number) => new View(shared.of(number), variants[number]?.name ?? ""));
    for (const stop of unsubscribe) stop();
    unsubscribe = views.map((view) => view.windows.loaded.subscribe(() => arrived()));
    stages.replaceChildren(...views.map((view) => view.element));
    request();
  };

  const arrived = (): void => {
    request();
    const timeline = views[0]?.windows.at(time);
    if (timeline && !chosen) {
      const wanted = Math.log10(timeline.typicalFlight() / FLIGHT_S);
      speed.value = String(Math.max(SLOWEST, Math.min(FASTEST, Math.round(wanted / STEP) * STEP)));
      show();
    }
    if (awaited !== undefined) step(awaited);
    else requestAnimationFrame(() => !playing && describe());
    if (timeline) paintKey(key, timeline);
  };

  const renew = (): void => {
    const { variants } = app.store.project.value;
    const ends = app.results.value.map((result) => result.figure?.ended ?? 0);
    end = Math.max(0, ...ends);
    seek.max = String(end);
    time = Math.min(time, end);
    const before = menu.value;
    const names = variants.map((variant, number) => el("option", { value: number }, variant.name));
    const all = variants.length > 1 ? [el("option", { value: "all" }, "all variants")] : [];
    menu.replaceChildren(...names, ...all);
    // Two variants are best compared one above the other. More variants would be too small.
    menu.value = variants.length === count ? before : variants.length === 2 ? "all" : "0";
    count = variants.length;
    arrange();
  };

  shared.runs.subscribe(() => renew());
  app.cursor.subscribe((cursor) => {
    if (moving || playing || cursor === undefined || !visible) return;
    go(cursor);
  });
  theme.subscribe(() => {
    for (const view of views) view.reset();
    request();
    if (views[0]?.timeline) paintKey(key, views[0].timeline);
  });
  new ResizeObserver(() => {
    // The border of a stage is a pixel on each side.
    width = Math.max(0, stages.clientWidth - 2);
    request();
  }).observe(stages);
  new IntersectionObserver((entries) => {
    visible = entries.some((entry) => entry.isIntersecting);
    if (visible) request();
  }).observe(stages);
  show();
  tell();
  if (!still.matches) start();
}

/** Draws the shapes of the packets that the run has. */
function paintKey(key: HTMLElement, timeline: Timeline): void {
  const kinds = new Set<number>();
  const { values, width } = timeline.packets;
  for (let at = 0; at < values.length; at += width) kinds.add(values[at + 2]!);
  const entries = KEY.filter(([kind]) => kinds.has(kind)).map(([kind, name]) => {
    const canvas = el("canvas", { width: 52, height: 36, "aria-hidden": "true" });
    const pen = canvas.getContext("2d");
    if (pen) {
      pen.scale(2, 2);
      paintPacket(pen, paletteOf(), kind, 13, 9, 1);
    }
    return el("li", {}, canvas, ` ${name}`);
  });
  const notes = ["× lost"];
  if (timeline.air.length > 0) notes.push("bar and number: slots of a back-off, hollow while it is frozen", "R, C: RTS, CTS", "star: not received");
  if (timeline.bad.count > 0) notes.push("hatched: channel BAD");
  key.replaceChildren(...entries, ...notes.map((note) => el("li", {}, note)));
}
