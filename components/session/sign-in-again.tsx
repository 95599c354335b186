"use client";

import { useEffect, useState } from "react";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import { cancelWaitingCalls, onSignInNeeded } from "./sign-in-wait";

const SignInDialog = lazyWithRetry(async () => (await import("./sign-in-dialog")).SignInDialog);

interface SignInAgainProps {
  email: string;
  /** The name of the OpenID provider, if one is configured. */
  openId?: string | undefined;
}

/** Asks the user to sign in again when a call finds that the session has expired. */
export function SignInAgain(props: SignInAgainProps) {
  const [isNeeded, setNeeded] = useState(false);
  useEffect(() => onSignInNeeded(setNeeded), []);
  return isNeeded ? <SignInDialog {...props} onClose={cancelWaitingCalls} /> : null;
}
