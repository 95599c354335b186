"use client";

import { SignInForm } from "./sign-in-form";

export function SignInPanel({ to, error }: { to: string; error: string | undefined }) {
  return <SignInForm error={error} onDone={() => window.location.assign(to)} />;
}
