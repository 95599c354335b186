"use client";

import { useQuery } from "@tanstack/react-query";
import { staffCall } from "@/components/session/staff-call";
import { Dialog } from "@/components/ui/dialog";
import { Notice } from "@/components/ui/notice";
import type { RecordPage } from "@/lib/migration/check/record-queries";
import type { FindingView } from "@/lib/migration/check/review-queries";
import { describeCode } from "@/lib/migration/findings/checks";
import { CorrectionForm } from "./correction-form";
import { correctionDialog as text } from "./messages/decisions";
import { lineName } from "./messages/terms";

interface CorrectionDialogProps {
  /** The path of the run in the staff API. */
  runPath: string;
  finding: FindingView;
  onClose: () => void;
  onDone: () => Promise<void>;
}

/** Corrects a finding of the list, with the current values of its record. */
export function CorrectionDialog({ runPath, finding, onClose, onDone }: CorrectionDialogProps) {
  const path = `${runPath}/records/${finding.number}`;
  const { data, error } = useQuery({
    queryKey: [path],
    queryFn: ({ signal }) => staffCall<RecordPage>(path, { signal }),
    staleTime: 0,
  });
  const current = data?.findings.find(({ id }) => id === finding.id);
  return (
    <Dialog
      open
      onClose={onClose}
      title={text.title(describeCode(finding.code).title)}
      description={text.description(finding.name ?? lineName(finding.line), finding.message)}
    >
      {error && (
        <Notice tone="bad" live title={text.failed}>
          {error.message}
        </Notice>
      )}
      {data && !current && <p>{text.resolved}</p>}
      {current && <CorrectionForm runPath={runPath} finding={current} onClose={onClose} onDone={onDone} />}
    </Dialog>
  );
}
