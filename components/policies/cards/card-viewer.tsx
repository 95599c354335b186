"use client";

import { ChevronLeft, ChevronRight, Columns2, ZoomIn, ZoomOut } from "lucide-react";
import { useLayoutEffect, useState } from "react";
import { Button, IconButton } from "@/components/ui/button";
import { classNames } from "@/components/ui/class-names";
import { Dialog } from "@/components/ui/dialog";
import { Time } from "@/components/ui/time";
import { cardViewer as text } from "../messages/card-viewer";
import { CardPicture } from "./card-picture";
import { describeImage, type ShownImage } from "./card-text";
import { placeName } from "./places";

interface CardViewerProps {
  images: readonly ShownImage[];
  /** The index of the image to show first. */
  start: number;
  /** What the images belong to, for the title: `version 4`. */
  of?: string;
  onClose: () => void;
  onFailed?: () => void;
}

const ZOOMS = [1, 1.5, 2, 3, 4];
const ENLARGED = { width: "100%", maxWidth: "none" };

/** Shows card images in a dialog, one at a time or all at once, with zoom. Arrow keys move between them. */
export function CardViewer({ images, start, of, onClose, onFailed }: CardViewerProps) {
  const [index, setIndex] = useState(start);
  const [zoom, setZoom] = useState(0);
  const [showsAll, setShowsAll] = useState(false);
  const count = images.length;
  const image = images[index];
  const go = (step: number) => {
    setIndex((current) => (current + step + count) % count);
    setZoom(0);
    setShowsAll(false);
  };
  const zoomBy = (step: number) => setZoom((current) => Math.min(ZOOMS.length - 1, Math.max(0, current + step)));

  // A layout effect, so that keys work as soon as the dialog is visible.
  useLayoutEffect(() => {
    const keys: Record<string, () => void> = {
      ArrowRight: () => go(1),
      ArrowLeft: () => go(-1),
      "+": () => zoomBy(1),
      "=": () => zoomBy(1),
      "-": () => zoomBy(-1),
      "0": () => setZoom(0),
      b: () => count > 1 && setShowsAll((current) => !current),
    };
    const onKeyDown = (event: KeyboardEvent) => {
      const action = keys[event.key];
      if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
      // Arrow keys scroll an enlarged image that has focus.
      if (event.key.startsWith("Arrow") && zoom > 0 && document.activeElement?.ariaLabel === text.area) return;
      event.preventDefault();
      action();
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  });

  if (!image) return null;
  const allLabel = count > 2 ? text.allImages : text.bothSides;
  const title = showsAll ? allLabel : placeName(image.image_rank);
  const factor = ZOOMS[zoom] ?? 1;
  const description = showsAll ? text.images(count) : text.image(index + 1, count, describeImage(image));
  const shown = showsAll ? images : [image];
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={of ? text.title(title, of) : title}
      description={
        <>
          <span role="status">{zoom > 0 ? text.zoomed(description, factor * 100) : description}</span>
          {!showsAll && <> · {text.added(<Time value={image.created_date} />)}</>}
        </>
      }
      footer={
        // On a phone, these are too narrow to be stacked.
        <div className="flex grow flex-wrap justify-end gap-2">
          {count > 1 && (
            <>
              <span className="mr-auto flex gap-1">
                <IconButton label={text.previous} onClick={() => go(-1)}>
                  <ChevronLeft aria-hidden className="size-4" />
                </IconButton>
                <IconButton label={text.next} onClick={() => go(1)}>
                  <ChevronRight aria-hidden className="size-4" />
                </IconButton>
              </span>
              <Button aria-pressed={showsAll} onClick={() => setShowsAll(!showsAll)}>
                <Columns2 aria-hidden className="size-4" /> {allLabel}
              </Button>
            </>
          )}
          <IconButton label={text.zoomOut} disabled={zoom === 0} onClick={() => zoomBy(-1)}>
            <ZoomOut aria-hidden className="size-4" />
          </IconButton>
          <IconButton label={text.zoomIn} disabled={zoom === ZOOMS.length - 1} onClick={() => zoomBy(1)}>
            <ZoomIn aria-hidden className="size-4" />
          </IconButton>
        </div>
      }
    >
      <section
        aria-label={text.area}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls an enlarged image.
        tabIndex={0}
        className="bg-sunken max-h-[62dvh] min-h-40 overflow-auto rounded-md"
      >
        <div
          style={{ width: `${factor * 100}%` }}
          className={classNames("grid min-h-40 items-center justify-items-center gap-3", showsAll && "sm:grid-cols-2")}
        >
          {shown.map((shownImage) => (
            <figure key={shownImage.image_rank} className="flex w-full min-w-0 flex-col items-center">
              <CardPicture
                image={shownImage}
                onFailed={onFailed}
                style={zoom > 0 ? ENLARGED : undefined}
                className={zoom > 0 ? "h-auto" : "h-auto max-h-[60dvh] w-auto object-contain"}
              />
              {showsAll && <figcaption className="py-1">{placeName(shownImage.image_rank)}</figcaption>}
            </figure>
          ))}
        </div>
      </section>
    </Dialog>
  );
}
