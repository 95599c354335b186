"use client";

import { useEffect } from "react";
import { buttonClass } from "@/components/ui/button-class";
import { Dialog } from "@/components/ui/dialog";
import { resumeCalls } from "./session-wait";
import { SignInForm } from "./sign-in-form";
import { staffCall } from "./staff-call";

interface SignInDialogProps {
  email: string;
  openId?: string | undefined;
  onClose: () => void;
}

/** Over the page, where the session ended while somebody was at work: the page behind it stays as it is. */
export function SignInDialog({ email, openId, onClose }: SignInDialogProps) {
  useSignInElsewhere();
  return (
    <Dialog
      open
      onClose={onClose}
      title="Sign in again"
      description="You were signed out. What you were doing goes on where it was; nothing is lost."
    >
      <SignInForm email={email} onDone={resumeCalls} />
      {openId && (
        <div className="mt-3 flex flex-col gap-1">
          <a href="/sign-in" target="_blank" rel="noreferrer" className={buttonClass({})}>
            Continue with {openId}
          </a>
          <p className="text-soft text-sm">In a new tab. Come back here when you are signed in.</p>
        </div>
      )}
    </Dialog>
  );
}

/** Goes on once somebody has signed in in another tab: looks whenever they come back to this one. */
function useSignInElsewhere() {
  useEffect(() => {
    const look = () => {
      if (document.visibilityState !== "visible") return;
      staffCall("home", { background: true }).then(resumeCalls, () => {});
    };
    window.addEventListener("focus", look);
    document.addEventListener("visibilitychange", look);
    return () => {
      window.removeEventListener("focus", look);
      document.removeEventListener("visibilitychange", look);
    };
  }, []);
}
