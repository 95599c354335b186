"use client";

import { Camera, Plus } from "lucide-react";
import { useRef, useState } from "react";
import { Button } from "@/components/ui/button";
import { classNames } from "@/components/ui/class-names";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import { LeaveGuard } from "@/components/ui/leave-guard";
import { Notice } from "@/components/ui/notice";
import { useCardActions } from "./card-actions";
import { CardSlot, useDrop } from "./card-slot";
import { type CardImagesData, IMAGE_CHANGED, offeredPlaces, PLACES, type ShownImage, versionRange } from "./card-text";
import { DraftNotices } from "./draft-notices";
import { EarlierImages } from "./earlier-images";
import { FileInput } from "./file-input";
import { type CardPlace, imageAt, PlaceTakenError, useCardImages } from "./use-card-images";
import { useDrafts, usePaste } from "./use-drafts";
import type { SendPicture } from "./use-upload";

// Neither is needed before somebody asks for it.
const CardEditor = lazyWithRetry(async () => (await import("./card-editor")).CardEditor);
const CardViewer = lazyWithRetry(async () => (await import("./card-viewer")).CardViewer);

interface CardImagesProps extends CardPlace {
  version: number;
  canWrite: boolean;
  /** A change of the images made this version of the policy. */
  onChanged?: (version: number) => void;
}

interface Shown {
  images: readonly ShownImage[];
  start: number;
  of?: string;
}

const takenIn = ({ images }: CardImagesData) => images.map(({ image_rank }) => image_rank);

/** The card images of a policy: front, back and further ones; to look imageAt, add, replace and delete. */
export function CardImages({ version, canWrite, onChanged, ...place }: CardImagesProps) {
  const { data, error, refetch } = useCardImages(place, version);
  const actions = useCardActions(place, onChanged);
  const { draft, open, setOpen, refused, take, finish, lookAgain } = useDrafts(data);
  const [deleting, setDeleting] = useState<number | null>(null);
  const [shown, setShown] = useState<Shown | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const camera = useRef<HTMLInputElement>(null);
  const target = useRef<number | null>(null);
  const canChange = canWrite && data?.status === "active";
  const drop = useDrop((files) => take(files, null), canChange);
  usePaste((files) => take(files, null), canChange && !open && shown === null);

  const pick = (from: typeof input, rank: number | null) => {
    target.current = rank;
    from.current?.click();
  };
  const send: SendPicture = async (blob, rank, watch) => {
    if (!draft) return;
    await actions.upload(draft.seen, rank, blob, watch).catch((problem: Error) => {
      if (!(problem instanceof PlaceTakenError)) throw problem;
      lookAgain(problem.now);
      throw new Error(IMAGE_CHANGED);
    });
    const { data: now = draft.seen } = await refetch();
    finish(now);
  };
  const remove = async (rank: number) => {
    if (!data) return;
    setDeleting(rank);
    await actions.remove(data, rank);
    setDeleting(null);
  };

  if (!data) {
    return error ? (
      <Notice tone="bad" live title="The card images could not be read">
        <p>{error.message}</p>
        <Button className="mt-2" onClick={() => void refetch()}>
          Read them again
        </Button>
      </Notice>
    ) : (
      <div aria-busy className="grid gap-3 sm:grid-cols-2">
        <div className="bg-sunken h-48 animate-pulse rounded-md" />
        <div className="bg-sunken h-48 animate-pulse rounded-md" />
      </div>
    );
  }
  const taken = takenIn(data);
  const further = PLACES.filter((rank) => rank > 2 && taken.includes(rank));
  const free = PLACES.find((rank) => !taken.includes(rank));
  return (
    <section aria-label="Card images" {...drop.handlers} className="flex min-w-0 flex-col gap-3">
      <DraftNotices
        refused={refused}
        aside={open ? null : draft?.picture}
        onContinue={() => setOpen(true)}
        onDiscard={() => finish(data)}
      />
      <ul
        className={classNames(
          "grid grid-cols-[repeat(auto-fill,minmax(min(100%,15rem),20rem))] gap-3",
          drop.over && "outline-accent rounded-md outline-2",
        )}
      >
        {[1, 2, ...further].map((rank) => (
          <CardSlot
            key={rank}
            rank={rank}
            image={imageAt(data, rank)}
            canChange={canChange}
            busy={deleting === rank}
            onView={() => setShown({ images: data.images, start: taken.indexOf(rank) })}
            onPick={() => pick(input, rank)}
            onDelete={() => void remove(rank)}
            onDrop={(files) => take(files, rank)}
            onFailed={() => void refetch()}
          />
        ))}
      </ul>
      {canChange && free && (
        <div className="screen-only flex flex-wrap gap-2">
          <Button onClick={() => pick(input, null)}>
            <Plus aria-hidden className="size-4" /> Add image
          </Button>
          <Button className="pointer-fine:hidden" onClick={() => pick(camera, null)}>
            <Camera aria-hidden className="size-4" /> Take photo
          </Button>
        </div>
      )}
      <EarlierImages
        images={data.former}
        canChange={canChange}
        onView={(start) => {
          const image = data.former[start];
          if (image) setShown({ images: [image], start: 0, of: versionRange(image) });
        }}
        onPutBack={(image) => void actions.putBack(data, image)}
      />
      <FileInput ref={input} onFiles={(files) => take(files, target.current)} />
      <FileInput ref={camera} camera onFiles={(files) => take(files, target.current)} />
      {draft && (
        <CardEditor
          key={draft.id}
          picture={draft.picture}
          rank={draft.rank}
          places={offeredPlaces(takenIn(draft.seen))}
          taken={takenIn(draft.seen)}
          limits={data.limits}
          open={open}
          onClose={() => setOpen(false)}
          onSend={send}
        />
      )}
      {shown && <CardViewer {...shown} onClose={() => setShown(null)} onFailed={() => void refetch()} />}
      <LeaveGuard unsaved={draft !== null} what="The picture that is not uploaded yet" />
    </section>
  );
}
