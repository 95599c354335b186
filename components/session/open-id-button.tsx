"use client";

import { useState } from "react";
import { Button } from "@/components/ui/button";
import { signInForm as text } from "./messages";

/** Signs in through the configured OpenID provider. */
export function OpenIdButton({ name, to }: { name: string; to: string }) {
  const [busy, setBusy] = useState(false);
  const start = async () => {
    setBusy(true);
    const { csrfToken } = await (await fetch("/api/auth/csrf")).json();
    const body = new URLSearchParams({ csrfToken, callbackUrl: to, json: "true" });
    const { url } = await (await fetch("/api/auth/signin/oidc", { method: "POST", body })).json();
    window.location.assign(url);
  };
  return (
    <Button busy={busy} onClick={() => void start().catch(() => setBusy(false))}>
      {text.openId(name)}
    </Button>
  );
}
