"use client";

import { useEffect, useState } from "react";
import { ButtonLink } from "@/components/ui/button-link";
import { EmptyState } from "@/components/ui/empty-state";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import { LeaveGuard } from "@/components/ui/leave-guard";
import { Notice } from "@/components/ui/notice";
import { Day } from "@/components/ui/time";
import type { PatientPage } from "@/lib/insurance/patient-page/queries";
import { LegacyForm } from "./legacy-form";
import { Part } from "./part";
import type { InterfaceProps } from "./policies-interface";

// It reads pictures, which only a browser can.
const LegacyCards = lazyWithRetry(
  async () => (await import("./legacy-cards")).LegacyCards,
  () => <div aria-busy className="bg-sunken h-48 animate-pulse rounded-md" />,
);

/** Without Insurance Versioning: insurances by priority, edited as a whole, and cards by priority. */
export function LegacyInterface(props: InterfaceProps) {
  const { practice, role, data, refresh, onOpenForm } = props;
  const [hasForm, setHasForm] = useState(false);
  const [hasPicture, setHasPicture] = useState(false);
  const isOpen = hasForm || hasPicture;
  useEffect(() => onOpenForm(isOpen), [isOpen, onOpenForm]);
  useEffect(() => () => onOpenForm(false), [onOpenForm]);
  const ended = data.insurances === null;
  if (ended && !isOpen) {
    return (
      <div className="border-line bg-raised rounded-md border">
        <EmptyState
          title="Insurances are no longer edited here"
          action={
            role === "admin" && <ButtonLink href={`/practices/${practice}/settings`}>Open the settings</ButtonLink>
          }
        >
          <Deadline data={data} /> The insurances are kept as policies. They show here once{" "}
          {role === "admin" ? "you enable" : "an admin enables"} Insurance Versioning in the practice's settings.
        </EmptyState>
      </div>
    );
  }
  const canWrite = role !== "viewer";
  return (
    <div className="grid items-start gap-6 min-[1200px]:grid-cols-[minmax(0,1fr)_340px] print:block">
      <Part title="Insurances by priority">
        {ended && (
          <div className="mb-3">
            <Notice tone="warning" live title="Insurances are no longer edited here">
              <Deadline data={data} /> What you typed is kept on this page, but can't be saved.
            </Notice>
          </div>
        )}
        <LegacyForm practice={practice} data={data} refresh={refresh} canWrite={canWrite} onOpenForm={setHasForm} />
      </Part>
      {(!ended || hasPicture) && (
        <Part title="Cards by priority">
          <LegacyCards practice={practice} data={data} refresh={refresh} canWrite={canWrite} onDraft={setHasPicture} />
        </Part>
      )}
      <LeaveGuard unsaved={isOpen} what={unsavedIn(hasForm, hasPicture)} />
    </div>
  );
}

function unsavedIn(hasForm: boolean, hasPicture: boolean): string {
  const picture = "the picture that is not uploaded yet";
  if (!hasForm) return picture.charAt(0).toUpperCase() + picture.slice(1);
  return `Your changes of the insurances${hasPicture ? ` and ${picture}` : ""}`;
}

function Deadline({ data: { deprecation } }: { data: PatientPage }) {
  return (
    <>
      The practice's deadline of <Day value={deprecation.date} /> is enforced
      {deprecation.rehearsing && " (by the practice's rehearsal time)"}: legacy insurances are neither shown nor saved.
    </>
  );
}
