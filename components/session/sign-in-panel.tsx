"use client";

import { signInForm as text } from "./messages";
import { SignInForm } from "./sign-in-form";

interface SignInPanelProps {
  /** The page to open after signing in. */
  to: string;
  error: string | undefined;
}

export function SignInPanel({ to, error }: SignInPanelProps) {
  return (
    <>
      <SignInForm error={error} onDone={() => window.location.assign(to)} />
      <p className="text-soft mt-3 text-sm">{text.forgotten}</p>
    </>
  );
}
