"use client";

import { useEffect, useState } from "react";
import { ButtonLink } from "@/components/ui/button-link";
import { EmptyState } from "@/components/ui/empty-state";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import { LeaveGuard } from "@/components/ui/leave-guard";
import { Notice } from "@/components/ui/notice";
import { Section } from "@/components/ui/section";
import { Day } from "@/components/ui/time";
import type { PatientPage } from "@/lib/insurance/patient-page/queries";
import { LegacyForm } from "./legacy-form";
import type { InterfaceProps } from "./policies-interface";

const LegacyCards = lazyWithRetry(
  async () => (await import("./legacy-cards")).LegacyCards,
  () => <div aria-busy className="bg-sunken h-48 animate-pulse rounded-md" />,
);

/** Shows the patient's insurance without Insurance Versioning: insurance by priority, edited as a whole, and their cards. */
export function LegacyInterface(props: InterfaceProps) {
  const { practice, role, data, refresh, onOpenForm } = props;
  const [hasChanges, setHasChanges] = useState(false);
  const [hasPicture, setHasPicture] = useState(false);
  const isOpen = hasChanges || hasPicture;
  useEffect(() => onOpenForm(isOpen), [isOpen, onOpenForm]);
  useEffect(() => () => onOpenForm(false), [onOpenForm]);
  const hasEnded = data.insurances === null;
  if (hasEnded && !isOpen) return <DeadlinePassed practice={practice} isAdmin={role === "admin"} data={data} />;
  const canWrite = role !== "viewer";
  return (
    <div className="grid items-start gap-6 min-[1200px]:grid-cols-[minmax(0,1fr)_340px] print:block">
      <Section compact title="Insurance by priority">
        {hasEnded && (
          <div className="mb-3">
            <Notice tone="warning" live title="Insurance can no longer be edited here">
              <Deadline data={data} /> What you typed is kept on this page, but can't be saved.
            </Notice>
          </div>
        )}
        <LegacyForm practice={practice} data={data} refresh={refresh} canWrite={canWrite} onOpenForm={setHasChanges} />
      </Section>
      {(!hasEnded || hasPicture) && (
        <Section compact title="Cards by priority">
          <LegacyCards practice={practice} data={data} refresh={refresh} canWrite={canWrite} onDraft={setHasPicture} />
        </Section>
      )}
      <LeaveGuard unsaved={isOpen} what={describeUnsaved(hasChanges, hasPicture)} />
    </div>
  );
}

interface DeadlinePassedProps {
  practice: number;
  isAdmin: boolean;
  data: PatientPage;
}

/** Replaces the form after the practice's deadline for legacy insurance. */
function DeadlinePassed({ practice, isAdmin, data }: DeadlinePassedProps) {
  return (
    <div className="border-line bg-raised rounded-md border">
      <EmptyState
        title="Insurance can no longer be edited here"
        action={isAdmin && <ButtonLink href={`/practices/${practice}/settings`}>Open settings</ButtonLink>}
      >
        <Deadline data={data} /> The insurance is kept as policies, which are shown here once{" "}
        {isAdmin ? "you enable" : "an admin enables"} Insurance Versioning in the practice's settings.
      </EmptyState>
    </div>
  );
}

function describeUnsaved(hasChanges: boolean, hasPicture: boolean): string {
  if (!hasChanges) return "The picture you haven't uploaded";
  return `Your changes${hasPicture ? " and the picture you haven't uploaded" : ""}`;
}

function Deadline({ data: { deprecation } }: { data: PatientPage }) {
  return (
    <>
      The practice's deadline of <Day value={deprecation.date} /> has passed
      {deprecation.rehearsing && " (by the practice's rehearsal time)"}: legacy insurance can no longer be shown or
      saved.
    </>
  );
}
