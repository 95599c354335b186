"use client";

import { ArrowUpDown } from "lucide-react";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { useEffect, useRef, useState } from "react";
import { Button } from "@/components/ui/button";
import { ButtonLink } from "@/components/ui/button-link";
import { EmptyState } from "@/components/ui/empty-state";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import { Tabs } from "@/components/ui/tabs";
import type { StaffRole } from "@/lib/access/staff/schema";
import type { PatientPage } from "@/lib/insurance/patient-page/queries";
import { ArchivedPolicies } from "./archived-policies";
import { LegacyView } from "./legacy-view";
import { Part } from "./part";
import { PatientTimeline, type TimelinePage } from "./patient-timeline";
import { PolicyCard } from "./policy-card";
import { useWideWindow } from "./use-wide-window";

const PolicyOrder = lazyWithRetry(async () => (await import("./policy-order")).PolicyOrder);

/** What either interface gets. */
export interface InterfaceProps {
  practice: number;
  role: StaffRole;
  data: PatientPage;
  refresh: () => Promise<PatientPage>;
  /** Something is open that must not be lost. */
  onOpenForm: (open: boolean) => void;
}

const PARTS = ["policies", "timeline", "legacy"] as const;

/** With Insurance Versioning: policies by rank, what happened, and what legacy clients see. */
export function PoliciesInterface(props: InterfaceProps & { timeline: TimelinePage }) {
  const { practice, data, timeline } = props;
  const isWide = useWideWindow();
  const [part, setPart] = useQueryState("part", parseAsStringLiteral(PARTS).withDefault("policies"));
  const parts = [
    { value: "policies", label: "Policies", content: <Policies {...props} /> },
    {
      value: "timeline",
      label: "Timeline",
      content: <PatientTimeline practice={practice} patient={data.patient.id} initial={timeline} />,
    },
    { value: "legacy", label: "Legacy view", content: <LegacyView data={data} /> },
  ];
  if (!isWide) {
    return (
      <Tabs
        label="Insurance of this patient"
        value={part}
        onChange={(value) => void setPart(value as typeof part)}
        tabs={parts}
      />
    );
  }
  return (
    <div className="grid items-start gap-6 min-[1200px]:grid-cols-[minmax(0,5fr)_minmax(0,4fr)_minmax(0,3fr)] print:block">
      {parts.map(({ value, content }, at) => (
        <div key={value} className={at > 0 ? "max-[1199px]:hidden print:mt-6 print:block!" : undefined}>
          {content}
        </div>
      ))}
    </div>
  );
}

function Policies({ practice, role, data, refresh, onOpenForm }: InterfaceProps) {
  const [isOrdering, setOrdering] = useState(false);
  const trigger = useRef<HTMLButtonElement>(null);
  const open = (ordering: boolean) => {
    setOrdering(ordering);
    onOpenForm(ordering);
    if (!ordering) setTimeout(() => trigger.current?.focus(), 0);
  };
  useEffect(() => () => onOpenForm(false), [onOpenForm]);
  const active = data.policies.filter(({ status }) => status === "active");
  const archived = data.policies.filter(({ status }) => status === "archived");
  const canWrite = role !== "viewer";
  return (
    <div className="flex flex-col gap-5">
      <Part
        title="Active policies"
        actions={
          canWrite &&
          active.length > 0 &&
          !isOrdering && (
            <Button ref={trigger} size="small" onClick={() => open(true)}>
              <ArrowUpDown aria-hidden className="size-3.5" /> Change order
            </Button>
          )
        }
      >
        {isOrdering ? (
          <PolicyOrder practice={practice} data={data} refresh={refresh} onClose={() => open(false)} />
        ) : active.length === 0 ? (
          <NoPolicies practice={practice} patient={data.patient.id} canWrite={canWrite} />
        ) : (
          <ul className="flex flex-col gap-3">
            {active.map((policy) => (
              <li key={policy.id}>
                <PolicyCard practice={practice} policy={policy} />
              </li>
            ))}
          </ul>
        )}
      </Part>
      {archived.length > 0 && <ArchivedPolicies practice={practice} policies={archived} />}
    </div>
  );
}

function NoPolicies({ practice, patient, canWrite }: { practice: number; patient: number; canWrite: boolean }) {
  return (
    <div className="border-line bg-raised rounded-md border">
      <EmptyState
        title="No active policy"
        action={
          canWrite && (
            <ButtonLink kind="primary" href={`/practices/${practice}/patients/${patient}/policies/new`}>
              Add policy
            </ButtonLink>
          )
        }
      >
        {canWrite
          ? "Add the insurance the patient brings. An archived policy can be restored from its own page."
          : "Nobody has recorded an insurance that is in force."}
      </EmptyState>
    </div>
  );
}
