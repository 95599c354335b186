import { getDocument } from "pdfjs-dist";
// Importing the worker's code makes the library run without a worker, which the Content Security Policy doesn't allow.
import "pdfjs-dist/build/pdf.worker.min.mjs";
import { toBlob } from "./encode-canvas";

/** The longer side of a drawn page: enough to read a card on a letter-size scan. */
const LONG_SIDE_PIXELS = 2_400;

/**
 * Draws the first page of a PDF as a JPEG. Import this file only when it is needed: it loads a large library.
 *
 * @throws if the PDF is damaged or needs a password
 */
export async function drawFirstPage(file: File): Promise<{ picture: File; pages: number }> {
  const loading = getDocument({ data: await file.arrayBuffer(), isEvalSupported: false });
  try {
    const document_ = await loading.promise;
    const page = await document_.getPage(1);
    const { width, height } = page.getViewport({ scale: 1 });
    const viewport = page.getViewport({ scale: LONG_SIDE_PIXELS / Math.max(width, height) });
    const canvas = document.createElement("canvas");
    canvas.width = Math.ceil(viewport.width);
    canvas.height = Math.ceil(viewport.height);
    await page.render({ canvas, viewport }).promise;
    const type = "image/jpeg";
    return { picture: new File([await toBlob(canvas, type)], file.name, { type }), pages: document_.numPages };
  } finally {
    await loading.destroy();
  }
}
