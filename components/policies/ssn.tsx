"use client";

import { Eye, EyeOff } from "lucide-react";
import { useState } from "react";
import { staffCall } from "@/components/session/staff-call";
import { IconButton } from "@/components/ui/button";
import { errorMessage } from "@/components/ui/error-message";
import { useToasts } from "@/components/ui/toasts";
import { ssn as text } from "./messages/ssn";

interface SsnProps {
  masked: string;
  /** Path of the policy. */
  path: string;
  label: string;
}

/** Shows a masked SSN with a button that reveals it. The server logs who viewed it. Printed pages show it masked. */
export function Ssn({ masked, path, label }: SsnProps) {
  const [ssn, setSsn] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const toast = useToasts();
  const Icon = ssn ? EyeOff : Eye;
  const show = async () => {
    setBusy(true);
    try {
      const { insured_person_ssn } = await staffCall<{ insured_person_ssn: string | null }>(`${path}/ssn`);
      setSsn(insured_person_ssn);
    } catch (error) {
      toast.error(text.failed(errorMessage(error)));
    }
    setBusy(false);
  };
  return (
    <span className="-my-0.5 inline-flex items-center gap-1 font-mono">
      <span aria-live="polite">{ssn ?? masked}</span>
      <IconButton
        label={ssn ? text.hide(label) : text.show(label)}
        className="screen-only size-6"
        busy={busy}
        onClick={() => (ssn ? setSsn(null) : void show())}
      >
        {!busy && <Icon aria-hidden className="size-3.5" />}
      </IconButton>
    </span>
  );
}
