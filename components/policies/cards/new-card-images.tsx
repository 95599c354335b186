"use client";

import { Camera } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import { Button } from "@/components/ui/button";
import { classNames } from "@/components/ui/class-names";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import { cardImages, newCardImages as text } from "../messages/cards";
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
  /** Called with whether a picture is being read, open in the editor or set aside. */
  onUnfinished: (isUnfinished: boolean) => void;
  /** Counts the attempts to save while a picture was unfinished. Each one focuses the message about it. */
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
  const { draft, isBusy, open, drop } = uploads;
  useEffect(() => onUnfinished(isBusy), [isBusy, onUnfinished]);
  const title = useId();
  const messages = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (reminders > 0) messages.current?.focus();
  }, [reminders]);
  useRevoked(cards);
  const taken = takenPlaces(set);
  return (
    <fieldset aria-labelledby={title} {...drop.handlers} className="border-line min-w-0 border-t pt-4">
      <h2 id={title} className="font-semibold">
        {text.title}
      </h2>
      <div className="flex flex-col gap-3">
        <div ref={messages} tabIndex={-1} className="flex scroll-my-28 flex-col gap-3 rounded-md">
          <p aria-live="polite" className="text-soft">
            {isBusy && !draft ? text.opening : text.help}
          </p>
          <DraftNotices
            rejected={uploads.rejected}
            unfinished={open ? null : draft?.picture}
            hint={text.unfinishedHint}
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
          <Camera aria-hidden className="size-4" /> {cardImages.takePhoto}
        </Button>
      </div>
      <CardUploadEditor uploads={uploads} offeredPlaces={offeredPlaces} isDeferred />
      {viewed !== null && <CardViewer images={cards} start={viewed} onClose={() => setViewed(null)} />}
    </fieldset>
  );
}

/** Frees the memory of pictures that were replaced or removed, and of the rest when the form closes. Uploads use their own copy. */
function useRevoked(cards: readonly NewCard[]): void {
  const before = useRef(cards);
  useEffect(() => {
    for (const { url } of before.current) if (!cards.some((card) => card.url === url)) URL.revokeObjectURL(url);
    before.current = cards;
  }, [cards]);
  useEffect(
    () => () => {
      for (const { url } of before.current) URL.revokeObjectURL(url);
    },
    [],
  );
}
