"use client";

import { Plus, Printer } from "lucide-react";
import dynamic from "next/dynamic";
import { useEffect, useRef, useState } from "react";
import { breadcrumbs } from "@/components/policies/messages/fields";
import { pagePath } from "@/components/policies/paths";
import { Button } from "@/components/ui/button";
import { ButtonLink } from "@/components/ui/button-link";
import { Copyable } from "@/components/ui/copyable";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import { PageHeader } from "@/components/ui/page-header";
import { PrintTimestamp } from "@/components/ui/print-timestamp";
import { Day } from "@/components/ui/time";
import { useToasts } from "@/components/ui/toasts";
import type { StaffRole } from "@/lib/access/staff/roles";
import type { PatientPage as Page } from "@/lib/insurance/patient-page/queries";
import { patientPage as text } from "./messages/patient-page";
import type { TimelinePage } from "./patient-timeline";
import { usePatient } from "./use-patient";

const PoliciesInterface = dynamic(() => import("./policies-interface").then((module) => module.PoliciesInterface));
const LegacyInterface = dynamic(() => import("./legacy-interface").then((module) => module.LegacyInterface));
const OutdatedNotice = lazyWithRetry(async () => (await import("./patient-notices")).OutdatedNotice);
const VersioningChangedNotice = lazyWithRetry(async () => (await import("./patient-notices")).VersioningChangedNotice);

interface PatientPageProps {
  practice: number;
  role: StaffRole;
  initial: Page;
  timeline: TimelinePage;
}

/** Shows a patient and their insurance: policies with Insurance Versioning, legacy insurances without it. */
export function PatientPage({ practice, role, initial, timeline }: PatientPageProps) {
  const { data, refresh, error } = usePatient(practice, initial);
  const [hasOpenForm, setOpenForm] = useState(false);
  const [versioning, setVersioning] = useState(data.versioning);
  // While a form is open, keep its interface and show a notice instead of switching.
  if (!hasOpenForm && versioning !== data.versioning) setVersioning(data.versioning);
  useVersioningToast(versioning);
  const canWrite = role !== "viewer";
  const view = { practice, data, refresh, role, onOpenForm: setOpenForm };
  const { first_name, middle_name, last_name } = data.patient;
  return (
    <>
      <PageHeader
        trail={[{ label: breadcrumbs.patients, href: `/practices/${practice}/patients` }]}
        title={[first_name, middle_name, last_name].filter(Boolean).join(" ")}
        meta={<Identity patient={data.patient} />}
        actions={
          <>
            <Button onClick={() => window.print()}>
              <Printer aria-hidden className="size-4" /> {text.print}
            </Button>
            {versioning && canWrite && (
              <ButtonLink kind="primary" href={pagePath(practice, data.patient.id, "policies", "new")}>
                <Plus aria-hidden className="size-4" /> {text.addPolicy}
              </ButtonLink>
            )}
          </>
        }
      />
      <div className="mb-4 flex flex-col gap-3 empty:hidden">
        {error && <OutdatedNotice error={error} />}
        {versioning !== data.versioning && <VersioningChangedNotice enabled={data.versioning} />}
      </div>
      {versioning ? <PoliciesInterface {...view} timeline={timeline} /> : <LegacyInterface {...view} />}
    </>
  );
}

function Identity({ patient }: { patient: Page["patient"] }) {
  const { id, external_id, dob, sex } = patient;
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
      <span>{text.born(<Day value={dob} />)}</span>
      <span>{sex}</span>
      <span className="inline-flex items-center gap-1">
        {text.id(<Copyable value={String(id)} label={text.copyId} className="text-ink" />)}
      </span>
      {external_id !== null && (
        <span className="inline-flex items-center gap-1">
          {text.sourceId(<Copyable value={String(external_id)} label={text.copySourceId} className="text-ink" />)}
        </span>
      )}
      <PrintTimestamp />
    </div>
  );
}

/** Shows a toast when the page switches between policies and legacy insurances. */
function useVersioningToast(versioning: boolean): void {
  const toast = useToasts();
  const before = useRef(versioning);
  useEffect(() => {
    if (before.current === versioning) return;
    before.current = versioning;
    toast.success(versioning ? text.versioningOn : text.versioningOff);
  }, [versioning, toast]);
}
