"use client";

import { useEffect, useEffectEvent, useState } from "react";
import { type CardImagesData, PLACES } from "./card-labels";
import { forgetPicture, type Picture, PictureError, readPicture } from "./picture";

/** A picture that is not uploaded yet, with the images as they were when it was chosen. */
export interface Draft {
  id: number;
  picture: Picture;
  rank: number;
  seen: CardImagesData;
}

/** A file that waits for its turn; without a place it goes to the first free one. */
interface Waiting {
  file: File;
  rank: number | null;
}

let drafts = 0;

/** Pictures somebody chose, dropped or pasted: one at a time in the editor, the others after it. */
export function useDrafts(data: CardImagesData | undefined) {
  const [draft, setDraft] = useState<Draft | null>(null);
  const [open, setOpen] = useState(false);
  const [waiting, setWaiting] = useState<Waiting[]>([]);
  const [refused, setRefused] = useState<string[]>([]);

  /** Opens the first file that can be a card image; of the others before it, it is said why not. */
  const next = async (queue: readonly Waiting[], seen: CardImagesData, problems: readonly string[] = []) => {
    const [first, ...others] = queue;
    setWaiting(others);
    setRefused([...problems]);
    if (!first) return;
    try {
      const picture = await readPicture(first.file, seen.limits);
      const free = PLACES.find((rank) => !seen.images.some(({ image_rank }) => image_rank === rank)) ?? 1;
      drafts += 1;
      setDraft({ id: drafts, picture, rank: first.rank ?? free, seen });
      setOpen(true);
    } catch (problem) {
      if (!(problem instanceof PictureError)) throw problem;
      await next(others, seen, [...problems, problem.message]);
    }
  };

  useLeaveWarning(draft !== null);
  return {
    draft,
    open,
    setOpen,
    refused,
    /** Takes files for a place, the further ones for the next free places. */
    take: (files: readonly File[], rank: number | null) => {
      if (!data || files.length === 0) return;
      const added = files.map((file, index) => ({ file, rank: index === 0 ? rank : null }));
      if (draft) {
        setWaiting([...waiting, ...added]);
        setOpen(true);
      } else void next(added, data);
    },
    /** The draft was uploaded or given up: on to the next, with the images as they are now. */
    finish: (now: CardImagesData | undefined) => {
      if (draft) forgetPicture(draft.picture);
      setDraft(null);
      setOpen(false);
      // What was said of files before stays: nobody could read it behind the editor.
      if (now) void next(waiting, now, refused);
    },
    /** The images changed behind the draft. */
    lookAgain: (now: CardImagesData) => setDraft((before) => before && { ...before, seen: now }),
  };
}

/** Pictures pasted anywhere on the page. */
export function usePaste(onFiles: (files: File[]) => void, enabled: boolean): void {
  const paste = useEffectEvent((event: ClipboardEvent) => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (!enabled || files.length === 0) return;
    event.preventDefault();
    onFiles(files);
  });
  useEffect(() => {
    const listen = (event: ClipboardEvent) => paste(event);
    document.addEventListener("paste", listen);
    return () => document.removeEventListener("paste", listen);
  }, []);
}

/** Leaving the page with a picture that is not uploaded asks. */
function useLeaveWarning(enabled: boolean): void {
  useEffect(() => {
    if (!enabled) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [enabled]);
}
