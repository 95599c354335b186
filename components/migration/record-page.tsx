"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { staffCall } from "@/components/session/staff-call";
import { pluralize } from "@/components/ui/format";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import { Notice } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { Section } from "@/components/ui/section";
import { Time } from "@/components/ui/time";
import type { RecordPage as RecordData } from "@/lib/migration/check/record-queries";
import type { FindingView } from "@/lib/migration/check/review-queries";
import { isDecidable } from "@/lib/migration/runs/run-states";
import type { DecisionKind } from "./decision-dialog";
import { DifferenceTable } from "./difference-table";
import { FindingCard } from "./finding-card";
import { InsuranceComparison } from "./insurance-comparison";
import { recordsPath, runCall, runTrail } from "./paths";
import { RecordFacts } from "./record-facts";
import { valueText } from "./run-messages";
import { Stepper } from "./stepper";

const DecisionDialog = lazyWithRetry(async () => (await import("./decision-dialog")).DecisionDialog);

interface RecordPageProps {
  practice: number;
  canAct: boolean;
  colleagues: { id: number; name: string }[];
  initial: RecordData;
}

/** Shows a record of a run: its findings, and each insurance beside the policy it becomes. */
export function RecordPage({ practice, canAct, colleagues, initial }: RecordPageProps) {
  const { run, record } = initial;
  const path = `${runCall(practice, run.id)}/records/${record.number}`;
  const { data, refetch } = useQuery({
    queryKey: [path],
    queryFn: ({ signal }) => staffCall<RecordData>(path, { signal }),
    initialData: initial,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const [asking, setAsking] = useState<{ kind: DecisionKind; finding: FindingView } | null>(null);
  const { findings, insurances, gone, cards, differences } = data;
  const now = data.record;
  const mayDecide = canAct && isDecidable(now.state);
  const current = insurances.filter(({ list }) => list === "insurances");
  const past = insurances.filter(({ list }) => list === "deleted_insurances");
  const source = run.source === "file" ? "Export" : "Legacy record";
  return (
    <>
      <PageHeader
        trail={[...runTrail(practice, run), { label: "Records", href: recordsPath(practice, run.id) }]}
        title={now.name ?? `Line ${now.line}`}
        meta={<RecordFacts practice={practice} data={data} />}
      />
      <Stepper practice={practice} run={run} here="review" />
      {run.purged_date !== null && (
        <Notice tone="info" title="Original deleted">
          The originals of this run were deleted <Time value={run.purged_date} exact />. The verdict, decisions and
          state are kept.
        </Notice>
      )}
      {differences.length > 0 && <DifferenceTable differences={differences} />}
      <Section title="Findings">
        {findings.length === 0 && <p className="text-soft">No findings in this record.</p>}
        <ul className="flex flex-col gap-2">
          {findings.map((finding) => (
            <FindingCard
              key={finding.id}
              finding={finding}
              runPath={runCall(practice, run.id)}
              mayDecide={mayDecide}
              colleagues={colleagues}
              onDecide={(kind) => setAsking({ kind, finding })}
              onCorrected={async () => {
                await refetch();
              }}
            />
          ))}
        </ul>
      </Section>
      <Section title="Current insurance" lead={`${source} on the left, the resulting policy on the right.`}>
        {current.length === 0 && <p className="text-soft">No current insurance.</p>}
        <div className="flex flex-col gap-4">
          {current.map((insurance) => (
            <InsuranceComparison key={insurance.position} insurance={insurance} source={source} />
          ))}
        </div>
        {gone.length > 0 && (
          <p className="mt-3">
            {pluralize(gone.length, "policy is", "policies are")} missing from the export and will be archived.
          </p>
        )}
      </Section>
      {cards.length > 0 && (
        <Section title="Card images">
          <ul className="list-disc pl-5">
            {cards.map(({ rank, sides, problem }) => (
              <li key={String(rank)}>
                Card of rank {valueText(rank)}: {pluralize(sides.length, "image")}
                {problem && <span className="text-bad">, {problem}</span>}
              </li>
            ))}
          </ul>
        </Section>
      )}
      {past.length > 0 && (
        <Section title="Past insurance" lead="Each becomes an archived policy with its original dates.">
          <div className="flex flex-col gap-4">
            {past.map((insurance) => (
              <InsuranceComparison key={insurance.position} insurance={insurance} source={source} folded />
            ))}
          </div>
        </Section>
      )}
      {asking && (
        <DecisionDialog
          path={`${runCall(practice, run.id)}/decisions`}
          kind={asking.kind}
          findings={{ ids: [asking.finding.id] }}
          count={1}
          colleagues={colleagues}
          onClose={() => setAsking(null)}
          onDone={async () => {
            setAsking(null);
            await refetch();
          }}
        />
      )}
    </>
  );
}
