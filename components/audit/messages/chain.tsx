import type { ReactNode } from "react";
import { formatNumber, pluralize } from "@/components/ui/format";

/** Says how many entries were checked and when. */
export const checkedEntries = (entries: number, at: ReactNode): ReactNode => (
  <>
    {pluralize(entries, "entry", "entries")} checked, {at}.
  </>
);

/** Says which entries retention removed. */
export const removedEntries = (lastSeq: number, before: ReactNode): ReactNode => (
  <>
    Entries up to {formatNumber(lastSeq)}, from before {before}, were removed by retention.
  </>
);
