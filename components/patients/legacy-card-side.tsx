"use client";

import { Trash2, Upload } from "lucide-react";
import { useDrop } from "@/components/policies/cards/card-slot";
import { placeName } from "@/components/policies/cards/card-text";
import { Button, IconButton } from "@/components/ui/button";
import { classNames } from "@/components/ui/class-names";
import { legacyPlacePhrase, sideOf } from "./legacy-card-places";
import { Thumbnail } from "./policy-card";
import type { LegacyCard } from "./use-patient";

interface SideProps {
  place: number;
  card: LegacyCard | undefined;
  canChange: boolean;
  /** It is being removed. */
  busy: boolean;
  onView: () => void;
  onPick: () => void;
  onRemove: () => void;
  onDrop: (files: File[]) => void;
}

/** One side of a card by priority: its picture small, or room for one. */
export function LegacyCardSide({ place, card, canChange, busy, onView, onPick, onRemove, onDrop }: SideProps) {
  const { over, handlers } = useDrop(onDrop, canChange);
  const what = legacyPlacePhrase(place);
  return (
    <li {...handlers} className={classNames("flex items-center gap-2 rounded-md", over && "bg-accent-soft")}>
      {card ? (
        <button
          key={card.sha256}
          type="button"
          aria-label={`View ${what}`}
          onClick={onView}
          className="border-line hover:border-edge shrink-0 rounded-md border"
        >
          <Thumbnail image={card} />
        </button>
      ) : (
        <span className="border-line text-soft grid h-14 w-22 shrink-0 place-items-center rounded-md border border-dashed text-sm">
          None
        </span>
      )}
      <span className="min-w-0 flex-1">{placeName(sideOf(place))}</span>
      {canChange && (
        <span className="screen-only flex gap-1">
          <Button size="small" aria-label={`${card ? "Replace" : "Upload"} ${what}`} onClick={onPick}>
            <Upload aria-hidden className="size-3.5" /> {card ? "Replace" : "Upload"}
          </Button>
          {card && (
            <IconButton label={`Remove ${what}`} busy={busy} onClick={onRemove}>
              {!busy && <Trash2 aria-hidden className="size-4" />}
            </IconButton>
          )}
        </span>
      )}
    </li>
  );
}
