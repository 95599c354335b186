import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import { type CardSet, takenPlaces } from "./card-store";
import { FileInput } from "./file-input";
import type { CardUploads } from "./use-card-uploads";

const CardEditor = lazyWithRetry(async () => (await import("./card-editor")).CardEditor);

interface CardUploadEditorProps<Cards extends CardSet> {
  uploads: CardUploads<Cards>;
  /** The places to choose from, given those that have an image. */
  offeredPlaces: (taken: readonly number[]) => number[];
  nameOf?: (place: number) => string;
  /** Whether pictures are uploaded later, with a new policy. */
  isDeferred?: boolean;
}

/** Renders the hidden file inputs, and the editor for the picture that was chosen. */
export function CardUploadEditor<Cards extends CardSet>({
  uploads,
  offeredPlaces,
  nameOf,
  isDeferred = false,
}: CardUploadEditorProps<Cards>) {
  const { draft, open, setOpen, send, fileInput, cameraInput, onFiles } = uploads;
  const taken = draft ? takenPlaces(draft.cards) : [];
  return (
    <>
      <FileInput ref={fileInput} onFiles={onFiles} />
      <FileInput ref={cameraInput} camera onFiles={onFiles} />
      {draft && (
        <CardEditor
          key={draft.id}
          picture={draft.picture}
          initialPlace={draft.place}
          places={offeredPlaces(taken)}
          nameOf={nameOf}
          isDeferred={isDeferred}
          taken={taken}
          limits={draft.cards.limits}
          open={open}
          onClose={() => setOpen(false)}
          onSend={send}
        />
      )}
    </>
  );
}
