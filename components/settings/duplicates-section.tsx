"use client";

import { useMutation } from "@tanstack/react-query";
import { CallError, toFormError } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { Section } from "@/components/ui/section";
import { Status } from "@/components/ui/status";
import { useToasts } from "@/components/ui/toasts";
import type { SettingsPage } from "@/lib/practice/practices/staff-queries";
import { duplicates as text } from "./messages/duplicates";
import type { SectionProps } from "./practice-settings";
import { SettingHistory } from "./setting-history";

/** Shows whether the API rejects duplicate patients, a button that changes it, and its change history. */
export function DuplicatesSection({ practice, page, onChanged, onStale }: SectionProps) {
  const toast = useToasts();
  const rejected = page.settings.rejects_duplicate_patients;
  const change = useMutation({
    mutationFn: () =>
      staffCall<SettingsPage>(`practices/${practice}/settings/duplicates`, {
        method: "PUT",
        body: { rejected: !rejected },
        ifMatch: page.settings.version,
      }),
    onSuccess: (next) => {
      onChanged(next);
      toast.success(text.done(next.settings.rejects_duplicate_patients));
    },
    onError: (error) => error instanceof CallError && error.status === 412 && onStale(),
  });
  const failure = toFormError(change.error, text.failed);
  const isStale = change.error instanceof CallError && change.error.status === 412;
  return (
    <Section title={text.title} lead={text.lead}>
      <div className="border-line bg-raised flex flex-col items-start gap-4 rounded-md border px-4 py-4">
        <div>
          <Status kind={rejected ? "active" : "archived"}>{rejected ? text.rejected : text.allowed}</Status>
          <p className="mt-1 max-w-2xl" role="status">
            {rejected ? text.stateRejected : text.stateAllowed}
          </p>
        </div>
        {failure && (
          <Notice tone="bad" live title={failure.title}>
            {isStale ? text.conflict : failure.message}
          </Notice>
        )}
        <Button type="button" busy={change.isPending} onClick={() => change.mutate()}>
          {rejected ? text.allow : text.reject}
        </Button>
      </div>
      <SettingHistory
        label={text.historyLabel}
        fields={["rejects_duplicate_patients"]}
        changes={page.changes}
        describe={({ changes }) => text.changed(Boolean(changes.rejects_duplicate_patients?.new))}
      />
    </Section>
  );
}
