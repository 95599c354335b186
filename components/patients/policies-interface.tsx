"use client";

import { ArrowUpDown } from "lucide-react";
import { useSearchParams } from "next/navigation";
import { useEffect, useRef, useState } from "react";
import { pagePath } from "@/components/policies/paths";
import { Button } from "@/components/ui/button";
import { ButtonLink } from "@/components/ui/button-link";
import { EmptyState } from "@/components/ui/empty-state";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import { Section } from "@/components/ui/section";
import { Tabs } from "@/components/ui/tabs";
import type { StaffRole } from "@/lib/access/staff/roles";
import type { PatientPage } from "@/lib/insurance/patient-page/queries";
import { ArchivedPolicies } from "./archived-policies";
import { LegacyView } from "./legacy-view";
import { patientParts, activePolicies as text } from "./messages/policies";
import { PatientTimeline, type TimelinePage } from "./patient-timeline";
import { PolicyCard } from "./policy-card";
import { useWideWindow } from "./use-wide-window";

const PolicyOrder = lazyWithRetry(async () => (await import("./policy-order")).PolicyOrder);

export interface InterfaceProps {
  practice: number;
  role: StaffRole;
  data: PatientPage;
  refresh: () => Promise<PatientPage>;
  /** Called with whether a form is open whose input must not be lost. */
  onOpenForm: (isOpen: boolean) => void;
}

const TABS = ["policies", "timeline", "legacy"] as const;
const COLUMNS = "grid items-start gap-6 min-[1200px]:grid-cols-[minmax(0,5fr)_minmax(0,4fr)_minmax(0,3fr)] print:block";

type PoliciesInterfaceProps = InterfaceProps & { timeline: TimelinePage };

/**
 * Shows the patient's insurance with Insurance Versioning: policies, timeline and what legacy clients see. They are columns, or tabs if the
 * window is narrow. Print has the policies only, which fit on one page.
 */
export function PoliciesInterface(props: PoliciesInterfaceProps) {
  const { practice, data, timeline } = props;
  const isWide = useWideWindow();
  const part = useSearchParams().get("part");
  // The server renders columns for narrow windows, too, and CSS hides two of them until hydration.
  const onlyWide = "max-[1199px]:hidden print:hidden";
  return (
    <Tabs
      label={patientParts.label}
      value={TABS.find((name) => name === part) ?? TABS[0]}
      onChange={showPart}
      columns={isWide ? COLUMNS : undefined}
      tabs={[
        { value: "policies", label: patientParts.policies, content: <Policies {...props} /> },
        {
          value: "timeline",
          label: patientParts.timeline,
          content: <PatientTimeline practice={practice} patient={data.patient.id} initial={timeline} />,
          className: onlyWide,
        },
        { value: "legacy", label: patientParts.legacy, content: <LegacyView data={data} />, className: onlyWide },
      ]}
    />
  );
}

/** Keeps the tab in the URL. For this one parameter, nuqs would be the largest part of the page's own JavaScript. */
function showPart(part: string): void {
  const url = new URL(window.location.href);
  if (part === TABS[0]) url.searchParams.delete("part");
  else url.searchParams.set("part", part);
  window.history.replaceState(null, "", url);
}

function Policies({ practice, role, data, refresh, onOpenForm }: InterfaceProps) {
  const [isOrdering, setOrdering] = useState(false);
  const orderButton = useRef<HTMLButtonElement>(null);
  const showOrder = (isShown: boolean) => {
    setOrdering(isShown);
    onOpenForm(isShown);
    if (!isShown) setTimeout(() => orderButton.current?.focus(), 0);
  };
  useEffect(() => () => onOpenForm(false), [onOpenForm]);
  const active = data.policies.filter(({ status }) => status === "active");
  const archived = data.policies.filter(({ status }) => status === "archived");
  const canWrite = role !== "viewer";
  const canOrder = canWrite && active.length > 0 && !isOrdering;
  return (
    <div className="flex flex-col gap-5">
      <Section
        compact
        title={text.title}
        actions={
          canOrder && (
            <Button ref={orderButton} size="small" onClick={() => showOrder(true)}>
              <ArrowUpDown aria-hidden className="size-3.5" /> {text.changeOrder}
            </Button>
          )
        }
      >
        {isOrdering ? (
          <PolicyOrder practice={practice} data={data} refresh={refresh} onClose={() => showOrder(false)} />
        ) : active.length === 0 ? (
          <NoPolicies
            practice={practice}
            patient={data.patient.id}
            canWrite={canWrite}
            hasArchived={archived.length > 0}
          />
        ) : (
          <ul className="flex flex-col gap-3">
            {active.map((policy) => (
              <li key={policy.id}>
                <PolicyCard practice={practice} policy={policy} canWrite={canWrite} />
              </li>
            ))}
          </ul>
        )}
      </Section>
      {archived.length > 0 && (
        <ArchivedPolicies practice={practice} policies={archived} active={active} canWrite={canWrite} />
      )}
    </div>
  );
}

interface NoPoliciesProps {
  practice: number;
  patient: number;
  canWrite: boolean;
  hasArchived: boolean;
}

function NoPolicies({ practice, patient, canWrite, hasArchived }: NoPoliciesProps) {
  return (
    <div className="border-line bg-raised rounded-md border">
      <EmptyState
        title={text.none}
        action={
          canWrite && (
            <ButtonLink kind="primary" href={pagePath(practice, patient, "policies", "new")}>
              {text.add}
            </ButtonLink>
          )
        }
      >
        {canWrite ? (hasArchived ? text.addOrRestoreHelp : text.addHelp) : text.viewerHelp}
      </EmptyState>
    </div>
  );
}
