import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { legacyPlacePhrase } from "./legacy-card-places";
import { legacyCardDeletion as text } from "./messages/legacy-cards";

interface ConfirmCardRemovalProps {
  place: number;
  onClose: () => void;
  onRemove: () => void;
}

/** Asks before deleting an image that can't be restored. */
export function ConfirmCardRemoval({ place, onClose, onRemove }: ConfirmCardRemovalProps) {
  return (
    <Dialog
      open
      onClose={onClose}
      title={text.title(legacyPlacePhrase(place))}
      description={text.description}
      footer={
        <>
          <Button onClick={onClose}>{text.keep}</Button>
          <Button kind="danger" onClick={onRemove}>
            {text.delete}
          </Button>
        </>
      }
    />
  );
}
