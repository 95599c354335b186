"use client";

import { isUncertain } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import { useToasts } from "@/components/ui/toasts";
import { type CardImagesData, placeName } from "./card-text";
import { type Changed, uploadPicture } from "./upload";
import { type CardPlace, cardPath, imageAt, useCardChanges } from "./use-card-images";

/** A change of one place, on the version of the policy it is given. */
type Act = (version: number) => Promise<Changed>;

/** How an upload tells how far it is, and is stopped. */
export interface UploadWatch {
  onProgress: (share: number) => void;
  signal: AbortSignal;
}

/**
 * What can be done to a policy's card images. Each is decided on what was `seen`, and can be undone: the images of earlier
 * versions are kept, so that an undo puts back the very image, or takes away one where there was none.
 */
export function useCardActions(place: CardPlace, onChanged?: (version: number) => void) {
  const change = useCardChanges(place);
  const toast = useToasts();
  const path = cardPath(place);

  const remove =
    (rank: number): Act =>
    (version) =>
      staffCall<Changed>(`${path}/${rank}`, { method: "DELETE", ifMatch: version });
  const putBack =
    (rank: number, from: number): Act =>
    (version) => {
      const body = { version: from, image_rank: rank };
      return staffCall<Changed>(`${path}/put-back`, { method: "POST", body, ifMatch: version });
    };

  const perform = async (seen: CardImagesData, rank: number, words: string, act: Act): Promise<void> => {
    const before = imageAt(seen, rank);
    let changed = seen.version;
    const done = await change({ rank, version: seen.version, sha256: before?.sha256 }, (version) => {
      changed = version;
      return act(version);
    });
    onChanged?.(done.version);
    const back = before ? putBack(rank, changed) : remove(rank);
    toast.success(`${placeName(rank)} ${words}`, () => void undo(rank, done, back));
  };

  const undo = async (rank: number, done: Changed, back: Act): Promise<void> => {
    try {
      const undone = await change({ rank, version: done.version, sha256: done.image?.sha256 }, back);
      onChanged?.(undone.version);
      toast.success(`${placeName(rank)}: undone`);
    } catch (problem) {
      toast.error(`${placeName(rank)}: ${isUncertain(problem) ? "" : "not undone. "}${(problem as Error).message}`);
    }
  };

  const sayFailed = (rank: number, words: string) => (problem: Error) =>
    toast.error(`${placeName(rank)}${isUncertain(problem) ? ":" : ` is not ${words}.`} ${problem.message}`);

  return {
    /** @throws PlaceTakenError, CallError: the editor tells, and keeps the picture */
    upload: (seen: CardImagesData, rank: number, blob: Blob, watch: UploadWatch) =>
      perform(seen, rank, imageAt(seen, rank) ? "replaced" : "added", (version) =>
        uploadPicture({ path, readPath: path, blob, fields: { image_rank: rank }, version, ...watch }),
      ),
    remove: (seen: CardImagesData, rank: number) =>
      perform(seen, rank, "deleted", remove(rank)).catch(sayFailed(rank, "deleted")),
    putBack: (seen: CardImagesData, { image_rank: rank, to_version }: CardImagesData["former"][number]) =>
      perform(seen, rank, "put back", putBack(rank, to_version)).catch(sayFailed(rank, "put back")),
  };
}
