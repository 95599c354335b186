"use client";

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { fieldErrors, toFormError } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import { DateField } from "@/components/ui/date-field";
import { SelectField, TextAreaField, TextField } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import { useToasts } from "@/components/ui/toasts";
import { type DecisionResult, decisionDialog, decisionText, decisionFields as text } from "./messages/decisions";

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

/** Decides on the selected findings, or on all that match a filter. Their records are checked again. */
export function DecisionDialog(props: DecisionDialogProps) {
  const { path, kind, findings, count, colleagues, onClose, onDone } = props;
  const toast = useToasts();
  const [reason, setReason] = useState("");
  const [owner, setOwner] = useState("");
  const [due, setDue] = useState("");
  const [note, setNote] = useState("");
  const { title, description, note: about, submit } = decisionDialog[kind];
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
      toast.success(decisionText(result, kind));
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
      submitLabel={submit(count)}
      busy={decide.isPending}
      disabled={isEmpty || count === 0}
      error={toFormError(decide.error, text.failed)}
      onSubmit={() => decide.mutate()}
    >
      {about && <p>{about}</p>}
      {wrong.filter && <p className="text-bad">{wrong.filter[0]}</p>}
      {kind === "skip" && (
        <TextField
          label={text.reason}
          required
          help={text.reasonHelp}
          maxLength={500}
          value={reason}
          error={wrong["decision.reason"]?.[0] ?? wrong.reason?.[0]}
          onChange={(event) => setReason(event.target.value)}
        />
      )}
      {kind === "assign" && (
        <>
          <SelectField
            label={text.owner}
            value={owner}
            error={wrong.owner_id?.[0]}
            onChange={(event) => setOwner(event.target.value)}
          >
            <option value="">{text.unchanged}</option>
            <option value="0">{text.noOwner}</option>
            {colleagues.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </SelectField>
          <DateField label={text.due} className="max-w-52" value={due} onChange={setDue} />
          <TextAreaField
            label={text.note}
            maxLength={2000}
            value={note}
            onChange={(event) => setNote(event.target.value)}
          />
        </>
      )}
    </FormDialog>
  );
}
