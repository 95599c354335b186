import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import type { Picture } from "./picture";

interface DraftNoticesProps {
  /** Why files were not taken. */
  refused: readonly string[];
  /** What was set aside, not uploaded yet. */
  aside: Picture | null | undefined;
  onContinue: () => void;
  onDiscard: () => void;
}

/** What became of pictures somebody chose and that are not uploaded. */
export function DraftNotices({ refused, aside, onContinue, onDiscard }: DraftNoticesProps) {
  return (
    <>
      {refused.length > 0 && (
        <Notice
          tone="bad"
          live
          title={refused.length === 1 ? "The picture was not taken" : "Some pictures were not taken"}
        >
          {refused.map((words) => (
            <p key={words}>{words}</p>
          ))}
        </Notice>
      )}
      {aside && (
        <Notice tone="warning" live title={`${aside.file.name || "A picture"} is not uploaded yet`}>
          <div className="mt-2 flex gap-2">
            <Button onClick={onContinue}>Continue</Button>
            <Button kind="quiet" onClick={onDiscard}>
              Discard it
            </Button>
          </div>
        </Notice>
      )}
    </>
  );
}
