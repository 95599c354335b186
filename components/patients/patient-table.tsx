"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { parseAsString, useQueryStates } from "nuqs";
import { patientNames } from "@/components/policies/messages/fields";
import { hasEnded, useToday } from "@/components/policies/term";
import { staffCall } from "@/components/session/staff-call";
import { type Column, DataTable } from "@/components/ui/data-table";
import { DownloadButton } from "@/components/ui/download-button";
import { EmptyState } from "@/components/ui/empty-state";
import { ListError, PageOutOfRange, RefreshErrorNotice } from "@/components/ui/list-errors";
import { PageHeader } from "@/components/ui/page-header";
import { Pager } from "@/components/ui/pager";
import { SearchInput } from "@/components/ui/search-input";
import { Status } from "@/components/ui/status";
import { TextLink } from "@/components/ui/text-link";
import { Day, Time } from "@/components/ui/time";
import type { PatientListFilter } from "@/lib/insurance/patients/search-filters";
import type { PatientListRow } from "@/lib/insurance/patients/staff-queries";
import { patientColumns, patientList as text } from "./messages/patient-list";
import { PatientFilters, usePatientFilter } from "./patient-filters";

interface PatientPage {
  count: number;
  results: PatientListRow[];
}
interface Query extends PatientListFilter {
  search: string;
  order: string;
  offset: number;
  limit: number;
}

const LIMIT = 50;

interface PatientTableProps {
  practice: number;
  /** The page that the server rendered, and its query. */
  initial: { query: Query; data: PatientPage };
}

/** Searches and lists the patients of a practice. The URL has the search, the order and the page. */
export function PatientTable({ practice, initial }: PatientTableProps) {
  const router = useRouter();
  const filter = usePatientFilter();
  const [{ search, order }, setState] = useQueryStates({
    search: parseAsString.withDefault(""),
    order: parseAsString.withDefault("last_name"),
  });
  const query: Query = { search, ...filter.filter, order, offset: filter.offset, limit: LIMIT };
  const parameters = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const isInitial = JSON.stringify(query) === JSON.stringify(initial.query);
  const { data, error, isPlaceholderData, refetch } = useQuery({
    queryKey: ["patients", practice, query],
    queryFn: ({ signal }) => staffCall<PatientPage>(`practices/${practice}/patients?${parameters}`, { signal }),
    placeholderData: keepPreviousData,
    initialData: isInitial ? initial.data : undefined,
  });
  const returnToFirst = () => void filter.goToFirst();
  const reset = () => {
    void setState(null);
    filter.clear();
  };
  const path = (patient: PatientListRow) => `/practices/${practice}/patients/${patient.id}`;
  return (
    <>
      <PageHeader
        title={text.title}
        actions={
          <DownloadButton path={`practices/${practice}/patients/export?${parameters}`}>{text.csv}</DownloadButton>
        }
      />
      <SearchInput
        label={text.search}
        placeholder={text.searchPlaceholder}
        value={search}
        isMain
        onSearch={(typed) => {
          void setState({ search: typed || null });
          returnToFirst();
        }}
        className="screen-only mb-2 max-w-xl"
      />
      <PatientFilters value={filter} />
      <RefreshErrorNotice error={error} isShown={data !== undefined} />
      <DataTable
        label={text.title}
        columns={createColumns(path)}
        rows={data?.results}
        stale={isPlaceholderData}
        order={order}
        onOrder={(next) => {
          void setState({ order: next });
          returnToFirst();
        }}
        onOpen={(patient) => router.push(path(patient))}
        failure={error && <ListError error={error} onRetry={() => void refetch()} onReset={reset} />}
        empty={
          data && data.count > 0 ? (
            <PageOutOfRange count={data.count} noun={text.noun} onFirst={returnToFirst} />
          ) : search || filter.isSet ? (
            <EmptyState title={text.noMatches}>{search ? text.searchHelp : text.filterHelp}</EmptyState>
          ) : (
            <EmptyState title={text.none}>{text.noneHelp}</EmptyState>
          )
        }
      />
      <Pager noun={text.noun} offset={filter.offset} limit={LIMIT} count={data?.count} onOffset={filter.goTo} />
    </>
  );
}

function createColumns(path: (patient: PatientListRow) => string): Column<PatientListRow>[] {
  return [
    {
      id: "name",
      header: patientColumns.name,
      sortBy: "last_name",
      className: "min-w-40",
      cell: (row) => (
        <>
          <TextLink href={path(row)} className="font-medium">
            {patientNames.listed(row.first_name, row.last_name)}
          </TextLink>
          <span className="text-soft block text-sm lg:hidden">
            <span className="md:hidden">
              <Primary row={row} />
            </span>
            <span className="block font-mono">{row.member_id}</span>
          </span>
        </>
      ),
    },
    {
      id: "date_of_birth",
      header: patientColumns.dateOfBirth,
      sortBy: "dob",
      cell: (row) => <Day value={row.dob} />,
    },
    { id: "sex", header: patientColumns.sex, className: "max-sm:hidden", cell: ({ sex }) => sex },
    {
      id: "primary_insurance",
      header: patientColumns.primary,
      className: "max-md:hidden",
      cell: (row) => <Primary row={row} />,
    },
    {
      id: "member_id",
      header: patientColumns.memberId,
      className: "max-lg:hidden",
      cell: (row) => <span className="font-mono">{row.member_id}</span>,
    },
    {
      id: "changed",
      header: patientColumns.changed,
      sortBy: "last_modified",
      className: "max-lg:hidden",
      cell: (row) => <Time value={row.last_modified} />,
    },
  ];
}

function EndedStatus({ date }: { date: string }) {
  return (
    <Status kind="warning">
      <span>{text.ended(<Day value={date} />)}</span>
    </Status>
  );
}

/** Names the payer of the primary coverage, and says if the coverage has ended. */
function Primary({ row }: { row: PatientListRow }) {
  const { carrier, end_date } = row;
  const today = useToday();
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2">
      <span className={carrier ? undefined : "text-soft"}>{carrier ?? noPayer(row)}</span>
      {end_date && hasEnded(row, today) && <EndedStatus date={end_date} />}
    </span>
  );
}

function noPayer({ has_primary, insurances }: PatientListRow): string {
  if (has_primary) return text.noPayer;
  return insurances === 0 ? text.noInsurance : text.noPrimary;
}
