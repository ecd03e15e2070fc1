/** The data of a course of runs in a report. */

import { fromBase64, through } from "./bytes";
import { placing } from "./column";
import type { RunFigure } from "./protocol";

/** Runs with the heads of their figures (JSON) and the lengths of their columns; all columns, compressed. */
export interface Course {
  runs: { name: string; head: string; lengths: number[] }[];
  columns: string;
}

/** The names and figures of the runs. */
export async function figuresOf({ runs, columns }: Course): Promise<{ name: string; figure: RunFigure }[]> {
  const bytes = await through(fromBase64(columns), new DecompressionStream("gzip"), Infinity);
  const values = new Float64Array(bytes.buffer);
  let from = 0;
  return runs.map(({ name, head, lengths }) => {
    const own = lengths.map((length) => values.subarray(from, (from += length)));
    return { name, figure: JSON.parse(head, placing(own)) as RunFigure };
  });
}
