"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import { Archive, ArrowLeftRight, CreditCard, type LucideIcon, Pencil, Plus, Trash2, Undo2 } from "lucide-react";
import Link from "next/link";
import { useRef } from "react";
import { sourceText } from "@/components/policies/change-sources";
import { staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { EmptyState } from "@/components/ui/empty-state";
import { Notice } from "@/components/ui/notice";
import { Time } from "@/components/ui/time";
import type { TimelineEntry } from "@/lib/insurance/patient-page/queries";
import { Part } from "./part";
import { describeEntry } from "./timeline-text";
import { patientPath, timelineKey } from "./use-patient";

export interface TimelinePage {
  results: TimelineEntry[];
  next: string | null;
}

interface TimelineProps {
  practice: number;
  patient: number;
  initial: TimelinePage;
}

/** Everything that happened to a patient's record and policies, newest first. */
export function PatientTimeline({ practice, patient, initial }: TimelineProps) {
  // The page brings the timeline up to date by itself; to show earlier entries, somebody asks.
  const isAsked = useRef(false);
  const { data, error, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: timelineKey(practice, patient),
    queryFn: ({ pageParam, signal }) => {
      const query = pageParam ? `?after=${encodeURIComponent(pageParam)}` : "";
      return staffCall<TimelinePage>(`${patientPath(practice, patient)}/timeline${query}`, {
        signal,
        background: !isAsked.current,
      });
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    // A page of the legacy interface brings none: it is read once the practice shows policies.
    ...(initial.results.length > 0 ? { initialData: { pages: [initial], pageParams: [null] } } : {}),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const showEarlier = async () => {
    isAsked.current = true;
    await fetchNextPage();
    isAsked.current = false;
  };
  const acts = toActs(data?.pages.flatMap(({ results }) => results) ?? []);
  return (
    <Part title="Timeline">
      <div className="border-line bg-raised rounded-md border">
        {!data && !error ? (
          <div aria-busy className="bg-sunken m-3 h-24 animate-pulse rounded" />
        ) : acts.length === 0 ? (
          <EmptyState title="Nothing happened yet">Changes of the record and its policies show here.</EmptyState>
        ) : (
          <ol>
            {acts.map((act) => (
              <Act key={keyOf(act[0])} act={act} practice={practice} patient={patient} />
            ))}
          </ol>
        )}
      </div>
      {error && (
        <div className="mt-2">
          <Notice tone="bad" live title="The timeline could not be brought up to date">
            {error.message}
          </Notice>
        </div>
      )}
      {hasNextPage && (
        <Button className="screen-only mt-2 w-full" busy={isFetchingNextPage} onClick={() => void showEarlier()}>
          Show earlier
        </Button>
      )}
    </Part>
  );
}

type Act = [TimelineEntry, ...TimelineEntry[]];

const keyOf = ({ type, id, version }: TimelineEntry) => `${type} ${id} ${version}`;

/** Entries of one request as one act: who did it, and what it did on both sides. */
function toActs(entries: readonly TimelineEntry[]): Act[] {
  const acts: Act[] = [];
  for (const entry of entries) {
    const last = acts.at(-1);
    if (last && isSameAct(last[0], entry)) last.push(entry);
    else acts.push([entry]);
  }
  // The policies first: the legacy records follow them, or they follow the legacy records.
  return acts.map((act) => act.sort((a, b) => Number(a.type === "patient") - Number(b.type === "patient")) as Act);
}

/** Programs of ours have no request: what they did at one moment is one act. */
function isSameAct(a: TimelineEntry, b: TimelineEntry): boolean {
  if (a.request_id !== null || b.request_id !== null) return a.request_id === b.request_id;
  return a.occurred_date === b.occurred_date && a.actor === b.actor && a.source === b.source;
}

function Act({ act, practice, patient }: { act: Act; practice: number; patient: number }) {
  const [first] = act;
  const { actor, source, reason, occurred_date, recorded_date } = first;
  const isLate = Date.parse(recorded_date) - Date.parse(occurred_date) > 86_400_000;
  return (
    <li className="border-line flex break-inside-avoid gap-2.5 border-b px-3 py-2 last:border-0">
      <KindIcon kind={first.kind} />
      <div className="min-w-0 flex-1">
        {linesOf(act).map(({ entry, times }) => (
          <Line key={keyOf(entry)} entry={entry} times={times} practice={practice} patient={patient} />
        ))}
        {reason && <p>“{reason}”</p>}
        <p className="text-soft text-sm">
          {actor}, {sourceText(source)} · <Time value={occurred_date} />
          {isLate && source === "migration" && (
            <>
              , imported <Time value={recorded_date} />
            </>
          )}
        </p>
      </div>
    </li>
  );
}

interface Line {
  entry: TimelineEntry;
  times: number;
}

/** What an act did, each line once: where two card images were added, the newest stands for both. */
function linesOf(act: Act): Line[] {
  const lines = new Map<string, Line>();
  for (const entry of act) {
    const { what, happened } = describeEntry(entry);
    const key = JSON.stringify([entry.type, entry.policy?.id, what, happened]);
    const line = lines.get(key);
    if (line) line.times += 1;
    else lines.set(key, { entry, times: 1 });
  }
  return [...lines.values()];
}

function Line({ entry, times, practice, patient }: Line & { practice: number; patient: number }) {
  const { what, happened } = describeEntry(entry);
  const often = times > 1 && <span className="text-soft"> ×{times}</span>;
  if (!entry.policy || entry.type === "removal") {
    return (
      <p className={entry.type === "patient" ? "text-soft" : undefined}>
        {what} {happened}
        {often}
      </p>
    );
  }
  const href = `/practices/${practice}/patients/${patient}/policies/${entry.policy.id}?version=${entry.version}`;
  return (
    <p>
      <Link
        href={href}
        prefetch={false}
        className="inline-flex min-h-6 min-w-6 items-center font-medium hover:underline"
      >
        {what}
      </Link>{" "}
      {happened}
      {often}
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
