"use client";

import { useEffect, useState } from "react";
import { Dialog } from "@/components/ui/dialog";
import { SignInForm } from "./sign-in-form";
import { onSignInNeeded, resumeCalls } from "./staff-call";

/** Over the page, where the session ended while somebody was at work: the page behind it stays as it is. */
export function SignInAgain({ email }: { email: string }) {
  const [needed, setNeeded] = useState(false);
  useEffect(() => onSignInNeeded(setNeeded), []);
  return (
    <Dialog
      open={needed}
      onClose={() => setNeeded(false)}
      title="Sign in again"
      description="You were signed out. What you were doing goes on where it was; nothing is lost."
    >
      <SignInForm email={email} onDone={resumeCalls} />
    </Dialog>
  );
}
