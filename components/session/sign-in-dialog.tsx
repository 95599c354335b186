"use client";

import { Dialog } from "@/components/ui/dialog";
import { SignInForm } from "./sign-in-form";
import { resumeCalls } from "./staff-call";

/** Over the page, where the session ended while somebody was at work: the page behind it stays as it is. */
export function SignInDialog({ email, onClose }: { email: string; onClose: () => void }) {
  return (
    <Dialog
      open
      onClose={onClose}
      title="Sign in again"
      description="You were signed out. What you were doing goes on where it was; nothing is lost."
    >
      <SignInForm email={email} onDone={resumeCalls} />
    </Dialog>
  );
}
