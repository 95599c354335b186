"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ColumnDef } from "@tanstack/react-table";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { parseAsString, useQueryStates } from "nuqs";
import { useState } from "react";
import { fieldErrors } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { DataTable } from "@/components/ui/data-table";
import { DownloadButton } from "@/components/ui/download-button";
import { EmptyState } from "@/components/ui/empty-state";
import { formatNumber } from "@/components/ui/format";
import { ListError, RefreshErrorNotice } from "@/components/ui/list-errors";
import { Section } from "@/components/ui/section";
import { Status } from "@/components/ui/status";
import { Time } from "@/components/ui/time";
import type { AuditActor, AuditPage, AuditView } from "@/lib/access/audit/staff-queries";
import { AuditFilters } from "./audit-filters";
import { ChainCheck } from "./chain-check";
import { EntryDialog } from "./entry-dialog";
import { PatientLinks } from "./patient-links";
import { EventSummary } from "./security-event";

interface AuditLogProps {
  practice: number;
  actors: readonly AuditActor[];
  /** How many entries the practice has. */
  entries: number;
  /** null where the filters in the URL make no sense. */
  initial: AuditPage | null;
}

const filters = {
  actor: parseAsString.withDefault(""),
  patient: parseAsString.withDefault(""),
  kind: parseAsString.withDefault(""),
  since: parseAsString.withDefault(""),
  until: parseAsString.withDefault(""),
};
const place = { after: parseAsString.withDefault(""), before: parseAsString.withDefault("") };

/** Who saw or changed the practice's patient data, and its security events; filters and place are in the URL. */
export function AuditLog({ practice, actors, entries, initial }: AuditLogProps) {
  const [state, setState] = useQueryStates({ ...filters, ...place });
  const [first] = useState(() => JSON.stringify(state));
  const [shown, setShown] = useState<AuditView | null>(null);
  const given = Object.entries(state).filter(([, value]) => value !== "");
  const parameters = new URLSearchParams(given);
  const exported = new URLSearchParams(given.filter(([name]) => name in filters));
  const isInitial = JSON.stringify(state) === first;
  const { data, error, isPlaceholderData, refetch } = useQuery({
    queryKey: ["audit", practice, state],
    queryFn: ({ signal }) => staffCall<AuditPage>(`practices/${practice}/audit?${parameters}`, { signal }),
    placeholderData: keepPreviousData,
    initialData: isInitial && initial ? initial : undefined,
  });
  const { after: _after, before: _before, ...chosen } = state;
  const go = (to: { after?: string | null; before?: string | null }) =>
    void setState({ after: null, before: null, ...to }, { history: "push" });
  const reset = () => void setState(null);
  const [newest, oldest] = [data?.results.at(0), data?.results.at(-1)];
  return (
    <>
      <Section
        title="Audit"
        lead={`Every read and change of patient data, and every security event: ${formatNumber(entries)} entries. Entries can't be changed or removed.`}
        actions={<DownloadButton path={`practices/${practice}/audit/export?${exported}`}>CSV</DownloadButton>}
      >
        <AuditFilters
          actors={actors}
          value={chosen}
          onChange={(change) => void setState({ ...change, after: null, before: null })}
        />
        <RefreshErrorNotice error={error} isShown={data !== undefined} />
        <DataTable
          label="Audit entries"
          columns={columnsFor(practice, setShown)}
          rows={data?.results}
          stale={isPlaceholderData}
          expected={12}
          onOpen={setShown}
          failure={error && <ListError error={inWords(error)} onRetry={() => void refetch()} onReset={reset} />}
          empty={
            <EmptyState title="No entry fits these filters">
              Choose a longer time, or take a filter away. What was seen a moment ago stands here at once.
            </EmptyState>
          }
        />
        {data && (data.has_newer || data.has_older) && (
          <nav aria-label="Pages of audit entries" className="screen-only mt-3 flex flex-wrap justify-end gap-2">
            <Button disabled={!data.has_newer} onClick={() => go({})}>
              Newest
            </Button>
            <Button disabled={!data.has_newer} onClick={() => go({ before: newest?.key ?? null })}>
              <ChevronLeft aria-hidden className="size-4" /> Newer
            </Button>
            <Button disabled={!data.has_older} onClick={() => go({ after: oldest?.key ?? null })}>
              Older <ChevronRight aria-hidden className="size-4" />
            </Button>
          </nav>
        )}
      </Section>
      <ChainCheck practice={practice} entries={entries} />
      {shown && <EntryDialog entry={shown} practice={practice} onClose={() => setShown(null)} />}
    </>
  );
}

/** A filter that makes no sense is told in its own words. */
function inWords(error: Error): Error {
  const problem = Object.values(fieldErrors(error)).flat()[0];
  return problem ? new Error(problem) : error;
}

function columnsFor(practice: number, onShow: (entry: AuditView) => void): ColumnDef<AuditView>[] {
  return [
    {
      header: "Time",
      meta: { className: "max-sm:hidden" },
      cell: ({ row: { original } }) => <Time value={original.occurred_date} />,
    },
    {
      header: "Who",
      meta: { className: "min-w-32" },
      cell: ({ row: { original } }) => (
        <>
          <span className="font-medium">{original.actor_name}</span>
          <span className="text-soft block text-sm">{ACTORS[original.actor_type]}</span>
        </>
      ),
    },
    {
      header: "What",
      meta: { className: "min-w-44" },
      cell: ({ row: { original } }) => (
        <>
          <button
            type="button"
            onClick={() => onShow(original)}
            className="inline-flex min-h-6 flex-wrap items-center gap-x-2 text-left hover:underline"
          >
            <Status kind={KINDS[original.kind].status}>{KINDS[original.kind].label}</Status>
            {original.detail ? (
              <EventSummary operation={original.operation} detail={original.detail} />
            ) : (
              <code className="font-mono break-all">{original.operation}</code>
            )}
          </button>
          <span className="text-soft block text-sm sm:hidden">
            <Time value={original.occurred_date} />
          </span>
        </>
      ),
    },
    {
      header: "Patients",
      meta: { className: "max-md:hidden" },
      cell: ({ row: { original } }) => <PatientLinks practice={practice} entry={original} most={3} />,
    },
    {
      header: "From",
      meta: { className: "max-lg:hidden" },
      cell: ({ row: { original } }) => <span className="text-soft font-mono">{original.address}</span>,
    },
  ];
}

const KINDS = {
  read: { status: "archived", label: "Read" },
  change: { status: "pending", label: "Change" },
  security: { status: "warning", label: "Security" },
} as const;

const ACTORS = {
  client: "API client",
  staff: "Staff",
  system: "Our own program",
  link: "Holder of a signed link",
  anonymous: "",
};
