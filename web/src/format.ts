/**
 * Numbers with units, as `engine::quantity` writes them for the command, reports and pictures. The units are generated;
 * a test compares the texts with those of that module.
 */

import { UNITS } from "./vocabulary";

/** A value in the largest unit that it reaches once rounded to four digits. */
function brief(value: number, base: keyof typeof UNITS): string {
  if (!Number.isFinite(value)) return "unlimited";
  const units: readonly (readonly [number, string])[] = UNITS[base];
  const rounded = Math.abs(Number(value.toPrecision(4)));
  const fitting = value === 0 ? units.find(([size]) => size === 1) : units.find(([size]) => rounded >= size);
  const [size, name] = fitting ?? units[units.length - 1]!;
  return `${Number((value / size).toPrecision(4))} ${name}`;
}

export const rate = (bps: number): string => brief(bps, "bit/s");
export const bytes = (size: number): string => brief(size, "bytes");
export const duration = (seconds: number): string => brief(seconds, "s");

/** A time of a run: to the microsecond, without superfluous digits. */
export const moment = (seconds: number): string => `${Number(seconds.toFixed(6)) + 0} s`;

/** A share in percent. */
export const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
