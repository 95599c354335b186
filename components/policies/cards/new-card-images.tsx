"use client";

import { Camera } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Button } from "@/components/ui/button";
import { classNames } from "@/components/ui/class-names";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import { CardSlot } from "./card-slot";
import { imageAt, takenPlaces } from "./card-store";
import { CardUploadEditor } from "./card-upload-editor";
import { DraftNotices } from "./draft-notices";
import { createNewCard, type NewCard, type NewCardSet } from "./new-card";
import type { ImageLimits } from "./picture";
import { offeredPlaces, PLACES } from "./places";
import { useCardUploads } from "./use-card-uploads";

const CardViewer = lazyWithRetry(async () => (await import("./card-viewer")).CardViewer);

interface NewCardImagesProps {
  limits: ImageLimits;
  cards: readonly NewCard[];
  onChange: (cards: readonly NewCard[]) => void;
  /** Called with whether a picture is open in the editor or set aside. */
  onUnfinished: (isUnfinished: boolean) => void;
  /** Counts the attempts to save while a picture was unfinished. Each one focuses the notice about it. */
  reminders: number;
  canChange: boolean;
}

/** Lets the user choose or photograph the card of a new policy. The pictures are uploaded once the policy is saved. */
export function NewCardImages({ limits, cards, onChange, onUnfinished, reminders, canChange }: NewCardImagesProps) {
  const [viewed, setViewed] = useState<number | null>(null);
  const set: NewCardSet = { version: 0, limits, images: cards };
  const replace = (place: number, card: NewCard | null) => {
    const others = cards.filter(({ image_rank }) => image_rank !== place);
    const images = [...others, ...(card ? [card] : [])].sort((a, b) => a.image_rank - b.image_rank);
    onChange(images);
    return { ...set, images };
  };
  const uploads = useCardUploads({
    cards: set,
    canChange,
    isViewing: viewed !== null,
    upload: async (_, place, blob) => replace(place, await createNewCard(place, blob)),
  });
  const { draft, open, drop } = uploads;
  const isUnfinished = draft !== null;
  useEffect(() => onUnfinished(isUnfinished), [isUnfinished, onUnfinished]);
  const notices = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (reminders > 0) notices.current?.focus();
  }, [reminders]);
  useRevoked(cards);
  const taken = takenPlaces(set);
  return (
    <fieldset {...drop.handlers} className="border-line min-w-0 border-t pt-4">
      <legend className="sr-only">Card images</legend>
      <p aria-hidden className="font-semibold">
        Card images
      </p>
      <p className="text-soft mb-3">Optional. Uploaded when you add the policy.</p>
      <div className="flex flex-col gap-3">
        <div ref={notices} tabIndex={-1} className="flex scroll-my-28 flex-col gap-3 rounded-md empty:hidden">
          <DraftNotices
            rejected={uploads.rejected}
            unfinished={open ? null : draft?.picture}
            hint="Continue or discard it before you add the policy."
            onContinue={() => uploads.setOpen(true)}
            onDiscard={() => uploads.finish(set)}
          />
        </div>
        <ul className={classNames("grid gap-3 sm:grid-cols-2", drop.isOver && "outline-accent rounded-md outline-2")}>
          {PLACES.filter((place) => place <= 2 || taken.includes(place)).map((place) => (
            <CardSlot
              key={place}
              place={place}
              image={imageAt(set, place)}
              canChange={canChange}
              busy={false}
              onView={() => setViewed(taken.indexOf(place))}
              onChoose={() => uploads.choose(place)}
              onDelete={() => replace(place, null)}
              onDrop={(files) => uploads.add(files, place)}
            />
          ))}
        </ul>
        <Button className="screen-only self-start pointer-fine:hidden" onClick={uploads.takePhoto}>
          <Camera aria-hidden className="size-4" /> Take photo
        </Button>
      </div>
      <CardUploadEditor uploads={uploads} offeredPlaces={offeredPlaces} isDeferred />
      {viewed !== null && <CardViewer images={cards} start={viewed} onClose={() => setViewed(null)} />}
    </fieldset>
  );
}

/** Frees the memory of pictures that were replaced or removed. */
function useRevoked(cards: readonly NewCard[]): void {
  const before = useRef(cards);
  useEffect(() => {
    for (const { url } of before.current) if (!cards.some((card) => card.url === url)) URL.revokeObjectURL(url);
    before.current = cards;
  }, [cards]);
}
