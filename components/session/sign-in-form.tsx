"use client";

import { type FormEvent, useState } from "react";
import { Button } from "@/components/ui/button";
import { SelectField, TextField } from "@/components/ui/field";
import { Notice } from "@/components/ui/notice";
import { useReady } from "@/components/ui/use-ready";
import { CHOOSE_ORGANIZATION } from "@/lib/access/staff/roles";
import { signInErrors, signInForm as text } from "./messages";
import { type SignInError, signIn } from "./sign-in";

const MESSAGES: Record<string, string> = {
  throttled: signInErrors.throttled,
  busy: signInErrors.busy,
  unavailable: signInErrors.unavailable,
  offline: signInErrors.offline,
  CredentialsSignin: signInErrors.incorrect,
  unknown: signInErrors.unknown,
};

function messageFor({ code, waitSeconds }: SignInError): string {
  if (code === "throttled" && waitSeconds !== null) {
    return signInErrors.throttledFor(formatWait(waitSeconds));
  }
  return MESSAGES[code] ?? signInErrors.other;
}

/** Formats a wait, rounded up: `15 minutes`. */
function formatWait(seconds: number): string {
  const [count, unit] = seconds < 60 ? [seconds, "second"] : [Math.ceil(seconds / 60), "minute"];
  return new Intl.NumberFormat("en-US", { style: "unit", unit, unitDisplay: "long" }).format(count);
}

interface Organization {
  id: number;
  name: string;
}

/** Reads the organizations to choose from, if the user has an account in several. */
function readOrganizations(code: string): Organization[] | null {
  return code.startsWith(CHOOSE_ORGANIZATION) ? JSON.parse(code.slice(CHOOSE_ORGANIZATION.length)) : null;
}

interface SignInFormProps {
  onDone: () => void;
  /** The user who signs in again. The address can't be changed then. */
  email?: string;
  /** The error code of an earlier attempt, from next-auth. */
  error?: string | undefined;
}

/** Signs in with email address and password. */
export function SignInForm({ onDone, email, error }: SignInFormProps) {
  const [message, setMessage] = useState(error ? messageFor({ code: error, waitSeconds: null }) : null);
  const [organizations, setOrganizations] = useState<readonly Organization[]>([]);
  const [busy, setBusy] = useState(false);
  const isReady = useReady();
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setBusy(true);
    const failure = await signIn({
      email: String(form.get("email")),
      password: String(form.get("password")),
      organization: String(form.get("organization") ?? ""),
    });
    setBusy(false);
    if (failure === null) return onDone();
    const choices = readOrganizations(failure.code);
    setOrganizations(choices ?? []);
    setMessage(choices ? null : messageFor(failure));
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-3" method="post">
      {message && (
        <Notice tone="bad" live>
          {message}
        </Notice>
      )}
      <TextField
        label={text.email}
        name="email"
        type="email"
        autoComplete="username"
        required={!email}
        maxLength={254}
        defaultValue={email}
        readOnly={Boolean(email)}
      />
      <TextField
        label={text.password}
        name="password"
        type="password"
        autoComplete="current-password"
        required
        maxLength={200}
      />
      {organizations.length > 0 && (
        <SelectField label={text.organization} name="organization" required help={text.organizationHelp}>
          {organizations.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
      )}
      <Button type="submit" kind="primary" busy={busy} disabled={!isReady} className="mt-1">
        {text.submit}
      </Button>
    </form>
  );
}
