import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { legacyPlacePhrase } from "./legacy-card-places";

interface ConfirmCardRemovalProps {
  place: number;
  onClose: () => void;
  onRemove: () => void;
}

/** Asks before removing an image that can't be restored. */
export function ConfirmCardRemoval({ place, onClose, onRemove }: ConfirmCardRemovalProps) {
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Remove the ${legacyPlacePhrase(place)}?`}
      description="The picture can't be loaded at the moment, so you can't undo this from this page. It stays in the history."
      footer={
        <>
          <Button onClick={onClose}>Keep image</Button>
          <Button kind="danger" onClick={onRemove}>
            Remove image
          </Button>
        </>
      }
    />
  );
}
