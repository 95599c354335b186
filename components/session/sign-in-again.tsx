"use client";

import dynamic from "next/dynamic";
import { useEffect, useState } from "react";
import { onSignInNeeded } from "./staff-call";

const SignInDialog = dynamic(() => import("./sign-in-dialog").then((module) => module.SignInDialog), { ssr: false });

/** Asks to sign in again where a call found that the session had ended. */
export function SignInAgain({ email }: { email: string }) {
  const [needed, setNeeded] = useState(false);
  useEffect(() => onSignInNeeded(setNeeded), []);
  return needed ? <SignInDialog email={email} onClose={() => setNeeded(false)} /> : null;
}
