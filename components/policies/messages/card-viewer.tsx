// The dialog that shows card images enlarged.
import type { ReactNode } from "react";
import { pluralize } from "@/components/ui/format";

export const cardViewer = {
  /** `owner` is what the images belong to, such as "version 4". */
  title: (images: string, owner: string) => `${images} · ${owner}`,
  /** `facts` is "1012 × 638 px, JPEG, 240 KB". */
  image: (number: number, count: number, facts: string) => `Image ${number} of ${count}, ${facts}`,
  images: (count: number) => pluralize(count, "image"),
  /** After the number of images. */
  zoomed: (description: string, percent: number) => `${description}, zoomed to ${percent}%`,
  added: (time: ReactNode) => <>added {time}</>,
  allImages: "All images",
  bothSides: "Both sides",
  previous: "Previous image (left arrow)",
  next: "Next image (right arrow)",
  zoomOut: "Zoom out (-)",
  zoomIn: "Zoom in (+)",
  /** The area that scrolls, for screen readers. */
  area: "Image",
};
