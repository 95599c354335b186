"use client";

import { ChevronLeft, ChevronRight, Columns2, ZoomIn, ZoomOut } from "lucide-react";
import { useLayoutEffect, useState } from "react";
import { Button, IconButton } from "@/components/ui/button";
import { classNames } from "@/components/ui/class-names";
import { Dialog } from "@/components/ui/dialog";
import { Time } from "@/components/ui/time";
import { CardPicture } from "./card-picture";
import { describeImage, placeName, type ShownImage } from "./card-text";

interface CardViewerProps {
  images: readonly ShownImage[];
  /** Which one is shown first. */
  start: number;
  /** When they were shown, where that is not now: `version 4`. */
  of?: string;
  onClose: () => void;
  onFailed?: () => void;
}

const ZOOMS = [1, 1.5, 2, 3, 4];

/** Card images large: one or all sides, closer or not, next and previous by arrow keys. */
export function CardViewer({ images, start, of, onClose, onFailed }: CardViewerProps) {
  const [at, setAt] = useState(start);
  const [zoom, setZoom] = useState(0);
  const [together, setTogether] = useState(false);
  const count = images.length;
  const image = images[at];
  const go = (step: number) => {
    setAt((before) => (before + step + count) % count);
    setZoom(0);
    setTogether(false);
  };
  const closer = (step: number) => setZoom((before) => Math.min(ZOOMS.length - 1, Math.max(0, before + step)));

  // Before it is painted: keys work from the moment it shows.
  useLayoutEffect(() => {
    const keys: Record<string, () => void> = {
      ArrowRight: () => go(1),
      ArrowLeft: () => go(-1),
      "+": () => closer(1),
      "=": () => closer(1),
      "-": () => closer(-1),
      "0": () => setZoom(0),
      b: () => count > 1 && setTogether((before) => !before),
    };
    const press = (event: KeyboardEvent) => {
      const act = keys[event.key];
      if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
      // In an enlarged image that has the focus, arrows move the image.
      if (event.key.startsWith("Arrow") && zoom > 0 && document.activeElement?.ariaLabel === "Image") return;
      event.preventDefault();
      act();
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  });

  if (!image) return null;
  const everything = count > 2 ? "All images" : "Both sides";
  const title = together ? everything : placeName(image.image_rank);
  const factor = ZOOMS[zoom] ?? 1;
  const shown = together ? images : [image];
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={of ? `${title} · ${of}` : title}
      description={
        <>
          <span role="status">
            {together ? `${count} images` : `Image ${at + 1} of ${count}, ${describeImage(image)}`}
            {zoom > 0 && `, enlarged ${factor} times`}
          </span>
          {!together && (
            <>
              {" "}
              · added <Time value={image.created_date} />
            </>
          )}
        </>
      }
      footer={
        <>
          <span className="mr-auto flex gap-1">
            <IconButton label="Previous image (left arrow)" disabled={count < 2} onClick={() => go(-1)}>
              <ChevronLeft aria-hidden className="size-4" />
            </IconButton>
            <IconButton label="Next image (right arrow)" disabled={count < 2} onClick={() => go(1)}>
              <ChevronRight aria-hidden className="size-4" />
            </IconButton>
          </span>
          {count > 1 && (
            <Button aria-pressed={together} onClick={() => setTogether(!together)}>
              <Columns2 aria-hidden className="size-4" /> {everything}
            </Button>
          )}
          <IconButton label="Zoom out (-)" disabled={zoom === 0} onClick={() => closer(-1)}>
            <ZoomOut aria-hidden className="size-4" />
          </IconButton>
          <IconButton label="Zoom in (+)" disabled={zoom === ZOOMS.length - 1} onClick={() => closer(1)}>
            <ZoomIn aria-hidden className="size-4" />
          </IconButton>
        </>
      }
    >
      <section
        aria-label="Image"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: an enlarged image is scrolled by the keyboard.
        tabIndex={0}
        className="bg-sunken max-h-[62dvh] min-h-40 overflow-auto rounded-md"
      >
        <div
          style={{ width: `${factor * 100}%` }}
          className={classNames("grid min-h-40 items-center justify-items-center gap-3", together && "sm:grid-cols-2")}
        >
          {shown.map((each) => (
            <figure key={each.image_rank} className="flex w-full min-w-0 flex-col items-center">
              <CardPicture
                image={each}
                {...(onFailed && { onFailed })}
                {...(zoom > 0 && { style: { width: "100%", maxWidth: "none" } })}
                className={zoom > 0 ? "h-auto" : "h-auto max-h-[60dvh] w-auto object-contain"}
              />
              {together && <figcaption className="py-1">{placeName(each.image_rank)}</figcaption>}
            </figure>
          ))}
        </div>
      </section>
    </Dialog>
  );
}
