/** Rows of columns. */

import type { Column } from "./protocol";

export function rows(column: Column): number {
  return column.values.length / column.width;
}

/** Field `field` of row `row`; NaN outside. */
export function at(column: Column, row: number, field: number): number {
  return column.values[row * column.width + field] ?? NaN;
}

/** The first row whose field 0 is at least `time`, or above it if `above`; rows are in order of time. */
export function firstFrom(column: Column, time: number, above = false): number {
  let [low, high] = [0, rows(column)];
  while (low < high) {
    const middle = (low + high) >> 1;
    const value = at(column, middle, 0);
    if (above ? value > time : value >= time) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The last row at or before `time`, -1 if there is none: the row that is valid then. */
export function rowAt(column: Column, time: number): number {
  return firstFrom(column, time, true) - 1;
}

/** For `JSON.parse`: puts columns into the places of a figure's head that name them. */
export function placing(columns: (Float64Array | undefined)[]): (key: string, value: unknown) => unknown {
  return (_, value) => {
    if (typeof value !== "object" || value === null || !("column" in value && "width" in value)) return value;
    const { column, width } = value as { column: number; width: number };
    return { values: columns[column] ?? new Float64Array(), width } satisfies Column;
  };
}
