import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { draftNotices as text } from "../messages/cards";
import type { Picture } from "./picture";

interface DraftNoticesProps {
  /** Why files were rejected. */
  rejected: readonly string[];
  /** A picture whose editor was closed before it was uploaded. */
  unfinished: Picture | null | undefined;
  /** What to do about the unfinished picture. */
  hint?: string;
  onContinue: () => void;
  onDiscard: () => void;
}

/** Reports rejected files and a picture that is not uploaded yet. */
export function DraftNotices({ rejected, unfinished, hint, onContinue, onDiscard }: DraftNoticesProps) {
  return (
    <>
      {rejected.length > 0 && (
        <Notice tone="bad" live title={text.rejected(rejected.length)}>
          {rejected.map((reason) => (
            <p key={reason}>{reason}</p>
          ))}
        </Notice>
      )}
      {unfinished && (
        <Notice
          tone="warning"
          live
          title={unfinished.file.name ? text.notUploaded(unfinished.file.name) : text.unnamedNotUploaded}
        >
          {hint}
          <div className="mt-2 flex gap-2">
            <Button onClick={onContinue}>{text.continue}</Button>
            <Button kind="quiet" onClick={onDiscard}>
              {text.discard}
            </Button>
          </div>
        </Notice>
      )}
    </>
  );
}
