"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { parseAsString, useQueryStates } from "nuqs";
import { useState } from "react";
import { fieldErrors } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { DataTable } from "@/components/ui/data-table";
import { DownloadButton } from "@/components/ui/download-button";
import { EmptyState } from "@/components/ui/empty-state";
import { ListError, RefreshErrorNotice } from "@/components/ui/list-errors";
import { Section } from "@/components/ui/section";
import type { AuditActor, AuditView } from "@/lib/access/audit/staff-queries";
import type { NamedAuditPage } from "@/lib/api/audit/queries";
import { auditColumns } from "./audit-columns";
import { AuditFilters } from "./audit-filters";
import { ChainCheck } from "./chain-check";
import { EntryDialog } from "./entry-dialog";
import { auditLog as text } from "./messages/log";

interface AuditLogProps {
  practice: number;
  actors: readonly AuditActor[];
  /** The number of entries of the practice. */
  entries: number;
  /** null if the filters in the URL are invalid. */
  initial: NamedAuditPage | null;
}

const FILTERS = {
  actor: parseAsString.withDefault(""),
  patient: parseAsString.withDefault(""),
  kind: parseAsString.withDefault(""),
  since: parseAsString.withDefault(""),
  until: parseAsString.withDefault(""),
};
const NO_NAMES = { patients: {}, policies: {}, runs: {}, members: [], clients: [] };
const CURSORS = { after: parseAsString.withDefault(""), before: parseAsString.withDefault("") };

/** Shows the audit log: who read or changed patient data, and security events. Filters and page are in the URL. */
export function AuditLog({ practice, actors, entries, initial }: AuditLogProps) {
  const [state, setState] = useQueryStates({ ...FILTERS, ...CURSORS });
  const [first] = useState(() => JSON.stringify(state));
  const [shown, setShown] = useState<AuditView | null>(null);
  const set = Object.entries(state).filter(([, value]) => value !== "");
  const parameters = new URLSearchParams(set);
  const exportQuery = new URLSearchParams(set.filter(([name]) => name in FILTERS));
  const isInitial = JSON.stringify(state) === first;
  const { data, error, isPlaceholderData, refetch } = useQuery({
    queryKey: ["audit", practice, state],
    queryFn: ({ signal }) => staffCall<NamedAuditPage>(`practices/${practice}/audit?${parameters}`, { signal }),
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
        title={text.title}
        lead={text.lead(entries)}
        actions={
          <DownloadButton path={`practices/${practice}/audit/export?${exportQuery}`}>{text.export}</DownloadButton>
        }
      >
        <AuditFilters
          actors={actors}
          value={chosen}
          onChange={(change) => void setState({ ...change, after: null, before: null })}
        />
        <RefreshErrorNotice error={error} isShown={data !== undefined} />
        <DataTable
          label={text.table}
          columns={auditColumns({ practice, names: data?.names ?? NO_NAMES, onShow: setShown })}
          rows={data?.results}
          stale={isPlaceholderData}
          expected={12}
          onOpen={setShown}
          failure={error && <ListError error={toFilterError(error)} onRetry={() => void refetch()} onReset={reset} />}
          empty={<EmptyState title={text.empty}>{text.emptyHint}</EmptyState>}
        />
        {data && (data.has_newer || data.has_older) && (
          <nav aria-label={text.pages} className="screen-only mt-3 flex flex-wrap justify-end gap-2">
            <Button disabled={!data.has_newer} onClick={() => go({})}>
              {text.newest}
            </Button>
            <Button disabled={!data.has_newer} onClick={() => go({ before: newest?.key ?? null })}>
              <ChevronLeft aria-hidden className="size-4" /> {text.newer}
            </Button>
            <Button disabled={!data.has_older} onClick={() => go({ after: oldest?.key ?? null })}>
              {text.older} <ChevronRight aria-hidden className="size-4" />
            </Button>
          </nav>
        )}
      </Section>
      <ChainCheck practice={practice} entries={entries} />
      {shown && (
        <EntryDialog entry={shown} names={data?.names ?? NO_NAMES} practice={practice} onClose={() => setShown(null)} />
      )}
    </>
  );
}

/** Replaces the error of an invalid filter by the message of its field. */
function toFilterError(error: Error): Error {
  const problem = Object.values(fieldErrors(error)).flat()[0];
  return problem ? new Error(problem) : error;
}
