"use client";

import { useEffect, useState } from "react";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import { LeaveGuard } from "@/components/ui/leave-guard";
import { Section } from "@/components/ui/section";
import { LegacyForm } from "./legacy-form";
import { legacySections as text } from "./messages/legacy-form";
import type { InterfaceProps } from "./policies-interface";

const DeadlinePassed = lazyWithRetry(async () => (await import("./legacy-deadline")).DeadlinePassed);
const DeadlineNotice = lazyWithRetry(async () => (await import("./legacy-deadline")).DeadlineNotice);
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
      <Section compact title={text.insurance}>
        {hasEnded && (
          <div className="mb-3">
            <DeadlineNotice data={data} />
          </div>
        )}
        <LegacyForm practice={practice} data={data} refresh={refresh} canWrite={canWrite} onOpenForm={setHasChanges} />
      </Section>
      {(!hasEnded || hasPicture) && (
        <Section compact title={text.cards}>
          <LegacyCards practice={practice} data={data} refresh={refresh} canWrite={canWrite} onDraft={setHasPicture} />
        </Section>
      )}
      <LeaveGuard unsaved={isOpen} what={describeUnsaved(hasChanges, hasPicture)} />
    </div>
  );
}

function describeUnsaved(hasChanges: boolean, hasPicture: boolean): string {
  if (!hasChanges) return text.unsavedImage;
  return hasPicture ? text.unsavedBoth : text.unsavedChanges;
}
