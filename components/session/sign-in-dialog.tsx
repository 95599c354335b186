"use client";

import { useEffect } from "react";
import { buttonClass } from "@/components/ui/button-class";
import { Dialog } from "@/components/ui/dialog";
import { signInForm, signInDialog as text } from "./messages";
import { SignInForm } from "./sign-in-form";
import { resumeCalls } from "./sign-in-wait";
import { staffCall } from "./staff-call";

interface SignInDialogProps {
  email: string;
  openId?: string | undefined;
  onClose: () => void;
}

/** Signs the user in again without leaving the page, which keeps its state. */
export function SignInDialog({ email, openId, onClose }: SignInDialogProps) {
  useSignInElsewhere();
  return (
    <Dialog open onClose={onClose} title={text.title} description={text.description}>
      <SignInForm email={email} onDone={resumeCalls} />
      {openId && (
        <div className="mt-3 flex flex-col gap-1">
          <a href="/sign-in" target="_blank" rel="noreferrer" className={buttonClass({})}>
            {signInForm.openId(openId)}
          </a>
          <p className="text-soft text-sm">{text.newTab}</p>
        </div>
      )}
    </Dialog>
  );
}

/** Resumes the waiting calls if the user has signed in in another tab. Checks whenever this tab becomes visible again. */
function useSignInElsewhere() {
  useEffect(() => {
    const check = () => {
      if (document.visibilityState !== "visible") return;
      staffCall("home", { background: true }).then(resumeCalls, () => {});
    };
    window.addEventListener("focus", check);
    document.addEventListener("visibilitychange", check);
    return () => {
      window.removeEventListener("focus", check);
      document.removeEventListener("visibilitychange", check);
    };
  }, []);
}
