"use client";

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { fieldErrors, toFormError } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import { DateField } from "@/components/ui/date-field";
import { SelectField, TextAreaField, TextField } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import { pluralize } from "@/components/ui/format";
import { useToasts } from "@/components/ui/toasts";
import { type DecisionResult, decisionText } from "./run-messages";

export type DecisionKind = "accept" | "skip" | "reopen" | "assign";

interface DecisionDialogProps {
  /** The path of the decisions in the staff API. */
  path: string;
  kind: DecisionKind;
  findings: { ids: readonly number[] } | { filter: Record<string, unknown> };
  count: number;
  colleagues: readonly { id: number; name: string }[];
  onClose: () => void;
  onDone: () => Promise<void>;
}

const WORDS: Record<DecisionKind, { title: string; description: string; note: string; act: string; done: string }> = {
  accept: {
    title: "Accept proposed fixes",
    description:
      "The conversion applies these fixes. The export itself is not changed. You can reopen the findings until then.",
    note: "Findings without a proposed fix and records that are already converted are not affected.",
    act: "Accept fixes of",
    done: "fixed",
  },
  skip: {
    title: "Skip findings",
    description:
      "A record is not converted if you skip one of its errors. If the error is in a past insurance, only that insurance is skipped. A skipped warning counts as settled. You can reopen the findings until the conversion.",
    note: "Records that are already converted are not affected.",
    act: "Skip",
    done: "skipped",
  },
  reopen: {
    title: "Reopen findings",
    description: "Undoes the decisions. The findings are open again.",
    note: "Records that are already converted are not affected.",
    act: "Reopen",
    done: "reopened",
  },
  assign: {
    title: "Assign findings",
    description: "Set an owner, a due date and a note. Fields you leave blank stay unchanged.",
    note: "",
    act: "Assign",
    done: "assigned",
  },
};

/** Decides on the selected findings, or on all that match a filter. Their records are checked again. */
export function DecisionDialog(props: DecisionDialogProps) {
  const { path, kind, findings, count, colleagues, onClose, onDone } = props;
  const toast = useToasts();
  const [reason, setReason] = useState("");
  const [owner, setOwner] = useState("");
  const [due, setDue] = useState("");
  const [note, setNote] = useState("");
  const { title, description, note: about, act, done } = WORDS[kind];
  const assigned = {
    ...(owner === "" ? {} : { owner_id: owner === "0" ? null : Number(owner) }),
    ...(due === "" ? {} : { due_date: due }),
    ...(note.trim() === "" ? {} : { note: note.trim() }),
  };
  const decision = {
    decide: kind,
    ...(kind === "skip" ? { reason: reason.trim() } : {}),
    ...(kind === "assign" ? assigned : {}),
  };
  const decide = useMutation({
    mutationFn: () => staffCall<DecisionResult>(path, { method: "POST", body: { findings, decision } }),
    onSuccess: async (result) => {
      toast.success(decisionText(result, done));
      await onDone();
    },
  });
  const isEmpty =
    (kind === "skip" && reason.trim() === "") || (kind === "assign" && Object.keys(assigned).length === 0);
  const wrong = fieldErrors(decide.error);
  return (
    <FormDialog
      onClose={onClose}
      title={title}
      description={description}
      submitLabel={`${act} ${pluralize(count, "finding")}`}
      busy={decide.isPending}
      disabled={isEmpty || count === 0}
      error={toFormError(decide.error, "No decision was saved")}
      onSubmit={() => decide.mutate()}
    >
      {about && <p>{about}</p>}
      {wrong.filter && <p className="text-bad">{wrong.filter[0]}</p>}
      {kind === "skip" && (
        <TextField
          label="Reason"
          required
          help="Shown next to each record in the report."
          maxLength={500}
          value={reason}
          error={wrong["decision.reason"]?.[0] ?? wrong.reason?.[0]}
          onChange={(event) => setReason(event.target.value)}
        />
      )}
      {kind === "assign" && (
        <>
          <SelectField
            label="Owner"
            value={owner}
            error={wrong.owner_id?.[0]}
            onChange={(event) => setOwner(event.target.value)}
          >
            <option value="">Unchanged</option>
            <option value="0">No owner</option>
            {colleagues.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </SelectField>
          <DateField label="Due date" className="max-w-52" value={due} onChange={setDue} />
          <TextAreaField label="Note" maxLength={2000} value={note} onChange={(event) => setNote(event.target.value)} />
        </>
      )}
    </FormDialog>
  );
}
