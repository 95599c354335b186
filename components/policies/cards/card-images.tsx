"use client";

import { Camera, Plus } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { classNames } from "@/components/ui/class-names";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import { LeaveGuard } from "@/components/ui/leave-guard";
import { Notice } from "@/components/ui/notice";
import { cardImages as text } from "../messages/cards";
import type { PolicyRef } from "../paths";
import { CardSlot } from "./card-slot";
import { imageAt, takenPlaces } from "./card-store";
import { type ShownImage, versionRange } from "./card-text";
import { CardUploadEditor } from "./card-upload-editor";
import { DraftNotices } from "./draft-notices";
import { EarlierImages } from "./earlier-images";
import { offeredPlaces, PLACES } from "./places";
import { usePolicyCardStore } from "./policy-card-store";
import { useCardActions } from "./use-card-actions";
import { useCardImages } from "./use-card-images";
import { useCardUploads } from "./use-card-uploads";

const CardViewer = lazyWithRetry(async () => (await import("./card-viewer")).CardViewer);

interface CardImagesProps extends PolicyRef {
  version: number;
  canWrite: boolean;
}

interface LargeView {
  images: readonly ShownImage[];
  start: number;
  of?: string;
}

/** Shows a policy's card images, which can be viewed, added, replaced and deleted. */
export function CardImages({ version, canWrite, ...policy }: CardImagesProps) {
  const { data, error, refetch } = useCardImages(policy, version);
  const { store, putBack } = usePolicyCardStore(policy);
  const actions = useCardActions(store);
  const [deleting, setDeleting] = useState<number | null>(null);
  const [largeView, setLargeView] = useState<LargeView | null>(null);
  const canChange = canWrite && data?.status === "active";
  const uploads = useCardUploads({
    cards: data,
    canChange,
    isViewing: largeView !== null,
    upload: actions.upload,
  });
  if (!data) return error ? <ReadError error={error} onRetry={() => void refetch()} /> : <Skeleton />;
  const remove = async (place: number) => {
    setDeleting(place);
    await actions.remove(data, place, await store.prepareUndo(data, place));
    setDeleting(null);
  };
  const { draft, open, drop } = uploads;
  const taken = takenPlaces(data);
  const further = PLACES.filter((place) => place > 2 && taken.includes(place));
  const hasRoom = PLACES.some((place) => !taken.includes(place));
  return (
    <div {...drop.handlers} className="flex min-w-0 flex-col gap-3">
      <DraftNotices
        rejected={uploads.rejected}
        unfinished={open ? null : draft?.picture}
        onContinue={() => uploads.setOpen(true)}
        onDiscard={() => uploads.finish(data)}
      />
      <ul
        className={classNames(
          "grid grid-cols-[repeat(auto-fill,minmax(min(100%,15rem),20rem))] gap-3 max-sm:grid-cols-1",
          drop.isOver && "outline-accent rounded-md outline-2",
        )}
      >
        {[1, 2, ...further].map((place) => (
          <CardSlot
            key={place}
            place={place}
            image={imageAt(data, place)}
            canChange={canChange}
            busy={deleting === place}
            onView={() => setLargeView({ images: data.images, start: taken.indexOf(place) })}
            onChoose={() => uploads.choose(place)}
            onDelete={() => void remove(place)}
            onDrop={(files) => uploads.add(files, place)}
            onFailed={() => void refetch()}
          />
        ))}
      </ul>
      {canChange && hasRoom && (
        <div className="screen-only flex flex-wrap gap-2">
          <Button onClick={() => uploads.choose(null)}>
            <Plus aria-hidden className="size-4" /> {text.addImage}
          </Button>
          <Button className="pointer-fine:hidden" onClick={uploads.takePhoto}>
            <Camera aria-hidden className="size-4" /> {text.takePhoto}
          </Button>
        </div>
      )}
      <EarlierImages
        images={data.former}
        canChange={canChange}
        onView={(image) => setLargeView({ images: [image], start: 0, of: versionRange(image) })}
        onPutBack={({ image_rank: place, to_version }) => void actions.putBack(data, place, putBack(place, to_version))}
      />
      <CardUploadEditor uploads={uploads} offeredPlaces={offeredPlaces} />
      {largeView && <CardViewer {...largeView} onClose={() => setLargeView(null)} onFailed={() => void refetch()} />}
      <LeaveGuard unsaved={uploads.isBusy} what={text.unsaved} />
    </div>
  );
}

function ReadError({ error, onRetry }: { error: Error; onRetry: () => void }) {
  return (
    <Notice tone="bad" live title={text.loadFailed}>
      <p>{error.message}</p>
      <Button className="mt-2" onClick={onRetry}>
        {text.retry}
      </Button>
    </Notice>
  );
}

function Skeleton() {
  return (
    <div aria-busy className="grid gap-3 sm:grid-cols-2">
      <div className="bg-sunken h-48 animate-pulse rounded-md" />
      <div className="bg-sunken h-48 animate-pulse rounded-md" />
    </div>
  );
}
