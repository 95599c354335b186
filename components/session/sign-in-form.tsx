"use client";

import { type FormEvent, useState } from "react";
import { Button } from "@/components/ui/button";
import { TextField } from "@/components/ui/field";
import { Notice } from "@/components/ui/status";
import { useReady } from "@/components/ui/use-ready";

const PROBLEMS: Record<string, string> = {
  throttled: "Too many wrong passwords for this account. Wait 15 minutes, or ask an administrator.",
  unavailable:
    "Signing in is not possible at the moment. Nothing was wrong with what you typed; try again in a minute.",
  offline: "The server can't be reached. Check the connection and try again.",
  CredentialsSignin: "This e-mail address and password don't go together.",
  unknown: "Nobody here has the e-mail address your organization gave. Ask an administrator for an account.",
};

const problemOf = (code: string) => PROBLEMS[code] ?? "Signing in did not work. Try again.";

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
  const [problem, setProblem] = useState(error ? problemOf(error) : null);
  const [busy, setBusy] = useState(false);
  const isReady = useReady();
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setBusy(true);
    const code = await signIn(String(form.get("email")), String(form.get("password")));
    setBusy(false);
    if (code === null) onDone();
    else setProblem(problemOf(code));
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
      <Button type="submit" kind="primary" busy={busy} disabled={!isReady} className="mt-1">
        Sign in
      </Button>
    </form>
  );
}

/** @returns null, or next-auth's word for what went wrong */
async function signIn(email: string, password: string): Promise<string | null> {
  try {
    const { csrfToken } = await (await fetch("/api/auth/csrf")).json();
    const body = new URLSearchParams({ email, password, csrfToken, json: "true", callbackUrl: window.location.href });
    const response = await fetch("/api/auth/callback/credentials", { method: "POST", body });
    const { url } = await response.json();
    const error = url ? new URL(url, window.location.href).searchParams.get("error") : null;
    return response.ok ? null : (error ?? "refused");
  } catch {
    return "offline";
  }
}
