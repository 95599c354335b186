"use client";

import { useEffect, useRef, useState } from "react";
import { errorMessage } from "@/components/ui/error-message";
import { type CardSet, imageAt } from "./card-store";
import { type Picture, readPicture, releasePicture } from "./picture";
import { PLACES } from "./places";

/** A picture that is not uploaded yet. */
interface Draft<Cards> {
  id: number;
  picture: Picture;
  place: number;
  /** The images when the picture was chosen. */
  cards: Cards;
}

/** A file that waits until the drafts before it are finished. */
interface QueuedFile {
  file: File;
  /** null for the first free place. */
  place: number | null;
  /** The place of the first file it was chosen with, whose card it probably belongs to. */
  near: number | null;
}

let lastId = 0;

/**
 * Manages pictures that the user has chosen, dropped or pasted. One at a time is open in the editor; the others wait.
 *
 * @param placesNear the places for pictures without one, in the order they are filled
 */
export function useDrafts<Cards extends CardSet>(
  cards: Cards | undefined,
  placesNear: (place: number | null) => readonly number[] = () => PLACES,
) {
  const [draft, setDraft] = useState<Draft<Cards> | null>(null);
  const [open, setOpen] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [rejected, setRejected] = useState<readonly string[]>([]);
  const isUnmounted = useRef(false);
  const queue = useRef<QueuedFile[]>([]);
  /** Whether a file is being read or a draft exists. Files chosen in the meantime wait. */
  const isOccupied = useRef(false);
  useEffect(() => {
    isUnmounted.current = false;
    return () => {
      isUnmounted.current = true;
    };
  }, []);

  /** Opens the first file of the queue that is a valid picture, and collects the reasons why the ones before it are not. */
  const openNext = async (current: Cards, errors: readonly string[] = []) => {
    const first = queue.current.shift();
    isOccupied.current = first !== undefined;
    setBusy(isOccupied.current);
    setRejected(errors);
    if (!first) return;
    try {
      const picture = await readPicture(first.file, current.limits);
      if (isUnmounted.current) return releasePicture(picture);
      const places = placesNear(first.near);
      const free = places.find((place) => !imageAt(current, place)) ?? places[0] ?? 1;
      lastId += 1;
      setDraft({ id: lastId, picture, place: first.place ?? free, cards: current });
      setOpen(true);
    } catch (error) {
      const reason = errorMessage(error);
      await openNext(current, errors.includes(reason) ? errors : [...errors, reason]);
    }
  };

  const picture = draft?.picture;
  useEffect(() => (picture ? () => releasePicture(picture) : undefined), [picture]);
  return {
    draft,
    /** Whether there is a draft or a file that is not read yet. */
    isBusy,
    open,
    setOpen,
    /** Why files were rejected. */
    rejected,
    /** Adds files. The first is for `place`, the others for the next free places. */
    add: (files: readonly File[], place: number | null) => {
      if (!cards || files.length === 0) return;
      const added = files.map((file, index) => ({ file, place: index === 0 ? place : null, near: place }));
      queue.current.push(...added);
      if (draft) setOpen(true);
      if (!isOccupied.current) void openNext(cards);
    },
    /** Closes the draft after it was uploaded or discarded, and opens the next file. */
    finish: (current: Cards) => {
      setDraft(null);
      setOpen(false);
      // Keep the errors of earlier files: the editor covered them until now.
      void openNext(current, rejected);
    },
    /** Bases the draft on the current images, after someone else has changed them. */
    updateCards: (current: Cards) => setDraft((before) => before && { ...before, cards: current }),
  };
}
