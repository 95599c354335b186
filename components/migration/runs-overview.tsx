"use client";

import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { staffCall } from "@/components/session/staff-call";
import { ButtonLink } from "@/components/ui/button-link";
import { type Column, DataTable } from "@/components/ui/data-table";
import { EmptyState } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { Section } from "@/components/ui/section";
import { Status } from "@/components/ui/status";
import { TextLink } from "@/components/ui/text-link";
import { Time } from "@/components/ui/time";
import type { RunView } from "@/lib/migration/check/review-queries";
import type { Readiness } from "@/lib/migration/readiness/queries";
import type { MigrationSteps } from "@/lib/migration/readiness/steps-queries";
import { isAtWork } from "@/lib/migration/runs/run-states";
import { GettingStarted } from "./getting-started";
import { runColumn, overview as words } from "./messages/overview";
import { bytesText, RUN_STATES } from "./messages/terms";
import { migrationPath, runPath } from "./paths";
import { ReadinessBar } from "./readiness-bar";

interface Runs {
  count: number;
  results: RunView[];
}

interface OverviewProps {
  practice: number;
  canAct: boolean;
  isAdmin: boolean;
  initial: { runs: Runs; readiness: Readiness; steps: MigrationSteps };
}

/** Shows the practice's migration: its readiness and its runs. */
export function RunsOverview({ practice, canAct, isAdmin, initial }: OverviewProps) {
  const router = useRouter();
  const { data, error } = useQuery({
    queryKey: ["migrations", practice],
    queryFn: ({ signal }) => staffCall<Runs>(`practices/${practice}/migrations`, { signal, background: true }),
    initialData: initial.runs,
    refetchInterval: ({ state }) => (state.data?.results.some((run) => isAtWork(run.state)) ? 2_000 : false),
  });
  const { readiness } = initial;
  const base = migrationPath(practice);
  return (
    <>
      <PageHeader
        title={words.title}
        meta={words.lead}
        actions={
          <>
            <ButtonLink href={`${base}/what-if`}>{words.preview}</ButtonLink>
            <ButtonLink href={`${base}/readiness`}>{words.report}</ButtonLink>
            {canAct && (
              <ButtonLink kind="primary" href={`${base}/new`}>
                {words.newRun}
              </ButtonLink>
            )}
          </>
        }
      />
      <GettingStarted practice={practice} role={{ isAdmin, canAct }} steps={initial.steps} />
      {readiness.run && (
        <Section title={words.readiness}>
          <div className="border-line bg-raised rounded-md border px-4 py-3">
            <ReadinessBar readiness={readiness} />
          </div>
        </Section>
      )}
      <Section title={words.runs}>
        {error && <p className="text-bad mb-2">{error.message}</p>}
        <DataTable
          label={words.table}
          columns={runColumns(practice)}
          rows={data.results}
          onOpen={(run) => router.push(runPath(practice, run.id))}
          empty={
            <EmptyState
              title={words.empty}
              action={
                canAct && (
                  <ButtonLink kind="primary" href={`${base}/new`}>
                    {words.newRun}
                  </ButtonLink>
                )
              }
            >
              {words.emptyHelp}
            </EmptyState>
          }
        />
      </Section>
    </>
  );
}

function runColumns(practice: number): Column<RunView>[] {
  return [
    {
      id: "run",
      header: runColumn.run,
      cell: (row) => (
        <>
          <TextLink href={runPath(practice, row.id)} className="font-mono">
            {row.id}
          </TextLink>
          <span className="text-soft block text-sm wrap-anywhere sm:hidden">{row.source_name}</span>
        </>
      ),
    },
    {
      id: "file",
      header: runColumn.file,
      className: "max-sm:hidden",
      cell: (row) => (
        <span className="block max-w-72 truncate max-md:max-w-36" title={row.source_name}>
          {row.source_name}
        </span>
      ),
    },
    {
      id: "size",
      header: runColumn.size,
      className: "max-lg:hidden tabular-nums",
      cell: (row) => row.source === "file" && bytesText(row.source_size),
    },
    {
      id: "state",
      header: runColumn.state,
      cell: (row) => {
        const { kind, text } = RUN_STATES[row.state];
        return <Status kind={kind}>{text}</Status>;
      },
    },
    {
      id: "started_by",
      header: runColumn.startedBy,
      className: "max-md:hidden",
      cell: (row) => row.actor.name,
    },
    {
      id: "started",
      header: runColumn.started,
      className: "max-sm:hidden",
      cell: (row) => <Time value={row.created_date} />,
    },
  ];
}
