import { Archive, ArrowLeftRight, CreditCard, type LucideIcon, Pencil, Plus, Trash2, Undo2 } from "lucide-react";
import { sourceText } from "@/components/policies/change-sources";
import { pagePath } from "@/components/policies/paths";
import { TextLink } from "@/components/ui/text-link";
import { Time } from "@/components/ui/time";
import { timeline as text } from "./messages/timeline";
import { type Action, type ActionLine, entryKey, toLines } from "./timeline-actions";
import { describeEntry } from "./timeline-text";

const DAY_MS = 86_400_000;

interface TimelineItemProps {
  action: Action;
  practice: number;
  patient: number;
}

/** Shows an action in the timeline: what changed, who did it, how and when. */
export function TimelineItem({ action, practice, patient }: TimelineItemProps) {
  const [first] = action;
  const { actor, source, reason, occurred_date, recorded_date } = first;
  const isRecordedLater = Date.parse(recorded_date) - Date.parse(occurred_date) > DAY_MS;
  const occurred = <Time value={occurred_date} />;
  return (
    <li className="border-line flex break-inside-avoid gap-2.5 border-b px-3 py-2 last:border-0">
      <KindIcon kind={first.kind} />
      <div className="min-w-0 flex-1">
        {toLines(action).map((line) => (
          <Line key={entryKey(line.entry)} line={line} practice={practice} patient={patient} />
        ))}
        {reason && <p>{text.reason(reason)}</p>}
        <p className="text-soft text-sm">
          {isRecordedLater && source === "migration"
            ? text.importedByline(actor, sourceText(source), occurred, <Time value={recorded_date} />)
            : text.byline(actor, sourceText(source), occurred)}
        </p>
      </div>
    </li>
  );
}

interface LineProps {
  line: ActionLine;
  practice: number;
  patient: number;
}

function Line({ line: { entry, count }, practice, patient }: LineProps) {
  const { subject, change } = describeEntry(entry);
  const times = count > 1 && <span className="text-soft"> {text.times(count)}</span>;
  if (!entry.policy || entry.type === "removal") {
    return (
      <p className={entry.type === "patient" ? "text-soft" : undefined}>
        {subject && `${subject} · `}
        {change}
        {times}
      </p>
    );
  }
  const href = `${pagePath(practice, patient, "policies", entry.policy.id)}?version=${entry.version}`;
  return (
    <p>
      <TextLink href={href} className="font-medium">
        {subject}
      </TextLink>
      {" · "}
      {change}
      {times}
    </p>
  );
}

const ICONS: Record<string, LucideIcon> = {
  created: Plus,
  archived: Archive,
  restored: Undo2,
  removed: Trash2,
  deleted: Trash2,
  card_image_added: CreditCard,
  card_image_removed: CreditCard,
  card_images_moved: CreditCard,
  cards_changed: CreditCard,
  insurances_changed: ArrowLeftRight,
};

function KindIcon({ kind }: { kind: string }) {
  const Icon = ICONS[kind] ?? Pencil;
  return <Icon aria-hidden className="text-soft mt-1 size-4 shrink-0" />;
}
