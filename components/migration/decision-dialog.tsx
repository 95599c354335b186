"use client";

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { fieldErrors, toFormError } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import { SelectField, TextAreaField, TextField } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import { pluralize } from "@/components/ui/format";
import { useToasts } from "@/components/ui/toasts";

export type DecisionKind = "accept" | "skip" | "reopen" | "assign";

interface DecisionDialogProps {
  /** Of the call. */
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
      "The conversion reads the records as the fixes make them. The export stays as it is. It can be taken back until then.",
    note: "Findings without a proposed fix are passed over, and so are records that are converted.",
    act: "Accept fixes of",
    done: "fixed",
  },
  skip: {
    title: "Leave out, with a reason",
    description:
      "A record with an error that is left out is not converted. If the error is in a past insurance, only that insurance is left out and the patient is converted. A warning that is left out is settled. It can be taken back.",
    note: "Records that are converted are passed over.",
    act: "Leave out",
    done: "left out",
  },
  reopen: {
    title: "Take decisions back",
    description: "The findings are open again, as the check found them.",
    note: "Records that are converted are passed over.",
    act: "Take back",
    done: "open again",
  },
  assign: {
    title: "Assign findings",
    description: "Who sees to them, until when, and what they should know. What you leave empty stays as it is.",
    note: "",
    act: "Assign",
    done: "assigned",
  },
};

/** Decides on findings: those that are ticked, or all that fit; their records are checked again at once. */
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
    mutationFn: () =>
      staffCall<{ decided: number; passed_over: number; new_errors?: number }>(path, {
        method: "POST",
        body: { findings, decision },
      }),
    onSuccess: async ({ decided, passed_over, new_errors: found = 0 }) => {
      const others =
        passed_over > 0
          ? ` ${pluralize(passed_over, "other")} could not be: no fix, decided already, or converted.`
          : "";
      const errors = found > 0 ? ` That brought up ${pluralize(found, "new error")} to decide on.` : "";
      toast.success(`${pluralize(decided, "finding")} ${done}.${others}${errors}`);
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
      error={toFormError(decide.error, "Nothing was decided")}
      onSubmit={() => decide.mutate()}
    >
      {about && <p>{about}</p>}
      {wrong.filter && <p className="text-bad">{wrong.filter[0]}</p>}
      {kind === "skip" && (
        <TextField
          label="Reason"
          required
          help="It stands in the report beside each record."
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
            <option value="">As it is</option>
            <option value="0">Nobody</option>
            {colleagues.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </SelectField>
          <TextField
            label="Due"
            type="date"
            className="max-w-52"
            value={due}
            onChange={(event) => setDue(event.target.value)}
          />
          <TextAreaField label="Note" maxLength={2000} value={note} onChange={(event) => setNote(event.target.value)} />
        </>
      )}
    </FormDialog>
  );
}
