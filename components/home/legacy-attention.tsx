import { formatNumber, pluralize } from "@/components/ui/format";
import { Day } from "@/components/ui/time";
import type { PracticeHome } from "@/lib/api/home/queries";
import type { LegacyClient } from "@/lib/practice/practices/legacy-usage";
import type { AttentionItem } from "./attention-list";

/** From this many days before the deadline on, legacy writes are a warning. */
const CLOSE_DAYS = 60;
/** Beyond this many, clients are counted, not named. */
const MAX_NAMES = 3;

/** Lists a rehearsal in progress, and a deadline that passed without being enforced. */
export function deadlineItems({ deadline }: PracticeHome, base: string): AttentionItem[] {
  const found: AttentionItem[] = [];
  const action = { label: "Open deadline settings", href: `${base}/settings` };
  if (deadline.rehearsal) {
    found.push({
      key: "rehearsal",
      kind: "pending",
      title: "Rehearsal in progress",
      detail: (
        <>
          This practice's rules apply as of <Day value={deadline.rehearsal} />.
        </>
      ),
      action,
    });
  }
  if (deadline.days < 0 && !deadline.has_ended) {
    found.push({
      key: "deadline",
      kind: "warning",
      title: "The deprecation date has passed but is not enforced",
      detail: (
        <>
          The date was <Day value={deadline.date} />. Legacy insurance is still returned and accepted.
        </>
      ),
      action,
    });
  }
  return found;
}

/** Lists the legacy writes of the last 7 days. */
export function legacyUseItems({ deadline, legacy }: PracticeHome, clients: readonly LegacyClient[]): AttentionItem[] {
  if (legacy.writes === 0) return [];
  const writers = clients.filter(({ writes }) => writes > 0);
  const names = writers.slice(0, MAX_NAMES).map(({ name, writes }) => `${name} (${formatNumber(writes)})`);
  const more = writers.length - names.length;
  return [
    {
      key: "legacy-writes",
      kind: deadline.has_ended ? "failed" : deadline.days <= CLOSE_DAYS ? "warning" : "pending",
      title: `${pluralize(legacy.writes, "legacy write")} in the last 7 days`,
      detail: `${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}. ${
        deadline.has_ended
          ? "Writes that contain insurance are rejected since that date."
          : "These clients haven't migrated yet."
      }`,
      action: { label: "Show legacy use", href: "#legacy-use" },
    },
  ];
}
