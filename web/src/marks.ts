/** Marks of events: one shape for each kind, as in the command's pictures. */

import { color } from "./theme";
import { MARKS, type MarkShape } from "./vocabulary";

type Pen = CanvasRenderingContext2D;

const outlines = new Map<string, Path2D>();

function outlineOf(kind: string, shape: MarkShape): Path2D {
  let outline = outlines.get(kind);
  if (!outline) {
    outline = new Path2D(shape.path);
    outlines.set(kind, outline);
  }
  return outline;
}

/** The marks of one kind on a canvas: they are collected, then painted at once. */
export class MarkPainter {
  private readonly marks = new Path2D();
  private readonly shape: MarkShape | undefined;

  /** `size` is that of a CSS pixel. */
  constructor(
    private readonly kind: string,
    private readonly size: number,
  ) {
    this.shape = MARKS[kind];
  }

  /** Adds a mark around (x, y). */
  add(x: number, y: number): void {
    if (this.shape) this.marks.addPath(outlineOf(this.kind, this.shape), { a: this.size, d: this.size, e: x, f: y });
  }

  /** Paints the marks in the colours of the theme. */
  paint(pen: Pen): void {
    if (!this.shape) return;
    if (this.shape.edge !== null) {
      pen.fillStyle = color(this.shape.color);
      pen.fill(this.marks);
    }
    pen.strokeStyle = color(this.shape.edge ?? this.shape.color);
    pen.lineWidth = this.shape.width * this.size;
    pen.stroke(this.marks);
  }
}
