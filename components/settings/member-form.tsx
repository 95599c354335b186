"use client";

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { fieldErrors, toFormError } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import { useIdempotencyKey } from "@/components/session/use-idempotency-key";
import { CheckField } from "@/components/ui/check-field";
import { TextField } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import { Notice } from "@/components/ui/notice";
import { PracticeCheckboxes, type PracticeChoice } from "@/components/ui/practice-checkboxes";
import { useToasts } from "@/components/ui/toasts";
import { exportsByDefault, type StaffRole } from "@/lib/access/staff/roles";
import type { Member } from "@/lib/access/staff/schema";
import { memberForm as text } from "./messages/members";
import { RoleFields } from "./role-fields";

interface FormProps {
  /** null to add a new member. */
  member: Member | null;
  practice: number;
  practices: readonly PracticeChoice[];
  onClose: () => void;
  /** Called with the password if one was generated. */
  onSaved: (email: string, password: string | null) => void;
}

/** Adds a member, or changes their name, role and practices. */
export function MemberForm({ member, practice, practices, onClose, onSaved }: FormProps) {
  const toast = useToasts();
  const [name, setName] = useState(member?.name ?? "");
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<StaffRole>(member?.role ?? "staff");
  const [canExport, setCanExport] = useState(member?.can_export ?? exportsByDefault(role));
  const [getsAlerts, setGetsAlerts] = useState(member?.gets_alerts ?? false);
  const [chosen, setChosen] = useState<number[]>(member?.practices ?? [practice]);
  const [isTyped, setTyped] = useState(false);
  const [password, setPassword] = useState("");
  const path = `practices/${practice}/members`;
  const nextKey = useIdempotencyKey();
  const save = useMutation({
    mutationFn: async (key: string) => {
      const shared = { name, role, can_export: canExport, gets_alerts: getsAlerts, practices: chosen };
      if (member) {
        await staffCall(`${path}/${member.id}`, { method: "PATCH", body: shared, ifMatch: member.version });
        return null;
      }
      const body = { ...shared, email, ...(isTyped ? { password } : {}) };
      return (await staffCall<{ password: string | null }>(path, { method: "POST", body, key })).password;
    },
    onSuccess: (generatedPassword) => {
      onSaved(email, generatedPassword);
      if (!generatedPassword) onClose();
      toast.success(member ? text.saved(name) : text.added(name));
    },
  });
  const fields = fieldErrors(save.error);
  const isManagedHere = !member?.elsewhere;
  return (
    <FormDialog
      onClose={onClose}
      title={member ? text.titleChange(member.name) : text.title}
      submitLabel={member ? text.submitChange : text.submit}
      busy={save.isPending}
      error={Object.keys(fields).length === 0 && toFormError(save.error, text.failed)}
      onSubmit={() => save.mutate(nextKey(save.error))}
    >
      {member && !isManagedHere && <Notice title={text.elsewhere}>{text.elsewhereHelp(member.name)}</Notice>}
      <TextField
        label={text.name}
        required
        maxLength={200}
        disabled={!isManagedHere}
        error={fields.name?.[0]}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      {!member && (
        <TextField
          label={text.email}
          type="email"
          required
          maxLength={254}
          help={text.emailHelp}
          error={fields.email?.[0]}
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
      )}
      <RoleFields
        role={role}
        canExport={canExport}
        disabled={!isManagedHere}
        onChange={(next) => {
          setRole(next.role);
          setCanExport(next.canExport);
        }}
      />
      {role === "admin" && (
        <CheckField
          label={text.alerts}
          help={text.alertsHelp}
          checked={getsAlerts}
          disabled={!isManagedHere}
          onChange={(event) => setGetsAlerts(event.target.checked)}
        />
      )}
      <PracticeCheckboxes
        practices={practices}
        current={practice}
        value={chosen}
        onChange={setChosen}
        error={fields.practices?.[0]}
      />
      {!member && (
        <CheckField
          label={text.setPassword}
          help={text.setPasswordHelp}
          checked={isTyped}
          onChange={(event) => setTyped(event.target.checked)}
        />
      )}
      {!member && isTyped && (
        <TextField
          label={text.password}
          type="password"
          autoComplete="new-password"
          required
          minLength={12}
          maxLength={200}
          help={text.passwordHelp}
          error={fields.password?.[0]}
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
      )}
    </FormDialog>
  );
}
