"use client";

import { useEffect, useRef, useState } from "react";
import { type CardSet, imageAt } from "./card-store";
import { type Picture, PictureError, readPicture, releasePicture } from "./picture";
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
  const [queue, setQueue] = useState<QueuedFile[]>([]);
  const [rejected, setRejected] = useState<string[]>([]);
  const isUnmounted = useRef(false);
  /** Whether a file is being read. Files chosen in the meantime wait. */
  const isReading = useRef(false);
  useEffect(() => {
    isUnmounted.current = false;
    return () => {
      isUnmounted.current = true;
    };
  }, []);

  /** Opens the first file that is a valid picture, and collects the reasons why the ones before it are not. */
  const openNext = async (files: readonly QueuedFile[], current: Cards, errors: readonly string[] = []) => {
    const [first, ...others] = files;
    setQueue(others);
    setRejected([...errors]);
    if (!first) return;
    isReading.current = true;
    try {
      const picture = await readPicture(first.file, current.limits);
      if (isUnmounted.current) return releasePicture(picture);
      const places = placesNear(first.near);
      const free = places.find((place) => !imageAt(current, place)) ?? places[0] ?? 1;
      lastId += 1;
      setDraft({ id: lastId, picture, place: first.place ?? free, cards: current });
      setOpen(true);
      isReading.current = false;
    } catch (error) {
      isReading.current = false;
      if (!(error instanceof PictureError)) throw error;
      await openNext(others, current, [...errors, error.message]);
    }
  };

  const picture = draft?.picture;
  useEffect(() => (picture ? () => releasePicture(picture) : undefined), [picture]);
  return {
    draft,
    open,
    setOpen,
    /** Why files were rejected. */
    rejected,
    /** Adds files. The first is for `place`, the others for the next free places. */
    add: (files: readonly File[], place: number | null) => {
      if (!cards || files.length === 0) return;
      const added = files.map((file, index) => ({ file, place: index === 0 ? place : null, near: place }));
      if (draft || isReading.current) {
        setQueue((before) => [...before, ...added]);
        setOpen(draft !== null);
      } else void openNext(added, cards);
    },
    /** Closes the draft after it was uploaded or discarded, and opens the next file. */
    finish: (current: Cards | undefined) => {
      setDraft(null);
      setOpen(false);
      // Keep the errors of earlier files: the editor covered them until now.
      if (current) void openNext(queue, current, rejected);
    },
    /** Bases the draft on the current images, after someone else has changed them. */
    updateCards: (current: Cards) => setDraft((before) => before && { ...before, cards: current }),
  };
}
