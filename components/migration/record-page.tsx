"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { staffCall } from "@/components/session/staff-call";
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
import { recordsPage, recordPage as text } from "./messages/review";
import { lineName, valueText } from "./messages/terms";
import { recordsPath, runCall, runTrail } from "./paths";
import { RecordFacts } from "./record-facts";
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
  const isFile = run.source === "file";
  const source = isFile ? text.export : text.legacy;
  return (
    <>
      <PageHeader
        trail={[...runTrail(practice, run), { label: recordsPage.title, href: recordsPath(practice, run.id) }]}
        title={now.name ?? lineName(now.line)}
        meta={<RecordFacts practice={practice} data={data} />}
      />
      <Stepper practice={practice} run={run} here="review" />
      {run.purged_date !== null && (
        <Notice tone="info" title={text.purged}>
          {text.purgedHelp(<Time value={run.purged_date} exact />)}
        </Notice>
      )}
      {differences.length > 0 && <DifferenceTable differences={differences} />}
      <Section title={text.findings}>
        {findings.length === 0 && <p className="text-soft">{text.noFindings}</p>}
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
      <Section title={text.current} lead={isFile ? text.currentLead : text.currentLeadLegacy}>
        {current.length === 0 && <p className="text-soft">{text.noCurrent}</p>}
        <div className="flex flex-col gap-4">
          {current.map((insurance) => (
            <InsuranceComparison key={insurance.position} insurance={insurance} source={source} />
          ))}
        </div>
        {gone.length > 0 && <p className="mt-3">{text.gone(gone.length)}</p>}
      </Section>
      {cards.length > 0 && (
        <Section title={text.cards}>
          <ul className="list-disc pl-5">
            {cards.map(({ rank, sides, problem }) => (
              <li key={String(rank)}>
                {text.cardImages(text.cardRanks[String(rank)] ?? text.card(valueText(rank)), sides.length)}
                {problem && <span className="text-bad">{text.cardProblem(problem)}</span>}
              </li>
            ))}
          </ul>
        </Section>
      )}
      {past.length > 0 && (
        <Section title={text.past} lead={text.pastLead}>
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
