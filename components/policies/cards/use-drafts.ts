"use client";

import { useEffect, useEffectEvent, useRef, useState } from "react";
import { PLACES } from "./card-text";
import { type ImageLimits, type Picture, PictureError, readPicture, releasePicture } from "./picture";

/** Card images as they were when a picture was chosen. */
export interface SeenImages {
  images: readonly { image_rank: number }[];
  limits: ImageLimits;
}

/** A picture that is not uploaded yet. */
interface Draft<Seen> {
  id: number;
  picture: Picture;
  rank: number;
  seen: Seen;
}

/** A file that waits for its turn; without a place it goes to the first free one. */
interface Waiting {
  file: File;
  rank: number | null;
  /** It came together with a picture for this place. */
  beside: number | null;
}

let drafts = 0;

/**
 * Pictures somebody chose, dropped or pasted: one at a time in the editor, the others after it.
 *
 * @param placesBeside where pictures may go, in the order they are filled, beside one for a certain place
 */
export function useDrafts<Seen extends SeenImages>(
  data: Seen | undefined,
  placesBeside: (place: number | null) => readonly number[] = () => PLACES,
) {
  const [draft, setDraft] = useState<Draft<Seen> | null>(null);
  const [open, setOpen] = useState(false);
  const [waiting, setWaiting] = useState<Waiting[]>([]);
  const [refused, setRefused] = useState<string[]>([]);
  const isLeft = useRef(false);
  /** A file is being read: those that come meanwhile wait. */
  const isReading = useRef(false);
  useEffect(() => {
    isLeft.current = false;
    return () => {
      isLeft.current = true;
    };
  }, []);

  /** Opens the first file that can be a card image; of the others before it, it is said why not. */
  const next = async (queue: readonly Waiting[], seen: Seen, problems: readonly string[] = []) => {
    const [first, ...others] = queue;
    setWaiting(others);
    setRefused([...problems]);
    if (!first) return;
    isReading.current = true;
    try {
      const picture = await readPicture(first.file, seen.limits);
      if (isLeft.current) return releasePicture(picture);
      const places = placesBeside(first.beside);
      const free = places.find((rank) => !seen.images.some(({ image_rank }) => image_rank === rank)) ?? places[0] ?? 1;
      drafts += 1;
      setDraft({ id: drafts, picture, rank: first.rank ?? free, seen });
      setOpen(true);
      isReading.current = false;
    } catch (problem) {
      isReading.current = false;
      if (!(problem instanceof PictureError)) throw problem;
      await next(others, seen, [...problems, problem.message]);
    }
  };

  const picture = draft?.picture;
  useEffect(() => (picture ? () => releasePicture(picture) : undefined), [picture]);
  return {
    draft,
    open,
    setOpen,
    refused,
    /** Takes files for a place, the further ones for the next free places. */
    take: (files: readonly File[], rank: number | null) => {
      if (!data || files.length === 0) return;
      const added = files.map((file, index) => ({ file, rank: index === 0 ? rank : null, beside: rank }));
      if (draft || isReading.current) {
        setWaiting((before) => [...before, ...added]);
        setOpen(draft !== null);
      } else void next(added, data);
    },
    /** The draft was uploaded or given up: on to the next, with the images as they are now. */
    finish: (now: Seen | undefined) => {
      setDraft(null);
      setOpen(false);
      // What was said of files before stays: nobody could read it behind the editor.
      if (now) void next(waiting, now, refused);
    },
    /** The images changed behind the draft. */
    lookAgain: (now: Seen) => setDraft((before) => before && { ...before, seen: now }),
  };
}

/** Pictures pasted anywhere on the page, but for the layers above it: those ask for something else. */
export function usePaste(onFiles: (files: File[]) => void, enabled: boolean): void {
  const paste = useEffectEvent((event: ClipboardEvent) => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (!enabled || files.length === 0 || document.querySelector(LAYER)) return;
    event.preventDefault();
    onFiles(files);
  });
  useEffect(() => {
    const listen = (event: ClipboardEvent) => paste(event);
    document.addEventListener("paste", listen);
    return () => document.removeEventListener("paste", listen);
  }, []);
}

const LAYER = "[role=dialog], [role=alertdialog]";
