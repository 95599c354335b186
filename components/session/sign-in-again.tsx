"use client";

import { useEffect, useState } from "react";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import { giveUpCalls, onSignInNeeded } from "./session-wait";

const SignInDialog = lazyWithRetry(async () => (await import("./sign-in-dialog")).SignInDialog);

/** Asks to sign in again where a call found that the session had ended. */
export function SignInAgain(props: {
  email: string;
  /** The OpenID provider's name, where the settings name one. */
  openId?: string | undefined;
}) {
  const [needed, setNeeded] = useState(false);
  useEffect(() => onSignInNeeded(setNeeded), []);
  return needed ? <SignInDialog {...props} onClose={giveUpCalls} /> : null;
}
