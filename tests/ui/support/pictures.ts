// Pictures to upload, like those of a camera.
import sharp from "sharp";

/** Creates a photo of a card, in landscape. */
export async function photo(name: string, hue: number) {
  const background = { r: hue % 256, g: 120, b: 160 };
  const buffer = await sharp({ create: { width: 640, height: 400, channels: 3, background } })
    .jpeg()
    .toBuffer();
  return { name, mimeType: "image/jpeg", buffer };
}

/** Creates a PDF whose pages are filled with color: 400 × 250 points each. */
export function pdfCard(name: string, pages: number) {
  const numbers = Array.from({ length: pages }, (_, index) => 4 + index);
  const content = "0.2 0.5 0.7 rg 0 0 400 250 re f";
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${pages} /Kids [${numbers.map((number) => `${number} 0 R`).join(" ")}] >>`,
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    ...numbers.map(() => "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 250] /Contents 3 0 R >>"),
  ];
  const body = objects.map((object, index) => `${index + 1} 0 obj\n${object}\nendobj\n`).join("");
  // Readers find the objects without a cross-reference table.
  const text = `%PDF-1.4\n${body}trailer\n<< /Root 1 0 R /Size ${objects.length + 1} >>\n%%EOF\n`;
  return { name, mimeType: "application/pdf", buffer: Buffer.from(text) };
}
