"use client";

import { CallError, isUncertain } from "@/components/session/call-error";
import { errorMessage } from "@/components/ui/error-message";
import { useToasts } from "@/components/ui/toasts";
import { cardActions as text, uploadErrors } from "../messages/cards";
import { type CardChange, type CardSet, type CardStore, type CardUndo, imageAt } from "./card-store";
import type { UploadWatch } from "./upload";

/** Someone else has changed the image at the same place. The change was not made. */
export class CardConflictError extends Error {
  constructor() {
    super(uploadErrors.changed);
  }
}

/** An image as the user saw it before a change. */
interface SeenImage {
  place: number;
  version: number;
  sha256: string | undefined;
}

type OnConflict<Cards> = (current: Cards) => void;

/** Returns the changes that a user can make to card images. Each is based on the images the user saw, and can be undone. */
export function useCardActions<Cards extends CardSet>(store: CardStore<Cards>) {
  const toast = useToasts();

  /** Makes a change. If the version is outdated but the image is still the same, tries again with the current version. */
  const apply = async (seen: SeenImage, change: CardChange, onConflict?: OnConflict<Cards>) => {
    let base = seen.version;
    try {
      const { version, sha256 } = await change(base).catch(async (error: unknown) => {
        if (!(error instanceof CallError) || error.status !== 412) throw error;
        const current = await store.load();
        if (imageAt(current, seen.place)?.sha256 !== seen.sha256) {
          onConflict?.(current);
          throw new CardConflictError();
        }
        base = current.version;
        return change(base);
      });
      return { place: seen.place, base, version, sha256 };
    } catch (error) {
      // The change may have been made although it failed.
      void store.refresh();
      throw error instanceof Error && store.toError ? store.toError(error) : error;
    }
  };

  const undo = async (changed: SeenImage, change: CardChange) => {
    const name = store.placeName(changed.place);
    try {
      const { version } = await apply(changed, change);
      toast.success(text.undone(name));
      void store.refresh(version);
    } catch (error) {
      toast.error((isUncertain(error) ? text.uncertain : text.notUndone)(name, errorMessage(error)));
    }
  };

  const perform = async (
    cards: Cards,
    place: number,
    { done, change, undoWith, onConflict }: CardAction<Cards>,
  ): Promise<Cards> => {
    const seen = { place, version: cards.version, sha256: imageAt(cards, place)?.sha256 };
    const changed = await apply(seen, change, onConflict);
    const inverse = undoWith?.(changed.base);
    toast.success(text[done](store.placeName(place)), inverse && (() => void undo(changed, inverse)));
    return (await store.refresh(changed.version)) ?? { ...cards, version: changed.version };
  };

  const performWithToast = async (
    cards: Cards,
    place: number,
    action: CardAction<Cards> & { failed: "notDeleted" | "notRestored" },
  ) => {
    try {
      await perform(cards, place, action);
    } catch (error) {
      const failed = isUncertain(error) ? "uncertain" : action.failed;
      toast.error(text[failed](store.placeName(place), errorMessage(error)));
    }
  };

  return {
    /**
     * Uploads a picture and returns the images after that.
     *
     * @throws CardConflictError, CallError: the editor shows them and keeps the picture
     */
    upload: async (cards: Cards, place: number, blob: Blob, watch: UploadWatch, onConflict: OnConflict<Cards>) =>
      perform(cards, place, {
        done: imageAt(cards, place) ? "replaced" : "added",
        undoWith: await store.prepareUndo(cards, place),
        change: store.upload(place, blob, watch),
        onConflict,
      }),
    /** Deletes an image. Shows an error as a toast. */
    remove: (cards: Cards, place: number, undoWith: CardUndo | null) =>
      performWithToast(cards, place, { done: "deleted", failed: "notDeleted", undoWith, change: store.remove(place) }),
    /** Restores an image of an earlier version. Shows an error as a toast. */
    putBack: async (cards: Cards, place: number, change: CardChange) =>
      performWithToast(cards, place, {
        done: "restored",
        failed: "notRestored",
        undoWith: await store.prepareUndo(cards, place),
        change,
      }),
  };
}

interface CardAction<Cards> {
  /** What was done. */
  done: "added" | "replaced" | "deleted" | "restored";
  change: CardChange;
  undoWith: CardUndo | null;
  onConflict?: OnConflict<Cards>;
}
