"use client";

import { useState } from "react";
import { CardPicture } from "@/components/policies/cards/card-picture";
import type { ShownPolicy } from "./use-patient";

/**
 * Shows a small card image. Each time the page is refreshed, the image gets a new signed link; this keeps the first one while
 * it works, so that the browser does not load the image again.
 */
export function CardThumbnail({ image }: { image: ShownPolicy["card_images"][number] }) {
  const [url, setUrl] = useState(image.url);
  return (
    <span className="bg-sunken grid h-14 w-22 place-items-center overflow-hidden rounded-t-md">
      <CardPicture
        image={{ ...image, url }}
        className="h-14 w-22 object-cover"
        loading="lazy"
        onFailed={() => url !== image.url && setUrl(image.url)}
      />
    </span>
  );
}
