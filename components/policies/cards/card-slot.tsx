"use client";

import { ImagePlus, Replace, Trash2 } from "lucide-react";
import { type DragEvent, useState } from "react";
import { Button } from "@/components/ui/button";
import { classNames } from "@/components/ui/class-names";
import { Time } from "@/components/ui/time";
import { CardPicture } from "./card-picture";
import { describeImage, placeName, type ShownImage } from "./card-text";

interface CardSlotProps {
  rank: number;
  image: ShownImage | undefined;
  canChange: boolean;
  /** It is being deleted. */
  busy: boolean;
  onView: () => void;
  onPick: () => void;
  onDelete: () => void;
  onDrop: (files: File[]) => void;
  onFailed: () => void;
}

/** One place of a card: its picture, or room for one. */
export function CardSlot({ rank, image, canChange, busy, onView, onPick, onDelete, onDrop, onFailed }: CardSlotProps) {
  const { over, handlers } = useDrop(onDrop, canChange);
  const words = placeName(rank);
  return (
    <li
      aria-label={`Card ${words.toLowerCase()}`}
      {...handlers}
      className={classNames(
        "bg-raised flex min-w-0 flex-col rounded-md border",
        over ? "border-accent bg-accent-soft" : "border-line",
      )}
    >
      <div className="flex min-h-9 items-center justify-between gap-2 px-3">
        <h3 className="font-medium">{words}</h3>
        {image && (
          <span className="text-soft text-sm">
            <Time value={image.created_date} />
          </span>
        )}
      </div>
      {image ? (
        <button
          type="button"
          onClick={onView}
          aria-label={`View ${words.toLowerCase()} large`}
          title={describeImage(image)}
          className="bg-sunken border-line grid h-40 cursor-zoom-in place-items-center overflow-hidden border-y focus-visible:-outline-offset-2"
        >
          <CardPicture image={image} onFailed={onFailed} className="h-40 w-full object-contain" />
        </button>
      ) : canChange ? (
        <button
          type="button"
          onClick={onPick}
          className="border-edge/60 text-soft hover:bg-sunken m-3 mt-0 grid min-h-36 flex-1 place-content-center justify-items-center gap-1 rounded-md border border-dashed px-2 text-center"
        >
          <ImagePlus aria-hidden className="size-5" />
          <span className="text-accent font-medium">Add {words.toLowerCase()}</span>
          <span className="text-sm">Choose, drop or paste a JPEG or PNG picture</span>
        </button>
      ) : (
        <p className="text-soft bg-sunken border-line grid h-40 place-content-center border-t">No picture</p>
      )}
      {image && canChange && (
        <div className="screen-only flex flex-wrap gap-1 p-1.5">
          <Button kind="quiet" size="small" aria-label={`Replace ${words.toLowerCase()}`} onClick={onPick}>
            <Replace aria-hidden className="size-3.5" /> Replace
          </Button>
          <Button
            kind="quiet"
            size="small"
            busy={busy}
            aria-label={`Delete ${words.toLowerCase()}`}
            className="text-bad"
            onClick={onDelete}
          >
            {!busy && <Trash2 aria-hidden className="size-3.5" />} Delete
          </Button>
        </div>
      )}
    </li>
  );
}

/** Files dragged over an element and dropped on it. */
export function useDrop(onDrop: (files: File[]) => void, enabled: boolean) {
  const [over, setOver] = useState(false);
  const handlers = {
    onDragOver: (event: DragEvent) => {
      if (!enabled || !event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      event.stopPropagation();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      setOver(false);
      if (!enabled || event.dataTransfer.files.length === 0) return;
      event.preventDefault();
      event.stopPropagation();
      onDrop([...event.dataTransfer.files]);
    },
  };
  return { over, handlers };
}
