"use client";

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { fieldErrors, toFormError } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import { useIdempotencyKey } from "@/components/session/use-idempotency-key";
import { CheckField } from "@/components/ui/check-field";
import { SelectField, TextField } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import { Notice } from "@/components/ui/notice";
import { PracticeCheckboxes, type PracticeChoice } from "@/components/ui/practice-checkboxes";
import { useToasts } from "@/components/ui/toasts";
import { exportsByDefault } from "@/lib/access/staff/rules";
import type { Member, StaffRole } from "@/lib/access/staff/schema";

const ROLES: Record<StaffRole, string> = {
  admin: "Admin: settings, members, API clients",
  staff: "Staff: changes patients' insurance",
  viewer: "Viewer: reads only",
};

interface FormProps {
  /** null: a new one. */
  member: Member | null;
  practice: number;
  practices: readonly PracticeChoice[];
  onClose: () => void;
  /** With the password where one was made. */
  onSaved: (email: string, password: string | null) => void;
}

/** Adds a member, or changes one. */
export function MemberForm({ member, practice, practices, onClose, onSaved }: FormProps) {
  const toast = useToasts();
  const [name, setName] = useState(member?.name ?? "");
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<StaffRole>(member?.role ?? "staff");
  const [canExport, setCanExport] = useState(member?.can_export ?? exportsByDefault(role));
  const [chosen, setChosen] = useState<number[]>(member?.practices ?? [practice]);
  const [isTyped, setTyped] = useState(false);
  const [password, setPassword] = useState("");
  const path = `practices/${practice}/members`;
  const nextKey = useIdempotencyKey();
  const save = useMutation({
    mutationFn: async (key: string) => {
      const shared = { name, role, can_export: canExport, practices: chosen };
      if (member) {
        await staffCall(`${path}/${member.id}`, { method: "PATCH", body: shared, ifMatch: member.version });
        return null;
      }
      const body = { ...shared, email, ...(isTyped ? { password } : {}) };
      return (await staffCall<{ password: string | null }>(path, { method: "POST", body, key })).password;
    },
    onSuccess: (made) => {
      onSaved(email, made);
      if (!made) onClose();
      toast.success(member ? `${name} was changed.` : `${name} was added.`);
    },
  });
  const fields = fieldErrors(save.error);
  const isWhole = !member?.elsewhere;
  return (
    <FormDialog
      onClose={onClose}
      title={member ? `Change ${member.name}` : "Add member"}
      submitLabel={member ? "Save member" : "Add member"}
      busy={save.isPending}
      error={Object.keys(fields).length === 0 && toFormError(save.error, "Nothing was saved")}
      onSubmit={() => save.mutate(nextKey(save.error))}
    >
      {!isWhole && (
        <Notice title="Name and role can't be changed here">
          {member?.name} also belongs to practices that are not yours, and has the same role in all of them.
        </Notice>
      )}
      <TextField
        label="Name"
        required
        maxLength={200}
        disabled={!isWhole}
        error={fields.name?.[0]}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      {!member && (
        <TextField
          label="E-mail address"
          type="email"
          required
          maxLength={254}
          help="They sign in with it."
          error={fields.email?.[0]}
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
      )}
      <SelectField
        label="Role"
        required
        disabled={!isWhole}
        help="The same in all of their practices; it holds from their next call on."
        value={role}
        onChange={(event) => {
          const chosenRole = event.target.value as StaffRole;
          setRole(chosenRole);
          setCanExport(exportsByDefault(chosenRole));
        }}
      >
        {Object.entries(ROLES).map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </SelectField>
      <CheckField
        label="May export data"
        help="Download patients, findings and reports as files. Admins always can."
        checked={canExport || role === "admin"}
        disabled={!isWhole || role === "admin"}
        onChange={(event) => setCanExport(event.target.checked)}
      />
      <PracticeCheckboxes
        practices={practices}
        current={practice}
        value={chosen}
        onChange={setChosen}
        error={fields.practices?.[0]}
      />
      {!member && (
        <CheckField
          label="Type the first password"
          help="Otherwise one is made and shown once."
          checked={isTyped}
          onChange={(event) => setTyped(event.target.checked)}
        />
      )}
      {!member && isTyped && (
        <TextField
          label="Password"
          type="password"
          autoComplete="new-password"
          required
          minLength={12}
          maxLength={200}
          help="At least 12 characters."
          error={fields.password?.[0]}
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
      )}
    </FormDialog>
  );
}
