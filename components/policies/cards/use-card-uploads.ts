"use client";

import { type RefObject, useRef } from "react";
import { uploadErrors } from "../messages/cards";
import type { CardSet } from "./card-store";
import type { UploadWatch } from "./upload";
import { CardConflictError } from "./use-card-actions";
import { useDrafts } from "./use-drafts";
import { useDrop } from "./use-drop";
import { usePaste } from "./use-paste";
import type { SendPicture } from "./use-upload";

interface CardUploadOptions<Cards extends CardSet> {
  cards: Cards | undefined;
  canChange: boolean;
  /** Whether an image is enlarged, which turns pasting off. */
  isViewing: boolean;
  placesNear?: (place: number | null) => readonly number[];
  /** Uploads a picture and returns the images after that. */
  upload: (
    cards: Cards,
    place: number,
    blob: Blob,
    watch: UploadWatch,
    onConflict: (current: Cards) => void,
  ) => Promise<Cards>;
}

export type CardUploads<Cards extends CardSet> = ReturnType<typeof useCardUploads<Cards>>;

/** Lets the user choose, photograph, drop or paste pictures of cards, and uploads them. Rendered by `CardUploadEditor`. */
export function useCardUploads<Cards extends CardSet>(options: CardUploadOptions<Cards>) {
  const { cards, canChange, isViewing, placesNear, upload } = options;
  const drafts = useDrafts(cards, placesNear);
  const fileInput = useRef<HTMLInputElement>(null);
  const cameraInput = useRef<HTMLInputElement>(null);
  /** The place that the file from the browser's dialog is for. */
  const target = useRef<number | null>(null);
  const drop = useDrop((files) => drafts.add(files, null), canChange);
  usePaste((files) => drafts.add(files, null), canChange && !drafts.open && !isViewing);

  const openInput = (input: RefObject<HTMLInputElement | null>, place: number | null) => {
    target.current = place;
    input.current?.click();
  };
  const send: SendPicture = async (blob, place, watch) => {
    const { draft } = drafts;
    if (!draft) return;
    const current = await upload(draft.cards, place, blob, watch, drafts.updateCards).catch((error: unknown) => {
      throw error instanceof CardConflictError ? new Error(uploadErrors.changedInEditor) : error;
    });
    drafts.finish(current);
  };
  return {
    ...drafts,
    drop,
    send,
    fileInput,
    cameraInput,
    /** Called with the files from the browser's dialog. */
    onFiles: (files: File[]) => drafts.add(files, target.current),
    /** Opens the browser's file dialog for a place, or for the first free one. */
    choose: (place: number | null) => openInput(fileInput, place),
    /** Opens the camera. */
    takePhoto: () => openInput(cameraInput, null),
  };
}
