"use client";

import Link from "next/link";
import { useState } from "react";
import { EligibilityLine } from "@/components/eligibility/eligibility-line";
import { PolicyNotes } from "@/components/policy-notes/policy-notes";
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
import { type Policy, policyName, rankLabel, rankPhrase } from "./fields";
import { patientNames } from "./messages/fields";
import { archivedNotice, policyMeta, policyPage as text } from "./messages/policy-page";
import { pagePath, patientTrail, policiesPath } from "./paths";
import { PolicyDetails } from "./policy-details";
import { PolicyDeleted, VersioningOff } from "./policy-unavailable";
import { TermStatus } from "./term-status";
import { type PolicyData, usePolicy } from "./use-policy";

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
  const ref = { practice, patient: patient.id, policy: policy.id };
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
              <Button kind="danger" className="max-sm:order-1" onClick={() => setOpen("archive")}>
                {text.archive}
              </Button>
              <ButtonLink kind="primary" href={pagePath(practice, patient.id, "policies", policy.id, "edit")}>
                {text.edit}
              </ButtonLink>
            </>
          ) : (
            <>
              {role === "admin" && (
                <Button kind="danger" className="max-sm:order-1" onClick={() => setOpen("delete")}>
                  {text.delete}
                </Button>
              )}
              <Button kind="primary" onClick={() => setOpen("restore")}>
                {text.restore}
              </Button>
            </>
          ))
        }
      />
      <div className="flex flex-col gap-4">
        <Meta data={data} practice={practice} />
        {error && (
          <Notice tone="warning" live title={text.refreshFailed}>
            {text.outdated(error.message)}
          </Notice>
        )}
        {policy.status === "archived" && <Archived policy={policy} />}
        <div className="grid items-start gap-4 min-[1100px]:grid-cols-[minmax(20rem,1fr)_minmax(0,3fr)]">
          <Section compact title={text.atAGlance}>
            <div className="border-line bg-raised rounded-md border px-3 pt-0.5 pb-2.5">
              <CounterDetails policy={policy} />
              <EligibilityLine
                policy={ref}
                name={policyName(policy)}
                copay={policy.copay}
                latest={data.eligibility}
                canVerify={canWrite && policy.status === "active"}
              />
            </div>
          </Section>
          <Section compact title={text.cardImages}>
            <CardImages
              practice={practice}
              patient={patient.id}
              policy={policy.id}
              version={policy.version}
              canWrite={canWrite}
            />
          </Section>
        </div>
        <PolicyNotes policy={ref} notes={data.notes} canWrite={canWrite} />
        <div className="grid items-start gap-4 min-[1280px]:grid-cols-[minmax(0,2fr)_minmax(0,3fr)] print:block">
          <Section compact title={text.details}>
            <PolicyDetails policy={policy} />
          </Section>
          <Section compact title={text.history}>
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

function Meta({ data: { policy, patient, eligibility }, practice }: { data: PolicyData; practice: number }) {
  const name = (
    <Link
      href={pagePath(practice, patient.id)}
      className="text-accent inline-flex min-h-6 min-w-6 items-center hover:underline"
    >
      {patientNames.full(patient.first_name, patient.last_name)}
    </Link>
  );
  return (
    <div className="text-soft -mt-1 flex sm:-mt-3.5 flex-wrap items-center gap-x-4 gap-y-1">
      {policy.status === "active" ? (
        <TermStatus policy={policy} eligibility={eligibility} />
      ) : (
        <Status kind="archived">{policyMeta.archived}</Status>
      )}
      <span className="text-ink font-medium">
        {policy.status === "active" ? rankLabel(policy.rank) : policyMeta.formerRank(rankPhrase(policy.rank))}
      </span>
      <span>{policyMeta.patient(name, <Day value={patient.dob} />)}</span>
      <span>{policyMeta.version(policy.version, <Time value={policy.modified_date} />)}</span>
      <span className="inline-flex items-center gap-1">
        {policyMeta.id(<Copyable value={String(policy.id)} label={policyMeta.copyId} />)}
      </span>
    </div>
  );
}

function Archived({ policy }: { policy: Policy }) {
  const { archived_date: time, archive_reason: reason, rank } = policy;
  return (
    <Notice title={time ? archivedNotice.titleWithTime(<Time value={time} />) : archivedNotice.title}>
      {reason ? archivedNotice.reason(archiveReasonSentence(reason, rank)) : archivedNotice.readOnly}
    </Notice>
  );
}
