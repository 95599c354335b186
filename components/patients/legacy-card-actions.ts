"use client";

import type { UploadWatch } from "@/components/policies/cards/card-actions";
import { uploadPicture } from "@/components/policies/cards/upload";
import { CallError, isUncertain } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import { useToasts } from "@/components/ui/toasts";
import type { PatientPage } from "@/lib/insurance/patient-page/queries";
import { toLegacyCardError } from "./legacy-card-errors";
import {
  type CardSet,
  cardAt,
  legacyPlacePhrase,
  rankOf,
  type SeenCard,
  sideOf,
  toCardSet,
} from "./legacy-card-places";
import { patientPath } from "./use-patient";

/** What was put at a place by somebody else meanwhile: the change was not made. */
export class CardTakenError extends Error {
  readonly now: CardSet;

  constructor(now: CardSet) {
    super("Somebody else has changed this card image meanwhile.");
    this.now = now;
  }
}

interface Answer {
  /** Of the patient. */
  version: number;
  /** Of the image that is there now; left out where one was removed. */
  sha256?: string;
}

/** A change of one place, on the version of the patient it is given. */
type Act = (version: number) => Promise<Answer>;

interface Decision {
  place: number;
  /** Of the patient, as it was decided on. */
  version: number;
  sha256: string | undefined;
}

interface Done extends Decision {
  /** The cards after it; null where they could not be read. */
  now: CardSet | null;
}

/**
 * What can be done to cards by priority. Each is decided on what was `seen`. The legacy interface keeps no former images at
 * hand, so that an undo sends the picture again whose bytes were fetched before.
 */
export function useLegacyCardActions(practice: number, patient: number, refresh: () => Promise<PatientPage>) {
  const toast = useToasts();
  const base = patientPath(practice, patient);
  const path = `${base}/legacy-cards`;

  const put =
    (place: number, blob: Blob, watch: UploadWatch): Act =>
    (version) => {
      const fields = { rank: rankOf(place), side: sideOf(place) };
      return uploadPicture({ path, readPath: `${base}/state`, blob, fields, version, ...watch });
    };
  const take =
    (place: number): Act =>
    (version) =>
      staffCall<Answer>(`${path}?rank=${rankOf(place)}&side=${sideOf(place)}`, { method: "DELETE", ifMatch: version });

  /** A newer version of the patient is no hindrance as long as the image at the place is the one that was seen. */
  const change = async ({ place, version, sha256 }: Decision, act: Act): Promise<Done> => {
    try {
      const done = await act(version).catch(async (error: unknown) => {
        if (!(error instanceof CallError) || error.status !== 412) throw error;
        const fresh = toCardSet(await refresh());
        if (cardAt(fresh, place)?.sha256 !== sha256) throw new CardTakenError(fresh);
        return act(fresh.version);
      });
      const now = await refresh().then(toCardSet, () => null);
      return { place, version: done.version, sha256: done.sha256, now };
    } catch (error) {
      // What is shown must not be from before a change that was made after all.
      if (isUncertain(error)) void refresh().catch(() => {});
      throw error;
    }
  };

  const undo = async (done: Decision, back: Act): Promise<void> => {
    const what = `The ${legacyPlacePhrase(done.place)}`;
    try {
      await change(done, back);
      toast.success(`${what} is as it was before.`);
    } catch (error) {
      toast.error(`${what}: ${isUncertain(error) ? "" : "not undone. "}${toLegacyCardError(error as Error).message}`);
    }
  };

  /** The bytes of a picture; null where they can't be had. Its link may have ended since the page was read. */
  const bytesOf = async ({ image_rank: place, sha256, url }: SeenCard): Promise<Blob | null> => {
    const bytes = await fetchBytes(url);
    if (bytes) return bytes;
    const fresh = await refresh().then(
      (page) => cardAt(toCardSet(page), place),
      () => undefined,
    );
    return fresh?.sha256 === sha256 ? fetchBytes(fresh.url) : null;
  };

  return {
    bytesOf,
    /** @returns the cards as they are then @throws CardTakenError, CallError: the editor tells, and keeps the picture */
    upload: async (seen: CardSet, place: number, blob: Blob, watch: UploadWatch): Promise<CardSet> => {
      const before = cardAt(seen, place);
      const former = before ? await bytesOf(before) : null;
      const decision = { place, version: seen.version, sha256: before?.sha256 };
      const done = await change(decision, put(place, blob, watch)).catch((error: Error) => {
        throw toLegacyCardError(error);
      });
      const back = former ? put(place, former, unwatched()) : before ? null : take(place);
      const words = `The ${legacyPlacePhrase(place)} is ${before ? "replaced" : "added"}.`;
      toast.success(words, back ? () => void undo(done, back) : undefined);
      return done.now ?? { ...seen, version: done.version };
    },
    /** @param former its bytes, for an undo; null where it is agreed that there is none */
    remove: async (seen: CardSet, place: number, former: Blob | null): Promise<void> => {
      const what = `The ${legacyPlacePhrase(place)}`;
      try {
        const decision = { place, version: seen.version, sha256: cardAt(seen, place)?.sha256 };
        const done = await change(decision, take(place));
        toast.success(
          `${what} is removed.`,
          former ? () => void undo(done, put(place, former, unwatched())) : undefined,
        );
      } catch (error) {
        toast.error(
          `${what}${isUncertain(error) ? ":" : " is not removed."} ${toLegacyCardError(error as Error).message}`,
        );
      }
    },
  };
}

/** Of an upload that shows no progress and is not stopped. */
const unwatched = (): UploadWatch => ({ onProgress: () => {}, signal: new AbortController().signal });

async function fetchBytes(url: string): Promise<Blob | null> {
  try {
    const response = await fetch(url);
    return response.ok ? await response.blob() : null;
  } catch {
    return null;
  }
}
