import { Button } from "@/components/ui/button";

interface LegacySaveBarProps {
  /** Whether the practice no longer accepts legacy insurance. */
  isBlocked: boolean;
  busy: boolean;
  onDiscard: () => void;
}

/** Appears while there are unsaved changes, and stays visible while the form scrolls. */
export function LegacySaveBar({ isBlocked, busy, onDiscard }: LegacySaveBarProps) {
  return (
    <div className="screen-only border-line bg-raised sticky bottom-16 z-10 mt-3 flex flex-wrap items-center justify-end gap-2 rounded-md border px-3 py-2 min-[900px]:bottom-3">
      <p role="status" className="mr-auto font-medium">
        {isBlocked ? "These changes can't be saved" : "Unsaved changes"}
      </p>
      <Button onClick={onDiscard}>Discard changes</Button>
      <Button kind="primary" type="submit" busy={busy} disabled={isBlocked}>
        Review and save
      </Button>
    </div>
  );
}
