"use client";

import { ImageOff } from "lucide-react";
import { useState } from "react";
import { classNames } from "@/components/ui/class-names";
import { cardPicture as text } from "../messages/card-sides";
import type { ShownImage } from "./card-text";
import { placePhrase } from "./places";

interface CardPictureProps {
  image: Pick<ShownImage, "url" | "sha256" | "image_rank" | "width" | "height">;
  className?: string;
  style?: React.CSSProperties;
  /** `lazy` loads the image after the scripts of the page. */
  loading?: "lazy";
  /** Called if the link has expired or the image is gone. */
  onFailed?: () => void;
}

/** Shows a card image, or a message if it can't be shown. */
export function CardPicture({ image, className, style, loading, onFailed }: CardPictureProps) {
  const [failed, setFailed] = useState<string | null>(null);
  if (failed === image.url) {
    return (
      <span className="text-soft flex flex-col items-center justify-center gap-1 p-3 text-center text-sm">
        <ImageOff aria-hidden className="size-5" />
        {text.notShown}
      </span>
    );
  }
  return (
    // biome-ignore lint/performance/noImgElement: a signed link to a private image must not be cached.
    <img
      // Remount for another image, so that the previous one is never shown in its place.
      key={image.sha256}
      src={image.url}
      alt={text.alt(placePhrase(image.image_rank))}
      width={image.width}
      height={image.height}
      decoding="async"
      loading={loading}
      draggable={false}
      style={style}
      className={classNames("max-w-full", className)}
      onError={() => {
        setFailed(image.url);
        onFailed?.();
      }}
    />
  );
}
