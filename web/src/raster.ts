/** Pixels of an SVG. */

/** Pixels of the file for each of the SVG, each way: as of the command's PNG. */
const SCALE = 2;

/** Draws an SVG; the browser reads it from a blob and runs nothing in it. */
export async function png(svg: string): Promise<Blob> {
  const address = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.naturalWidth * SCALE, image.naturalHeight * SCALE];
    const pen = canvas.getContext("2d");
    pen?.drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
    if (!pen || !blob) throw new Error("the browser could not make a PNG of the picture");
    return blob;
  } finally {
    URL.revokeObjectURL(address);
  }
}
