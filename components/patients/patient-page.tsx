"use client";

import { Plus, Printer } from "lucide-react";
import dynamic from "next/dynamic";
import { useEffect, useRef, useState } from "react";
import { Button } from "@/components/ui/button";
import { ButtonLink } from "@/components/ui/button-link";
import { Copyable } from "@/components/ui/copyable";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import { PageHeader } from "@/components/ui/page-header";
import { PrintTimestamp } from "@/components/ui/print-timestamp";
import { Day } from "@/components/ui/time";
import { useToasts } from "@/components/ui/toasts";
import type { StaffRole } from "@/lib/access/staff/schema";
import type { PatientPage as Page } from "@/lib/insurance/patient-page/queries";
import type { TimelinePage } from "./patient-timeline";
import { usePatient } from "./use-patient";

const PoliciesInterface = dynamic(() => import("./policies-interface").then((module) => module.PoliciesInterface));
const LegacyInterface = dynamic(() => import("./legacy-interface").then((module) => module.LegacyInterface));
const Outdated = lazyWithRetry(async () => (await import("./patient-notices")).Outdated);
const SwitchedMeanwhile = lazyWithRetry(async () => (await import("./patient-notices")).SwitchedMeanwhile);

interface PatientPageProps {
  practice: number;
  role: StaffRole;
  initial: Page;
  timeline: TimelinePage;
}

/** A patient: who it is, and the insurances by the interface that the practice's switch gives. */
export function PatientPage({ practice, role, initial, timeline }: PatientPageProps) {
  const { data, refresh, problem } = usePatient(practice, initial);
  const [hasOpenForm, setOpenForm] = useState(false);
  const [versioning, setVersioning] = useState(data.versioning);
  // A form that is open stays, whatever the switch says: it is told of it above.
  if (!hasOpenForm && versioning !== data.versioning) setVersioning(data.versioning);
  useSwitchNotice(versioning);
  const canWrite = role !== "viewer";
  const view = { practice, data, refresh, role, onOpenForm: setOpenForm };
  return (
    <>
      <PageHeader
        trail={[{ label: "Patients", href: `/practices/${practice}/patients` }]}
        title={nameOf(data.patient)}
        meta={<Identity patient={data.patient} />}
        actions={
          <>
            <Button onClick={() => window.print()}>
              <Printer aria-hidden className="size-4" /> Print
            </Button>
            {versioning && canWrite && (
              <ButtonLink kind="primary" href={`/practices/${practice}/patients/${data.patient.id}/policies/new`}>
                <Plus aria-hidden className="size-4" /> Add policy
              </ButtonLink>
            )}
          </>
        }
      />
      <div className="mb-4 flex flex-col gap-3 empty:hidden">
        {problem && <Outdated problem={problem} />}
        {versioning !== data.versioning && <SwitchedMeanwhile enabled={data.versioning} />}
      </div>
      {versioning ? <PoliciesInterface {...view} timeline={timeline} /> : <LegacyInterface {...view} />}
    </>
  );
}

function nameOf({ first_name, middle_name, last_name }: Page["patient"]): string {
  return [first_name, middle_name, last_name].filter(Boolean).join(" ");
}

function Identity({ patient }: { patient: Page["patient"] }) {
  const { id, external_id, dob, sex } = patient;
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
      <span>
        Born <Day value={dob} />
      </span>
      <span>{sex}</span>
      <span className="inline-flex items-center gap-1">
        Patient <Copyable value={String(id)} label="patient ID" className="text-ink" />
      </span>
      {external_id !== null && (
        <span className="inline-flex items-center gap-1">
          Imported as <Copyable value={String(external_id)} label="imported ID" className="text-ink" />
        </span>
      )}
      <PrintTimestamp />
    </div>
  );
}

/** Says that the other interface came, where nothing was open and it came by itself. */
function useSwitchNotice(versioning: boolean): void {
  const toast = useToasts();
  const before = useRef(versioning);
  useEffect(() => {
    if (before.current === versioning) return;
    before.current = versioning;
    toast.success(
      versioning
        ? "Insurance Versioning was enabled for this practice: you see policies with their history now."
        : "Insurance Versioning was disabled for this practice: you see insurances by priority now.",
    );
  }, [versioning, toast]);
}
