"use client";

import Link from "next/link";
import { useState } from "react";
import { CallError } from "@/components/session/call-error";
import { Button } from "@/components/ui/button";
import { ButtonLink } from "@/components/ui/button-link";
import { Copyable } from "@/components/ui/copyable";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import { Notice } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { Section } from "@/components/ui/section";
import { Status } from "@/components/ui/status";
import { Day, Time } from "@/components/ui/time";
import { archiveReasonSentence } from "./archive-reasons";
import { CounterDetails } from "./counter-details";
import { type Policy, policyName, rankLabel } from "./fields";
import { pagePath, patientTrail, policiesPath } from "./paths";
import { PolicyDetails } from "./policy-details";
import { PolicyDeleted, VersioningOff } from "./policy-unavailable";
import { type PoliciesData, type PolicyData, usePolicy } from "./use-policy";

// Both load their data in the browser, so rendering them on the server would gain nothing.
const CardImages = lazyWithRetry(async () => (await import("./cards/card-images")).CardImages, Skeleton);
const PolicyHistory = lazyWithRetry(async () => (await import("./history/policy-history")).PolicyHistory, Skeleton);
const ArchiveDialog = lazyWithRetry(async () => (await import("./archive-dialog")).ArchiveDialog);
const RestoreDialog = lazyWithRetry(async () => (await import("./restore-dialog")).RestoreDialog);
const DeleteDialog = lazyWithRetry(async () => (await import("./delete-dialog")).DeleteDialog);

/** Stands in for a section while its code loads. */
function Skeleton() {
  return <div aria-busy className="bg-sunken h-48 animate-pulse rounded-md" />;
}

interface PolicyPageProps {
  practice: number;
  initial: PolicyData;
  role: "admin" | "staff" | "viewer";
}

/** Shows a policy with its card images and history, and archives, restores or deletes it. */
export function PolicyPage({ practice, initial, role }: PolicyPageProps) {
  const path = policiesPath(practice, initial.patient.id, initial.policy.id);
  const { data, error } = usePolicy(path, initial);
  const [open, setOpen] = useState<"archive" | "restore" | "delete" | null>(null);
  const { policy, patient, versioning } = data;
  const canWrite = role !== "viewer";
  const close = () => setOpen(null);
  if (!versioning) return <VersioningOff practice={practice} patient={patient} />;
  if (error instanceof CallError && error.status === 410)
    return <PolicyDeleted practice={practice} patient={patient.id} />;
  const others = data.policies.filter(({ id }) => id !== policy.id);
  return (
    <>
      <PageHeader
        trail={patientTrail(practice, patient)}
        title={policyName(policy)}
        actions={
          canWrite &&
          (policy.status === "active" ? (
            <>
              <Button kind="danger" onClick={() => setOpen("archive")}>
                Archive policy
              </Button>
              <ButtonLink kind="primary" href={pagePath(practice, patient.id, "policies", policy.id, "edit")}>
                Edit policy
              </ButtonLink>
            </>
          ) : (
            <>
              {role === "admin" && (
                <Button kind="danger" onClick={() => setOpen("delete")}>
                  Delete permanently
                </Button>
              )}
              <Button kind="primary" onClick={() => setOpen("restore")}>
                Restore policy
              </Button>
            </>
          ))
        }
      />
      <div className="flex flex-col gap-4">
        <Meta policy={policy} patient={patient} practice={practice} />
        {error && (
          <Notice tone="warning" live title="This policy could not be refreshed">
            What you see may be out of date. {error.message}
          </Notice>
        )}
        {policy.status === "archived" && <Archived policy={policy} />}
        <div className="grid items-start gap-4 min-[1100px]:grid-cols-[minmax(16rem,1fr)_minmax(0,3fr)]">
          <Section compact title="At a glance">
            <div className="border-line bg-raised rounded-md border px-3 pt-0.5 pb-2.5">
              <CounterDetails policy={policy} />
            </div>
          </Section>
          <Section compact title="Card images">
            <CardImages
              practice={practice}
              patient={patient.id}
              policy={policy.id}
              version={policy.version}
              canWrite={canWrite}
            />
          </Section>
        </div>
        <div className="grid items-start gap-4 min-[1280px]:grid-cols-[minmax(0,2fr)_minmax(0,3fr)] print:block">
          <Section compact title="Details">
            <PolicyDetails policy={policy} />
          </Section>
          <Section compact title="History">
            <PolicyHistory
              practice={practice}
              patient={patient.id}
              policy={policy.id}
              currentVersion={policy.version}
            />
          </Section>
        </div>
      </div>
      {open === "archive" && <ArchiveDialog policy={policy} onClose={close} />}
      {open === "restore" && <RestoreDialog policy={policy} others={others} onClose={close} />}
      {open === "delete" && <DeleteDialog policy={policy} onClose={close} />}
    </>
  );
}

function Meta({ policy, patient, practice }: { policy: Policy; patient: PoliciesData["patient"]; practice: number }) {
  return (
    <div className="text-soft -mt-1 flex sm:-mt-3.5 flex-wrap items-center gap-x-4 gap-y-1">
      <Status kind={policy.status}>{policy.status === "active" ? "Active" : "Archived"}</Status>
      <span className="text-ink font-medium">
        {policy.status === "active" ? rankLabel(policy.rank) : `Was ${rankLabel(policy.rank).toLowerCase()}`}
      </span>
      <span>
        <Link
          href={pagePath(practice, patient.id)}
          className="text-accent inline-flex min-h-6 min-w-6 items-center hover:underline"
        >
          {patient.first_name} {patient.last_name}
        </Link>
        , born <Day value={patient.dob} />
      </span>
      <span>
        Version {policy.version}, changed <Time value={policy.modified_date} />
      </span>
      <span className="inline-flex items-center gap-1">
        Policy <Copyable value={String(policy.id)} label="policy ID" />
      </span>
    </div>
  );
}

function Archived({ policy }: { policy: Policy }) {
  const { archived_date: time, archive_reason: reason } = policy;
  return (
    <Notice title={<>Archived {time && <Time value={time} />}</>}>
      {reason && `${archiveReasonSentence(reason)}.`} Archived policies are read-only. Restore this policy to edit it.
    </Notice>
  );
}
