/** Numbers with units. */

const RATES: [number, string][] = [[1e9, "Gbps"], [1e6, "Mbps"], [1e3, "kbps"], [1, "bps"]];
const SIZES: [number, string][] = [[1e9, "GB"], [1e6, "MB"], [1e3, "kB"], [1, "B"]];
const TIMES: [number, string][] = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]];

function scaled(value: number, units: [number, string][], digits: number): string {
  if (!Number.isFinite(value)) return "unlimited";
  const found = units.find(([unit]) => Math.abs(value) >= unit * 0.9995);
  const [unit, name] = found ?? units[units.length - 1] ?? [1, ""];
  return `${Number((value / unit).toPrecision(digits))} ${name}`;
}

export const rate = (bps: number): string => scaled(bps, RATES, 4);
export const bytes = (size: number): string => scaled(size, SIZES, 4);
export const duration = (seconds: number): string => (seconds === 0 ? "0 s" : scaled(seconds, TIMES, 4));

/** A time of a run: to the microsecond, without superfluous digits. */
export const moment = (seconds: number): string => `${Number(seconds.toFixed(6))} s`;

/** A share in percent. */
export const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
