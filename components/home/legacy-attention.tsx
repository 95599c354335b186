import { Day } from "@/components/ui/time";
import type { PracticeHome } from "@/lib/api/home/queries";
import type { LegacyClient } from "@/lib/practice/practices/legacy-usage";
import type { AttentionItem } from "./attention-list";
import { legacyItems as legacyText, deadlineItems as text } from "./messages/attention";

/** From this many days before the deadline on, legacy writes are a warning. */
const CLOSE_DAYS = 60;
/** Beyond this many, clients are counted, not named. */
const MAX_NAMES = 3;

/** Lists a rehearsal in progress, and a deadline that passed without being enforced. */
export function deadlineItems({ deadline }: PracticeHome, base: string): AttentionItem[] {
  const found: AttentionItem[] = [];
  const action = { label: text.open, href: `${base}/settings` };
  if (deadline.rehearsal) {
    found.push({
      key: "rehearsal",
      kind: "pending",
      title: text.rehearsal,
      detail: text.rehearsalDetail(<Day value={deadline.rehearsal} />),
      action,
    });
  }
  if (deadline.days < 0 && !deadline.has_ended) {
    found.push({
      key: "deadline",
      kind: "warning",
      title: text.passed,
      detail: text.passedDetail(<Day value={deadline.date} />),
      action,
    });
  }
  return found;
}

/** Lists the legacy writes of the last 7 days. */
export function legacyUseItems({ deadline, legacy }: PracticeHome, clients: readonly LegacyClient[]): AttentionItem[] {
  if (legacy.writes === 0) return [];
  const writers = clients.filter(({ writes }) => writes > 0);
  const names = writers.slice(0, MAX_NAMES).map(({ name, writes }) => legacyText.client(name, writes));
  const callers = legacyText.clients(names, writers.length - names.length);
  return [
    {
      key: "legacy-writes",
      kind: deadline.has_ended ? "failed" : deadline.days <= CLOSE_DAYS ? "warning" : "pending",
      title: legacyText.writes(legacy.writes),
      detail: deadline.has_ended ? legacyText.ended(callers) : legacyText.notMigrated(callers, writers.length),
      action: { label: legacyText.show, href: "#legacy-use" },
    },
  ];
}
