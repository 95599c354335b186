"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { CallError } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import { ReasonField, TextAreaField } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import { MAX_NOTE_LENGTH } from "@/lib/insurance/notes/limits";
import type { ShownNote } from "@/lib/insurance/notes/queries";
import { type PolicyRef, policiesPath } from "../policies/paths";
import { noteDialog as text } from "./messages/dialog";

export type NoteAction = { kind: "add" } | { kind: "edit" | "delete"; note: ShownNote };

interface NoteDialogProps {
  policy: PolicyRef;
  action: NoteAction;
  onClose: () => void;
}

/** Adds, edits or deletes a note. */
export function NoteDialog({ policy, action, onClose }: NoteDialogProps) {
  const note = action.kind === "add" ? null : action.note;
  const [value, setValue] = useState(note?.text ?? "");
  const [reason, setReason] = useState("");
  const client = useQueryClient();
  const path = `${policiesPath(policy.practice, policy.patient, policy.policy)}/notes`;
  const save = useMutation<unknown, Error>({
    mutationFn: () => {
      const body = action.kind === "delete" ? undefined : { text: value.trim() };
      const method = action.kind === "add" ? "POST" : action.kind === "edit" ? "PUT" : "DELETE";
      return staffCall(note ? `${path}/${note.id}` : path, {
        method,
        ...(body && { body }),
        ifMatch: note?.version,
        reason: reason.trim(),
      });
    },
    networkMode: "always",
    onSuccess: () => {
      void client.invalidateQueries();
      onClose();
    },
  });
  const length = [...value.trim()].length;
  const isTooLong = length > MAX_NOTE_LENGTH;
  const isOutdated = save.error instanceof CallError && [404, 412].includes(save.error.status);
  return (
    <FormDialog
      onClose={onClose}
      title={{ add: text.addTitle, edit: text.editTitle, delete: text.deleteTitle }[action.kind]}
      description={action.kind === "delete" ? text.deleteDescription : undefined}
      submitLabel={{ add: text.add, edit: text.save, delete: text.delete }[action.kind]}
      danger={action.kind === "delete"}
      busy={save.isPending}
      disabled={action.kind !== "delete" && (length === 0 || isTooLong)}
      error={save.error && { title: text.failedTitle, message: isOutdated ? text.conflict : save.error.message }}
      onSubmit={() => save.mutate()}
    >
      {action.kind === "delete" ? (
        <p className="wrap-anywhere whitespace-pre-wrap">{value}</p>
      ) : (
        <TextAreaField
          label={text.label}
          help={text.help(MAX_NOTE_LENGTH)}
          error={isTooLong ? text.tooLong(MAX_NOTE_LENGTH) : undefined}
          required
          rows={4}
          value={value}
          onChange={(event) => setValue(event.target.value)}
        />
      )}
      {action.kind !== "add" && <ReasonField value={reason} onChange={setReason} />}
    </FormDialog>
  );
}
