"use client";

import { Trash2, Upload } from "lucide-react";
import { placeName } from "@/components/policies/cards/places";
import { useDrop } from "@/components/policies/cards/use-drop";
import { Button, IconButton } from "@/components/ui/button";
import { classNames } from "@/components/ui/class-names";
import { CardThumbnail } from "./card-thumbnail";
import { legacyPlacePhrase, placeSide } from "./legacy-card-places";
import { legacyCardSide as text } from "./messages/legacy-cards";
import type { LegacyCard } from "./use-patient";

interface LegacyCardSideProps {
  place: number;
  card: LegacyCard | undefined;
  canChange: boolean;
  /** Whether the image is being removed. */
  busy: boolean;
  onView: () => void;
  onChoose: () => void;
  onRemove: () => void;
  onDrop: (files: File[]) => void;
}

/** Shows one side of a legacy card, with its image or a button to upload one. */
export function LegacyCardSide(props: LegacyCardSideProps) {
  const { place, card, canChange, busy, onView, onChoose, onRemove, onDrop } = props;
  const { isOver, handlers } = useDrop(onDrop, canChange);
  const phrase = legacyPlacePhrase(place);
  return (
    <li {...handlers} className={classNames("flex items-center gap-2 rounded-md", isOver && "bg-accent-soft")}>
      {card ? (
        <button
          key={card.sha256}
          type="button"
          aria-label={text.view(phrase)}
          onClick={onView}
          className="border-line hover:border-edge shrink-0 rounded-md border"
        >
          <CardThumbnail image={card} />
        </button>
      ) : (
        <span className="border-line text-soft grid h-14 w-22 shrink-0 place-items-center rounded-md border border-dashed text-sm">
          {text.none}
        </span>
      )}
      <span className="min-w-0 flex-1">{placeName(placeSide(place))}</span>
      {canChange && (
        <span className="screen-only flex gap-1">
          <Button size="small" aria-label={(card ? text.replaceImage : text.uploadImage)(phrase)} onClick={onChoose}>
            <Upload aria-hidden className="size-3.5" /> {card ? text.replace : text.upload}
          </Button>
          {card && (
            <IconButton label={text.deleteImage(phrase)} busy={busy} onClick={onRemove}>
              {!busy && <Trash2 aria-hidden className="size-4" />}
            </IconButton>
          )}
        </span>
      )}
    </li>
  );
}
