"use client";

import { Camera } from "lucide-react";
import { useEffect, useState } from "react";
import { takenPlaces } from "@/components/policies/cards/card-store";
import { CardUploadEditor } from "@/components/policies/cards/card-upload-editor";
import { DraftNotices } from "@/components/policies/cards/draft-notices";
import { PLACES } from "@/components/policies/cards/places";
import { useCardActions } from "@/components/policies/cards/use-card-actions";
import { useCardUploads } from "@/components/policies/cards/use-card-uploads";
import { rankLabel } from "@/components/policies/fields";
import { Button } from "@/components/ui/button";
import { classNames } from "@/components/ui/class-names";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import type { PatientPage } from "@/lib/insurance/patient-page/queries";
import { ConfirmCardRemoval } from "./confirm-card-removal";
import {
  legacyPlaceLabel,
  legacyPlacesNear,
  offeredLegacyPlaces,
  placeRank,
  RANKS,
  toPlace,
} from "./legacy-card-places";
import { LegacyCardSide } from "./legacy-card-side";
import { createLegacyCardStore, toLegacyCards } from "./legacy-card-store";
import { legacyCardNames, legacyCards as text } from "./messages/legacy-cards";

const CardViewer = lazyWithRetry(async () => (await import("@/components/policies/cards/card-viewer")).CardViewer);

interface LegacyCardsProps {
  practice: number;
  data: PatientPage;
  refresh: () => Promise<PatientPage>;
  canWrite: boolean;
  /** Called with whether a chosen file is not read or not uploaded yet. */
  onDraft: (hasDraft: boolean) => void;
}

/** Shows the card images of each priority, front and back, in a practice without policies. */
export function LegacyCards({ practice, data, refresh, canWrite, onDraft }: LegacyCardsProps) {
  const cards = toLegacyCards(data);
  const store = createLegacyCardStore(practice, data.patient.id, refresh);
  const actions = useCardActions(store);
  const [viewed, setViewed] = useState<number | null>(null);
  const [removing, setRemoving] = useState<number | null>(null);
  /** A place whose removal can't be undone, and must be confirmed. */
  const [confirming, setConfirming] = useState<number | null>(null);
  const uploads = useCardUploads({
    cards,
    canChange: canWrite,
    isViewing: viewed !== null,
    placesNear: legacyPlacesNear,
    upload: actions.upload,
  });
  const { draft, open, drop, isBusy } = uploads;
  useEffect(() => onDraft(isBusy), [isBusy, onDraft]);
  useEffect(() => () => onDraft(false), [onDraft]);

  const remove = async (place: number, isConfirmed = false) => {
    if (!takenPlaces(cards).includes(place)) return;
    setConfirming(null);
    setRemoving(place);
    const undo = isConfirmed ? null : await store.prepareUndo(cards, place);
    if (undo || isConfirmed) await actions.remove(cards, place, undo);
    else setConfirming(place);
    setRemoving(null);
  };
  return (
    <div {...drop.handlers} className="flex flex-col gap-3">
      <DraftNotices
        rejected={uploads.rejected}
        unfinished={open ? null : draft?.picture}
        onContinue={() => uploads.setOpen(true)}
        onDiscard={() => uploads.finish(cards)}
      />
      <div className={classNames("border-line bg-raised rounded-md border", drop.isOver && "border-accent")}>
        {RANKS.map((rank) => (
          <section
            key={rank}
            aria-label={legacyCardNames.card(rankLabel(rank))}
            className="border-line border-b px-3 py-2 last:border-0"
          >
            <h3 className="mb-1.5 font-medium">{rankLabel(rank)}</h3>
            <ul className="flex flex-col gap-2">
              {listSides(data, rank).map(({ place, card }) => (
                <LegacyCardSide
                  key={place}
                  place={place}
                  card={card}
                  canChange={canWrite}
                  busy={removing === place}
                  onView={() => setViewed(place)}
                  onChoose={() => uploads.choose(place)}
                  onRemove={() => void remove(place)}
                  onDrop={(files) => uploads.add(files, place)}
                />
              ))}
            </ul>
          </section>
        ))}
      </div>
      {canWrite && (
        <div className="screen-only">
          <p className="text-soft text-sm">{text.help}</p>
          <Button className="mt-2 pointer-fine:hidden" onClick={uploads.takePhoto}>
            <Camera aria-hidden className="size-4" /> {text.takePhoto}
          </Button>
        </div>
      )}
      <CardUploadEditor uploads={uploads} offeredPlaces={offeredLegacyPlaces} nameOf={legacyPlaceLabel} />
      {viewed !== null && <LargeView data={data} place={viewed} onClose={() => setViewed(null)} />}
      {confirming !== null && (
        <ConfirmCardRemoval
          place={confirming}
          onClose={() => setConfirming(null)}
          onRemove={() => void remove(confirming, true)}
        />
      )}
    </div>
  );
}

/** Returns front, back and any further sides of a card that have an image. */
function listSides({ cards }: PatientPage, rank: number) {
  const images = new Map(cards.filter((card) => card.rank === rank).map((card) => [card.image_rank, card]));
  const sides = PLACES.filter((side) => side <= 2 || images.has(side));
  return sides.map((side) => ({ place: toPlace(rank, side), card: images.get(side) }));
}

function LargeView({ data, place, onClose }: { data: PatientPage; place: number; onClose: () => void }) {
  const cards = data.cards.filter(({ rank }) => rank === placeRank(place));
  const start = cards.findIndex(({ rank, image_rank }) => toPlace(rank, image_rank) === place);
  return (
    <CardViewer
      images={cards}
      start={Math.max(0, start)}
      of={legacyCardNames.card(rankLabel(placeRank(place)))}
      onClose={onClose}
    />
  );
}
