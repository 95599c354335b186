"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";
import { staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { classNames } from "@/components/ui/class-names";
import { Copyable } from "@/components/ui/copyable";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import { Notice } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { Section } from "@/components/ui/section";
import { Status } from "@/components/ui/status";
import { Day, Time } from "@/components/ui/time";
import type { ProposedInsurance, RecordPage as RecordData } from "@/lib/migration/record-queries";
import type { FindingView } from "@/lib/migration/review-queries";
import { describeCode } from "@/lib/migration/rules/checks";
import type { DecisionKind } from "./decision-dialog";
import { DecisionOf } from "./finding-columns";
import { recordPath, runCall, runTrail } from "./paths";
import { fieldName, fieldWords, proposedText, RECORD_STATES, VERDICTS, valueText } from "./run-messages";
import { Stepper } from "./stepper";

const DecisionDialog = lazyWithRetry(async () => (await import("./decision-dialog")).DecisionDialog);

interface RecordPageProps {
  practice: number;
  canAct: boolean;
  colleagues: { id: number; name: string }[];
  initial: RecordData;
}

/** A record whole: what was found in it, and each insurance of the export beside the policy it would become. */
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
  const state = RECORD_STATES[now.state];
  const mayDecide = canAct && ["checked", "left_out", "stale"].includes(now.state);
  const current = insurances.filter(({ list }) => list === "insurances");
  const past = insurances.filter(({ list }) => list === "deleted_insurances");
  const from = run.source === "file" ? "Export" : "Legacy record";
  return (
    <>
      <PageHeader
        trail={[
          ...runTrail(practice, run),
          { label: "Records", href: `${recordPath(practice, run.id, 0).replace(/\/0$/, "")}` },
        ]}
        title={now.name ?? `Line ${now.line}`}
        meta={
          <span className="inline-flex flex-wrap items-center gap-x-3">
            <Status kind={state.kind}>{state.text}</Status>
            {now.dob && <span>born {/^\d{4}-\d\d-\d\d$/.test(now.dob) ? <Day value={now.dob} /> : now.dob}</span>}
            {now.external_id && run.source === "file" && (
              <span>
                ID there <Copyable value={now.external_id} label="patient ID there" />
              </span>
            )}
            {run.source === "file" && <span>line {now.line}</span>}
            {now.patient_id !== null && now.state !== "rolled_back" && (
              <Link
                href={`/practices/${practice}/patients/${now.patient_id}`}
                className="inline-flex min-h-6 items-center hover:underline"
              >
                {run.source === "file" ? `Patient ${now.patient_id} here` : "Patient page"}
              </Link>
            )}
          </span>
        }
      />
      <Stepper practice={practice} run={run} here="review" />
      {run.purged_date !== null && (
        <Notice tone="info" title="The original was deleted">
          Originals of this run were deleted <Time value={run.purged_date} exact />. Verdict, decisions and state are
          kept.
        </Notice>
      )}
      {differences.length > 0 && (
        <Section title="What differs" lead="Found when the run was verified.">
          <table aria-label="Differences" className="border-line bg-raised w-full border-collapse rounded-md border">
            <tbody>
              {differences.map(({ where, field, between, values }) => (
                <tr key={`${where} ${field} ${between.join()}`} className="border-line border-b last:border-0">
                  <th scope="row" className="px-3 py-2 text-left font-normal">
                    {where}, {fieldWords(field)}
                  </th>
                  <td className="px-3 py-2">
                    <span className="text-soft">{between[0]}</span>{" "}
                    <span className="font-mono">{valueText(values[0])}</span>
                  </td>
                  <td className="px-3 py-2">
                    <span className="text-soft">{between[1]}</span>{" "}
                    <span className="font-mono">{valueText(values[1])}</span>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Section>
      )}
      <Section title="Findings">
        {findings.length === 0 && <p className="text-soft">Nothing was found in this record.</p>}
        <ul className="flex flex-col gap-2">
          {findings.map((finding) => (
            <Finding
              key={finding.id}
              finding={finding}
              mayDecide={mayDecide}
              colleagues={colleagues}
              onAsk={(kind) => setAsking({ kind, finding })}
            />
          ))}
        </ul>
      </Section>
      <Section title="Current insurances" lead={`${from} on the left, the policy it would become on the right.`}>
        {current.length === 0 && <p className="text-soft">The record has none.</p>}
        <div className="flex flex-col gap-4">
          {current.map((insurance) => (
            <Proposal key={insurance.position} insurance={insurance} from={from} />
          ))}
        </div>
        {gone.length > 0 && (
          <p className="mt-3">
            {gone.length === 1 ? "One policy here is" : `${gone.length} policies here are`} gone from the export, and
            would be archived.
          </p>
        )}
      </Section>
      {cards.length > 0 && (
        <Section title="Card images">
          <ul className="list-disc pl-5">
            {cards.map(({ rank, sides, problem }) => (
              <li key={String(rank)}>
                Card of rank {valueText(rank)}: {sides.length} {sides.length === 1 ? "image" : "images"}
                {problem && <span className="text-bad">, {problem}</span>}
              </li>
            ))}
          </ul>
        </Section>
      )}
      {past.length > 0 && (
        <Section title="Past insurances" lead="Each becomes an archived policy, with the dates of its time.">
          <div className="flex flex-col gap-4">
            {past.map((insurance) => (
              <Proposal key={insurance.position} insurance={insurance} from={from} folded />
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

function Finding(props: {
  finding: FindingView;
  mayDecide: boolean;
  colleagues: readonly { id: number; name: string }[];
  onAsk: (kind: DecisionKind) => void;
}) {
  const { finding, mayDecide, colleagues, onAsk } = props;
  const { code, message, found, fix, decision, reason, owner_id, due_date, note, insurance, list, position } = finding;
  const isPast = list === "deleted_insurances";
  const { title, mend } = describeCode(code);
  const owner = colleagues.find(({ id }) => id === owner_id)?.name;
  return (
    <li className="border-line bg-raised flex flex-wrap items-start justify-between gap-x-6 gap-y-2 rounded-md border px-3 py-2">
      <div className="min-w-0 max-w-3xl">
        <p className="flex flex-wrap items-center gap-x-3">
          <span className="font-medium">{title}</span>
          <DecisionOf finding={finding} />
        </p>
        <p>
          {list !== null && (
            <span className="text-soft">
              {isPast ? "Past insurance" : "Insurance"} {insurance ?? `number ${(position ?? 0) + 1}`}:{" "}
            </span>
          )}
          {message}
          {found !== null && <code className="ml-1 font-mono break-all">{valueText(found).slice(0, 200)}</code>}
        </p>
        {fix ? (
          <p className="text-good">
            Proposed:{" "}
            {Object.entries(fix.values).map(([field, value]) => (
              <span key={field} className="mr-2">
                {fieldWords(field)} <code className="font-mono">{proposedText(value)}</code>
              </span>
            ))}
            <span className="text-soft">{fix.why}</span>
          </p>
        ) : (
          <p className="text-soft">{mend}</p>
        )}
        {(reason || owner || due_date || note) && (
          <p className="text-soft mt-1 text-sm">
            {[reason && `Reason: ${reason}`, owner && `Owner: ${owner}`, due_date && `due ${due_date}`, note]
              .filter(Boolean)
              .join(" · ")}
          </p>
        )}
      </div>
      {mayDecide && (
        <div className="screen-only flex flex-wrap gap-2">
          <Button size="small" kind="quiet" onClick={() => onAsk("assign")}>
            Assign
          </Button>
          {decision === "open" ? (
            <>
              <Button size="small" onClick={() => onAsk("skip")}>
                {isPast && finding.severity === "error" ? "Leave out past insurance" : "Leave out"}
              </Button>
              {fix && (
                <Button size="small" kind="primary" onClick={() => onAsk("accept")}>
                  Accept fix
                </Button>
              )}
            </>
          ) : (
            <Button size="small" onClick={() => onAsk("reopen")}>
              Take back
            </Button>
          )}
        </div>
      )}
    </li>
  );
}

/** An insurance of the export beside the policy it would become, field by field. */
function Proposal(props: { insurance: ProposedInsurance; from: string; folded?: boolean }) {
  const { insurance, from, folded = false } = props;
  const { id, verdict, changes, fields, left_out: isLeftOut, notes } = insurance;
  const title = (
    <>
      <span className="font-medium">Insurance {id ?? "without an ID"}</span>{" "}
      <span className={verdict === "refused" ? "text-bad" : "text-soft"}>
        {isLeftOut ? "Left out" : VERDICTS[verdict].text}
        {changes.length > 0 && `: ${changes.map((field) => fieldWords(field)).join(", ")}`}
      </span>
    </>
  );
  const said = notes.length > 0 && <p className="text-soft px-3 py-1 text-sm">{notes.join(" ")}</p>;
  const table = (
    <table aria-label={`Insurance ${id ?? ""}`} className="w-full border-collapse">
      <thead>
        <tr className="border-line text-soft border-y text-left text-sm">
          <th scope="col" className="h-8 w-1/4 px-3 font-medium">
            Field
          </th>
          <th scope="col" className="h-8 px-3 font-medium">
            {from}
          </th>
          <th scope="col" className="h-8 px-3 font-medium">
            Policy
          </th>
        </tr>
      </thead>
      <tbody>
        {fields.map(({ field, legacy, fixed, proposed }) => (
          <tr key={field} className="border-line border-b last:border-0">
            <th scope="row" className="text-soft px-3 py-1 text-left font-normal">
              {fieldName(field)}
            </th>
            <td className="px-3 py-1 font-mono text-sm break-all">
              <span className={fixed !== undefined ? "text-bad line-through" : undefined}>{valueText(legacy)}</span>
              {fixed !== undefined && <span className="text-good ml-2">{valueText(fixed)}</span>}
            </td>
            <td
              className={classNames(
                "px-3 py-1 font-mono text-sm break-all",
                verdict === "refused" ? "text-soft" : String(proposed) !== String(fixed ?? legacy) && "text-good",
              )}
            >
              {verdict === "refused" ? "—" : valueText(proposed)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
  if (folded) {
    return (
      <details className="border-line bg-raised overflow-hidden rounded-md border">
        <summary className="min-h-9 cursor-pointer px-3 py-2">{title}</summary>
        {said}
        {table}
      </details>
    );
  }
  return (
    <div className="border-line bg-raised overflow-x-auto rounded-md border">
      <p className="px-3 py-2">{title}</p>
      {said}
      {table}
    </div>
  );
}
