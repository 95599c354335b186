"use client";

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { fieldsOf, staffCall } from "@/components/session/staff-call";
import { PracticeBoxes, type PracticeChoice } from "@/components/settings/practice-boxes";
import { CheckField, TextField } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import { useToasts } from "@/components/ui/toasts";
import type { NewSecret } from "@/lib/oauth/client-commands";
import type { ClientView } from "@/lib/practices/client-use-queries";
import { ScopePicker } from "./scope-picker";

interface FormProps {
  /** null: a new one. */
  client: ClientView | null;
  practice: number;
  practices: readonly PracticeChoice[];
  onClose: () => void;
  /** With the secret of a new client. */
  onSaved: (secret: NewSecret | null) => void;
}

/** Registers an API client, or changes one: its name, practices and scopes. */
export function ClientForm({ client, practice, practices, onClose, onSaved }: FormProps) {
  const { done } = useToasts();
  const [name, setName] = useState(client?.name ?? "");
  const [chosen, setChosen] = useState<number[]>(client?.practices ?? [practice]);
  const [isLimited, setLimited] = useState((client?.allowed_scopes.length ?? 0) > 0);
  const [scopes, setScopes] = useState<readonly string[]>(client?.allowed_scopes ?? []);
  const [isScoped, setScoped] = useState(client?.scoped_tokens ?? false);
  const path = `practices/${practice}/clients`;
  const save = useMutation({
    mutationFn: async () => {
      const body = {
        name,
        practices: chosen,
        // Single scopes are for clients of the closed beta alone.
        scoped_tokens: isLimited || isScoped,
        allowed_scopes: isLimited ? scopes : [],
      };
      if (!client) return staffCall<NewSecret>(path, { method: "POST", body });
      await staffCall(`${path}/${client.id}`, { method: "PATCH", body, ifMatch: client.version });
      return null;
    },
    onSuccess: (secret) => {
      onSaved(secret);
      done(client ? `${name} was changed.` : `${name} was registered.`);
    },
  });
  const fields = fieldsOf(save.error);
  const isShownAtField = Object.keys(fields).some((field) => field !== "allowed_scopes");
  return (
    <FormDialog
      wide
      onClose={onClose}
      title={client ? `Change ${client.name}` : "Register API client"}
      act={client ? "Save client" : "Register client"}
      busy={save.isPending}
      disabled={isLimited && scopes.length === 0}
      failure={
        save.error &&
        !isShownAtField && { title: "Nothing was saved", why: fields.allowed_scopes?.[0] ?? save.error.message }
      }
      onSubmit={() => save.mutate()}
    >
      <TextField
        label="Name"
        required
        maxLength={200}
        className="max-w-md"
        help="Stands beside everything it does, in histories and the audit."
        error={fields.name?.[0]}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <PracticeBoxes
        practices={practices}
        here={practice}
        value={chosen}
        onChange={setChosen}
        error={fields.practices?.[0]}
      />
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1 font-medium">Scopes</legend>
        <Choice
          label="Everything (apiv2)"
          help="Every resource of the API. Needed to subscribe to events."
          checked={!isLimited}
          onChange={() => setLimited(false)}
        />
        <Choice
          label="Only chosen scopes"
          help="Its token requests must name scopes from those chosen here. It can't subscribe to events."
          checked={isLimited}
          onChange={() => setLimited(true)}
        />
      </fieldset>
      {isLimited ? (
        <ScopePicker value={scopes} onChange={setScopes} />
      ) : (
        <CheckField
          label="May ask for tokens with fewer scopes"
          help="Token scopes are a closed beta: without this, each of its tokens can do everything."
          checked={isScoped}
          onChange={(event) => setScoped(event.target.checked)}
        />
      )}
      {client && (
        <p className="text-soft">
          Tokens it holds keep their scopes until they expire; practices taken away are out of reach within seconds.
        </p>
      )}
    </FormDialog>
  );
}

function Choice(props: { label: string; help: string; checked: boolean; onChange: () => void }) {
  return (
    <label className="flex items-start gap-2">
      <input
        type="radio"
        name="scopes"
        checked={props.checked}
        onChange={props.onChange}
        className="accent-accent mt-0.5 size-4 shrink-0"
      />
      <span>
        {props.label}
        <span className="text-soft block text-sm">{props.help}</span>
      </span>
    </label>
  );
}
