import { Button } from "@/components/ui/button";
import { legacySaveBar as text } from "./messages/legacy-form";

interface LegacySaveBarProps {
  /** Whether the practice no longer accepts legacy insurance. */
  isBlocked: boolean;
  busy: boolean;
  onDiscard: () => void;
}

/** Appears while there are unsaved changes, and stays visible while the form scrolls. */
export function LegacySaveBar({ isBlocked, busy, onDiscard }: LegacySaveBarProps) {
  return (
    <div
      data-bottom-bar
      className="screen-only border-line bg-raised sticky bottom-16 z-10 mt-3 flex flex-wrap items-center justify-end gap-2 rounded-md border px-3 py-2 min-[900px]:bottom-3"
    >
      <p role="status" className="mr-auto font-medium">
        {isBlocked ? text.blocked : text.unsaved}
      </p>
      <Button onClick={onDiscard}>{text.discard}</Button>
      <Button kind="primary" type="submit" busy={busy} disabled={isBlocked}>
        {text.review}
      </Button>
    </div>
  );
}
