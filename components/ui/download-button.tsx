"use client";

import { Download } from "lucide-react";
import { type ReactNode, useState } from "react";
import { CallError } from "@/components/session/call-error";
import { useExportRight } from "@/components/session/export-right";
import { staffFile } from "@/components/session/staff-call";
import { Button } from "./button";
import { useToasts } from "./toasts";

const RELEASE_MS = 60_000;

/**
 * Fetches a file from the staff side's API and hands it to the browser to keep; says so where there is none. Hidden from users
 * without the right to export.
 */
export function DownloadButton({ path, children }: { path: string; children: ReactNode }) {
  const [busy, setBusy] = useState(false);
  const toast = useToasts();
  const canExport = useExportRight();
  const download = async () => {
    setBusy(true);
    try {
      const { content, name } = await staffFile(path);
      save(content, name);
    } catch (error) {
      toast.error(`No file was made. ${error instanceof CallError ? wordsOf(error) : "The page failed."}`);
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

function wordsOf({ message, fields }: CallError): string {
  return Object.values(fields).flat()[0] ?? message;
}

function save(content: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // Some browsers read it only after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), RELEASE_MS);
}
