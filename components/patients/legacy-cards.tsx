"use client";

import { Camera } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useDrop } from "@/components/policies/cards/card-slot";
import { IMAGE_CHANGED, PLACES } from "@/components/policies/cards/card-text";
import { DraftNotices } from "@/components/policies/cards/draft-notices";
import { FileInput } from "@/components/policies/cards/file-input";
import { useDrafts, usePaste } from "@/components/policies/cards/use-drafts";
import type { SendPicture } from "@/components/policies/cards/use-upload";
import { rankLabel } from "@/components/policies/fields";
import { Button } from "@/components/ui/button";
import { classNames } from "@/components/ui/class-names";
import { Dialog } from "@/components/ui/dialog";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import type { PatientPage } from "@/lib/insurance/patient-page/queries";
import { CardTakenError, useLegacyCardActions } from "./legacy-card-actions";
import {
  cardAt,
  legacyPlaceName,
  legacyPlacePhrase,
  legacyPlacesNear,
  offeredLegacyPlaces,
  placeOf,
  RANKS,
  rankOf,
  toCardSet,
} from "./legacy-card-places";
import { LegacyCardSide } from "./legacy-card-side";

// Neither is needed before somebody asks for it.
const CardEditor = lazyWithRetry(async () => (await import("@/components/policies/cards/card-editor")).CardEditor);
const CardViewer = lazyWithRetry(async () => (await import("@/components/policies/cards/card-viewer")).CardViewer);

interface CardsProps {
  practice: number;
  data: PatientPage;
  refresh: () => Promise<PatientPage>;
  canWrite: boolean;
  /** A picture was chosen, and is not uploaded yet. */
  onDraft: (open: boolean) => void;
}

/** The card images of each priority, front and back, as clients without policies know them. */
export function LegacyCards({ practice, data, refresh, canWrite, onDraft }: CardsProps) {
  const seen = toCardSet(data);
  const actions = useLegacyCardActions(practice, data.patient.id, refresh);
  const { draft, open, setOpen, refused, take, finish, lookAgain } = useDrafts(seen, legacyPlacesNear);
  const [large, setLarge] = useState<number | null>(null);
  const [busy, setBusy] = useState<number | null>(null);
  /** A place whose picture could not be kept for an undo. */
  const [asking, setAsking] = useState<number | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const camera = useRef<HTMLInputElement>(null);
  const target = useRef<number | null>(null);
  const drop = useDrop((files) => take(files, null), canWrite);
  usePaste((files) => take(files, null), canWrite && !open && large === null);
  const hasDraft = draft !== null;
  useEffect(() => onDraft(hasDraft), [hasDraft, onDraft]);
  useEffect(() => () => onDraft(false), [onDraft]);

  const pick = (from: typeof input, place: number | null) => {
    target.current = place;
    from.current?.click();
  };
  const send: SendPicture = async (blob, place, watch) => {
    if (!draft) return;
    const now = await actions.upload(draft.seen, place, blob, watch).catch((problem: Error) => {
      if (!(problem instanceof CardTakenError)) throw problem;
      lookAgain(problem.now);
      throw new Error(IMAGE_CHANGED);
    });
    finish(now);
  };
  const remove = async (place: number, agreed = false) => {
    const image = cardAt(seen, place);
    if (!image) return;
    setAsking(null);
    setBusy(place);
    const bytes = agreed ? null : await actions.bytesOf(image);
    if (bytes || agreed) await actions.remove(seen, place, bytes);
    else setAsking(place);
    setBusy(null);
  };
  const taken = (draft?.seen ?? seen).images.map(({ image_rank }) => image_rank);
  return (
    <div {...drop.handlers} className="flex flex-col gap-3">
      <DraftNotices
        refused={refused}
        aside={open ? null : draft?.picture}
        onContinue={() => setOpen(true)}
        onDiscard={() => finish(seen)}
      />
      <div className={classNames("border-line bg-raised rounded-md border", drop.over && "border-accent")}>
        {RANKS.map((rank) => (
          <section
            key={rank}
            aria-label={`${rankLabel(rank)} card`}
            className="border-line border-b px-3 py-2 last:border-0"
          >
            <h3 className="mb-1.5 font-medium">{rankLabel(rank)}</h3>
            <ul className="flex flex-col gap-2">
              {sidesOf(data, rank).map(({ place, card }) => (
                <LegacyCardSide
                  key={place}
                  place={place}
                  card={card}
                  canChange={canWrite}
                  busy={busy === place}
                  onView={() => setLarge(place)}
                  onPick={() => pick(input, place)}
                  onRemove={() => void remove(place)}
                  onDrop={(files) => take(files, place)}
                />
              ))}
            </ul>
          </section>
        ))}
      </div>
      {canWrite && (
        <div className="screen-only">
          <p className="text-soft text-sm">JPEG or PNG. Drop a picture on its place, or paste it anywhere.</p>
          <Button className="mt-2 pointer-fine:hidden" onClick={() => pick(camera, null)}>
            <Camera aria-hidden className="size-4" /> Take photo
          </Button>
        </div>
      )}
      <FileInput ref={input} onFiles={(files) => take(files, target.current)} />
      <FileInput ref={camera} camera onFiles={(files) => take(files, target.current)} />
      {draft && (
        <CardEditor
          key={draft.id}
          picture={draft.picture}
          rank={draft.rank}
          places={offeredLegacyPlaces(taken)}
          nameOf={legacyPlaceName}
          taken={taken}
          limits={draft.seen.limits}
          open={open}
          onClose={() => setOpen(false)}
          onSend={send}
        />
      )}
      {large !== null && <LargeCard data={data} place={large} onClose={() => setLarge(null)} />}
      {asking !== null && (
        <RemoveWithoutUndo place={asking} onClose={() => setAsking(null)} onRemove={() => void remove(asking, true)} />
      )}
    </div>
  );
}

function sidesOf({ cards }: PatientPage, rank: number) {
  const own = cards.filter((card) => card.rank === rank);
  const sides = PLACES.filter((side) => side <= 2 || own.some(({ image_rank }) => image_rank === side));
  return sides.map((side) => ({
    place: placeOf(rank, side),
    card: own.find(({ image_rank }) => image_rank === side),
  }));
}

function LargeCard({ data, place, onClose }: { data: PatientPage; place: number; onClose: () => void }) {
  const cards = data.cards.filter(({ rank }) => rank === rankOf(place));
  const start = cards.findIndex(({ rank, image_rank }) => placeOf(rank, image_rank) === place);
  return (
    <CardViewer images={cards} start={Math.max(0, start)} of={`${rankLabel(rankOf(place))} card`} onClose={onClose} />
  );
}

/** Asks where a picture can't be kept to be put back. */
function RemoveWithoutUndo(props: { place: number; onClose: () => void; onRemove: () => void }) {
  const { place, onClose, onRemove } = props;
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Remove the ${legacyPlacePhrase(place)}?`}
      description="Its picture can't be read at the moment, so it can't be put back from this page. It stays in the history."
      footer={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button kind="danger" onClick={onRemove}>
            Remove image
          </Button>
        </>
      }
    />
  );
}
