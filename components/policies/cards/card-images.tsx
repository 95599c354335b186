"use client";

import { Camera, Plus } from "lucide-react";
import { lazy, Suspense, useRef, useState } from "react";
import { Button } from "@/components/ui/button";
import { classNames } from "@/components/ui/class-names";
import { Notice } from "@/components/ui/status";
import { useCardActions } from "./card-actions";
import { at, type CardPlace, PlaceTakenError, useCardImages } from "./card-data";
import { useDrafts, usePaste } from "./card-drafts";
import type { SendPicture } from "./card-editor";
import { PLACES, type ShownImage, versionsOf } from "./card-labels";
import { CardSlot, useDrop } from "./card-slot";
import { FormerImages } from "./former-images";

// Neither is needed before somebody asks for it.
const CardEditor = lazy(() => import("./card-editor").then((module) => ({ default: module.CardEditor })));
const CardViewer = lazy(() => import("./card-viewer").then((module) => ({ default: module.CardViewer })));

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

const TAKEN =
  "Another picture is at this place since: somebody else’s, or yours where the connection was lost. Your picture is kept here. Look at the page behind, then try again to replace that one.";

/** The card images of a policy: front, back and further ones; to look at, add, replace and delete. */
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
      throw new Error(TAKEN);
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
  const taken = data.images.map(({ image_rank }) => image_rank);
  const further = PLACES.filter((rank) => rank > 2 && taken.includes(rank));
  const free = PLACES.find((rank) => !taken.includes(rank));
  return (
    <section aria-label="Card images" {...drop.handlers} className="flex min-w-0 flex-col gap-3">
      {refused.length > 0 && (
        <Notice
          tone="bad"
          live
          title={refused.length === 1 ? "The picture was not taken" : "Some pictures were not taken"}
        >
          {refused.map((words) => (
            <p key={words}>{words}</p>
          ))}
        </Notice>
      )}
      {draft && !open && (
        <Notice tone="warning" live title={`${draft.picture.file.name || "A picture"} is not uploaded yet`}>
          <div className="mt-2 flex gap-2">
            <Button onClick={() => setOpen(true)}>Continue</Button>
            <Button kind="quiet" onClick={() => finish(data)}>
              Discard it
            </Button>
          </div>
        </Notice>
      )}
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
            image={at(data, rank)}
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
      <FormerImages
        images={data.former}
        canChange={canChange}
        onView={(start) => {
          const image = data.former[start];
          if (image) setShown({ images: [image], start: 0, of: versionsOf(image) });
        }}
        onPutBack={(image) => void actions.putBack(data, image)}
      />
      <FileInput ref={input} onFiles={(files) => take(files, target.current)} />
      <FileInput ref={camera} camera onFiles={(files) => take(files, target.current)} />
      <Suspense>
        {draft && (
          <CardEditor
            key={draft.id}
            picture={draft.picture}
            rank={draft.rank}
            taken={draft.seen.images.map(({ image_rank }) => image_rank)}
            limits={data.limits}
            open={open}
            onClose={() => setOpen(false)}
            onSend={send}
          />
        )}
        {shown && <CardViewer {...shown} onClose={() => setShown(null)} onFailed={() => void refetch()} />}
      </Suspense>
    </section>
  );
}

interface FileInputProps {
  ref: React.Ref<HTMLInputElement>;
  camera?: boolean;
  onFiles: (files: File[]) => void;
}

/** The browser's own way to choose a file or take a photo; buttons open it. */
function FileInput({ ref, camera = false, onFiles }: FileInputProps) {
  return (
    <input
      ref={ref}
      type="file"
      hidden
      aria-label={camera ? "Take a photo of a card" : "Card image file"}
      accept="image/jpeg,image/png"
      {...(camera ? { capture: "environment" as const } : { multiple: true })}
      onChange={(event) => {
        const files = [...(event.target.files ?? [])];
        // The same file can be chosen again.
        event.target.value = "";
        onFiles(files);
      }}
    />
  );
}
