"use client";

import { type FormEvent, useState } from "react";
import { Button } from "@/components/ui/button";
import { SelectField, TextField } from "@/components/ui/field";
import { Notice } from "@/components/ui/notice";
import { useReady } from "@/components/ui/use-ready";
import { CHOOSE_ORGANIZATION } from "@/lib/access/staff/schema";

const PROBLEMS: Record<string, string> = {
  throttled: "Too many wrong passwords. Wait an hour, or sign in from a browser you have signed in from before.",
  busy: "Too many people are signing in right now. Your password was not checked. Try again in a few seconds.",
  unavailable:
    "Signing in is not possible at the moment. Nothing was wrong with what you typed; try again in a minute.",
  offline: "The server can't be reached. Check the connection and try again.",
  CredentialsSignin: "This e-mail address and password don't go together.",
  unknown: "Nobody here has the e-mail address your organization gave. Ask an administrator for an account.",
};

const problemOf = ({ code, waitSeconds }: Refusal) =>
  code === "throttled" && waitSeconds !== null
    ? `Too many wrong passwords. Try again in ${inWords(waitSeconds)}, or sign in from a browser you have signed in from before.`
    : (PROBLEMS[code] ?? "Signing in did not work. Try again.");

/** A time to wait, rounded up. */
function inWords(seconds: number): string {
  const [count, unit] = seconds < 60 ? [seconds, "second"] : [Math.ceil(seconds / 60), "minute"];
  return new Intl.NumberFormat("en-US", { style: "unit", unit, unitDisplay: "long" }).format(count);
}

interface Refusal {
  /** next-auth's word for what went wrong, or ours. */
  code: string;
  /** When to try again, where the server said so. */
  waitSeconds: number | null;
}

interface SignInFormProps {
  /** Called once signed in. */
  onDone: () => void;
  /** Fixed where somebody signs in again. */
  email?: string;
  /** An error from before: next-auth's word for it. */
  error?: string | undefined;
}

/** E-mail address and password. What was typed stays after an error. */
export function SignInForm({ onDone, email, error }: SignInFormProps) {
  const [problem, setProblem] = useState(error ? problemOf({ code: error, waitSeconds: null }) : null);
  const [choice, setChoice] = useState<readonly Organization[]>([]);
  const [busy, setBusy] = useState(false);
  const isReady = useReady();
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setBusy(true);
    const refusal = await signIn({
      email: String(form.get("email")),
      password: String(form.get("password")),
      organization: String(form.get("organization") ?? ""),
    });
    setBusy(false);
    if (refusal === null) return onDone();
    const organizations = readChoice(refusal.code);
    setChoice(organizations ?? []);
    setProblem(organizations ? null : problemOf(refusal));
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-3" method="post">
      {problem && (
        <Notice tone="bad" live>
          {problem}
        </Notice>
      )}
      <TextField
        label="E-mail address"
        name="email"
        type="email"
        autoComplete="username"
        required
        maxLength={254}
        {...(email ? { defaultValue: email, readOnly: true } : {})}
      />
      <TextField
        label="Password"
        name="password"
        type="password"
        autoComplete="current-password"
        required
        maxLength={200}
      />
      {choice.length > 0 && (
        <SelectField
          label="Organization"
          name="organization"
          required
          help="You have an account in several organizations. Choose the one to sign in to."
        >
          {choice.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
      )}
      <Button type="submit" kind="primary" busy={busy} disabled={!isReady} className="mt-1">
        Sign in
      </Button>
    </form>
  );
}

interface Organization {
  id: number;
  name: string;
}

/** The organizations to choose from, where the answer asks for one. */
function readChoice(code: string): Organization[] | null {
  return code.startsWith(CHOOSE_ORGANIZATION) ? JSON.parse(code.slice(CHOOSE_ORGANIZATION.length)) : null;
}

/** @returns null once signed in */
async function signIn(given: { email: string; password: string; organization: string }): Promise<Refusal | null> {
  try {
    const first = await fetch("/api/auth/csrf");
    if (first.status === 429) return { code: "busy", waitSeconds: null };
    const { csrfToken } = await first.json();
    const body = new URLSearchParams({ ...given, csrfToken, json: "true", callbackUrl: window.location.href });
    const response = await fetch("/api/auth/callback/credentials", { method: "POST", body });
    const { url } = await response.json();
    if (response.ok) return null;
    const error = url ? new URL(url, window.location.href).searchParams.get("error") : null;
    const waitSeconds = Number(response.headers.get("retry-after")) || null;
    return { code: error ?? (response.status === 429 ? "busy" : "refused"), waitSeconds };
  } catch {
    return { code: "offline", waitSeconds: null };
  }
}
