"use client";

import { Download } from "lucide-react";
import { type ReactNode, useState } from "react";
import { CallError } from "@/components/session/call-error";
import { useRights } from "@/components/session/rights";
import { staffFile } from "@/components/session/staff-call";
import { Button } from "./button";
import { page as text } from "./messages/page";
import { useToasts } from "./toasts";

const RELEASE_MS = 60_000;

/** Downloads a file from the API of the staff pages. Hidden from users without the right to export. */
export function DownloadButton({ path, children }: { path: string; children: ReactNode }) {
  const [busy, setBusy] = useState(false);
  const toast = useToasts();
  const canExport = useRights().canExport;
  const download = async () => {
    setBusy(true);
    try {
      const { content, name } = await staffFile(path);
      save(content, name);
    } catch (error) {
      toast.error(text.downloadFailed(error instanceof CallError ? firstMessage(error) : text.unexpected));
    }
    setBusy(false);
  };
  if (!canExport) return null;
  return (
    <Button busy={busy} onClick={() => void download()}>
      {!busy && <Download aria-hidden className="size-4" />} {children}
    </Button>
  );
}

/** Prefers an error about a field, which is more specific than the general message. */
function firstMessage({ message, fields }: CallError): string {
  return Object.values(fields).flat()[0] ?? message;
}

function save(content: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // Some browsers read the blob after the click handler has returned.
  setTimeout(() => URL.revokeObjectURL(link.href), RELEASE_MS);
}
