"use client";

import { ChevronRight, Undo2 } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { classNames } from "@/components/ui/class-names";
import { earlierImages as text } from "../messages/cards";
import { CardPicture } from "./card-picture";
import { type CardImagesData, versionRange } from "./card-text";
import { placeName, placePhrase } from "./places";

export type EarlierImage = CardImagesData["former"][number];

interface EarlierImagesProps {
  /** Latest first. */
  images: readonly EarlierImage[];
  canChange: boolean;
  onView: (image: EarlierImage) => void;
  onPutBack: (image: EarlierImage) => void;
}

/** Lists the images of earlier versions, collapsed at first. Each can be viewed and restored. */
export function EarlierImages({ images, canChange, onView, onPutBack }: EarlierImagesProps) {
  const [open, setOpen] = useState(false);
  if (images.length === 0) return null;
  return (
    <div className="screen-only">
      <Button kind="quiet" size="small" aria-expanded={open} onClick={() => setOpen(!open)} className="text-soft -ml-2">
        <ChevronRight aria-hidden className={classNames("size-4 transition-transform", open && "rotate-90")} />
        {text.title(images.length)}
      </Button>
      {open && (
        <ul className="mt-2 flex flex-col gap-2">
          {images.map((image) => {
            const side = placePhrase(image.image_rank);
            const versions = versionRange(image);
            return (
              <li
                key={`${image.image_rank} ${image.from_version}`}
                className="border-line bg-raised flex items-center gap-3 rounded-md border p-2"
              >
                <button
                  type="button"
                  onClick={() => onView(image)}
                  aria-label={text.enlarge(side, versions)}
                  className="bg-sunken h-12 w-20 shrink-0 overflow-hidden rounded-md"
                >
                  <CardPicture image={image} className="h-12 w-20 object-contain" />
                </button>
                <span className="min-w-0 flex-1">
                  {placeName(image.image_rank)}
                  <span className="text-soft block text-sm">{versions}</span>
                </span>
                {canChange && (
                  <Button size="small" aria-label={text.restoreSide(side, versions)} onClick={() => onPutBack(image)}>
                    <Undo2 aria-hidden className="size-3.5" /> {text.restore}
                  </Button>
                )}
              </li>
            );
          })}
        </ul>
      )}
    </div>
  );
}
