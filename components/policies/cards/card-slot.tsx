"use client";

import { ImagePlus, Replace, Trash2 } from "lucide-react";
import { Button } from "@/components/ui/button";
import { classNames } from "@/components/ui/class-names";
import { Time } from "@/components/ui/time";
import { cardPicture } from "../messages/card-sides";
import { cardSlot as text } from "../messages/cards";
import { CardPicture } from "./card-picture";
import { describeImage, type ShownImage } from "./card-text";
import { placeName, placePhrase } from "./places";
import { useDrop } from "./use-drop";

interface CardSlotProps {
  place: number;
  image: ShownImage | undefined;
  canChange: boolean;
  /** Whether the image is being deleted. */
  busy: boolean;
  onView: () => void;
  onChoose: () => void;
  onDelete: () => void;
  onDrop: (files: File[]) => void;
  onFailed?: () => void;
}

/** Shows one side of a card, with its image or a button to add one. */
export function CardSlot(props: CardSlotProps) {
  const { place, image, canChange, busy, onView, onChoose, onDelete, onDrop, onFailed } = props;
  const { isOver, handlers } = useDrop(onDrop, canChange);
  const side = placePhrase(place);
  return (
    <li
      aria-label={text.label(side)}
      {...handlers}
      className={classNames(
        "bg-raised flex min-w-0 flex-col rounded-md border",
        isOver ? "border-accent bg-accent-soft" : "border-line",
      )}
    >
      <div className="flex min-h-9 items-center justify-between gap-2 px-3">
        <h3 className="font-medium">{placeName(place)}</h3>
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
          aria-label={cardPicture.enlarge(side)}
          title={describeImage(image)}
          className="bg-sunken border-line grid h-40 cursor-zoom-in place-items-center overflow-hidden border-y focus-visible:-outline-offset-2"
        >
          <CardPicture image={image} onFailed={onFailed} className="h-40 w-full object-contain" />
        </button>
      ) : canChange ? (
        <button
          type="button"
          onClick={onChoose}
          className="border-edge/60 text-soft hover:bg-sunken m-3 mt-0 grid min-h-36 flex-1 place-content-center justify-items-center gap-1 rounded-md border border-dashed px-2 text-center"
        >
          <ImagePlus aria-hidden className="size-5" />
          <span className="text-accent font-medium">{text.add(side)}</span>
          <span className="text-sm">{text.addHelp}</span>
        </button>
      ) : (
        <p className="text-soft bg-sunken border-line grid h-40 place-content-center border-t">{text.none}</p>
      )}
      {image && canChange && (
        <div className="screen-only flex flex-wrap gap-1 p-1.5">
          <Button kind="quiet" size="small" aria-label={text.replaceSide(side)} onClick={onChoose}>
            <Replace aria-hidden className="size-3.5" /> {text.replace}
          </Button>
          <Button
            kind="quiet"
            size="small"
            busy={busy}
            aria-label={text.deleteSide(side)}
            className="text-bad"
            onClick={onDelete}
          >
            {!busy && <Trash2 aria-hidden className="size-3.5" />} {text.delete}
          </Button>
        </div>
      )}
    </li>
  );
}
