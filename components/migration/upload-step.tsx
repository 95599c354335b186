"use client";

import { useEffect, useRef, useState } from "react";
import { staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/controls";
import { Detail, DetailGrid } from "@/components/ui/details";
import { errorMessage } from "@/components/ui/error-message";
import { pluralize } from "@/components/ui/format";
import { Notice } from "@/components/ui/notice";
import { Day } from "@/components/ui/time";
import type { RunPage } from "@/lib/migration/work/page-queries";
import { runCall } from "./paths";
import { bytesText } from "./run-messages";
import { findFile, forgetFile, keepFile, uploadParts } from "./upload-file";

interface StepProps {
  practice: number;
  data: RunPage;
  canAct: boolean;
  refresh: () => Promise<unknown>;
}

/** Shows the file of a run and, until it is complete, the progress of its upload. */
export function UploadStep({ practice, data, canAct, refresh }: StepProps) {
  const { run, companies, columns } = data;
  if (run.source === "practice") {
    return <p>The practice's own legacy records, as of the start of the run. Nothing was uploaded.</p>;
  }
  return (
    <div className="flex flex-col gap-5">
      <DetailGrid>
        <Detail label="File">{run.source_name}</Detail>
        <Detail label="Size">{bytesText(run.source_size)}</Detail>
        <Detail label="As of">
          <Day value={run.as_of} />
        </Detail>
        <Detail label="Includes">
          {companies === 0 ? "No payers" : pluralize(companies, "payer")}
          {columns && `, ${pluralize(Object.keys(columns).length, "column")} mapped`}
        </Detail>
      </DetailGrid>
      {data.upload && canAct && <Upload practice={practice} data={data} refresh={refresh} />}
      {data.upload && !canAct && <p className="text-soft">The upload is not complete.</p>}
    </div>
  );
}

function Upload({ practice, data, refresh }: Omit<StepProps, "canAct">) {
  const { run } = data;
  const [file, setFile] = useState(() => findFile(run.id));
  const [sent, setSent] = useState<number | null>(null);
  const [waiting, setWaiting] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const stop = useRef<AbortController | null>(null);
  const start = async (chosen: File) => {
    const { upload } = data;
    if (!upload || stop.current?.signal.aborted === false) return;
    const control = new AbortController();
    stop.current = control;
    setProblem(null);
    setSent(0);
    try {
      const watch = { onProgress: setSent, onWaiting: setWaiting, signal: control.signal };
      await uploadParts({ practice, run: run.id }, chosen, upload, watch);
      await staffCall(`${runCall(practice, run.id)}/work`, { method: "POST", body: { work: "check" } });
      forgetFile(run.id);
    } catch (error) {
      if (!control.signal.aborted) setProblem(errorMessage(error));
    }
    if (stop.current !== control) return;
    stop.current = null;
    setSent(null);
    await refresh();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: starts once, with the file chosen on the previous page.
  useEffect(() => {
    if (file) void start(file);
    return () => stop.current?.abort();
  }, []);
  const choose = (chosen: File | undefined) => {
    if (!chosen) return;
    if (chosen.name !== run.source_name || chosen.size !== run.source_size) {
      setProblem(
        `This run expects ${run.source_name} (${bytesText(run.source_size)}), not ${chosen.name} (${bytesText(chosen.size)}).`,
      );
      return;
    }
    keepFile(run.id, chosen);
    setFile(chosen);
    void start(chosen);
  };
  if (sent !== null) {
    return (
      <div>
        <div className="mb-1 flex flex-wrap justify-between gap-x-4">
          <span className="font-medium">{waiting ? "Connection lost. Trying again…" : "Uploading"}</span>
          <span role="status" className="text-soft tabular-nums">
            {bytesText(sent)} of {bytesText(run.source_size)}
          </span>
        </div>
        <progress aria-label="Upload" max={run.source_size} value={sent} />
        <p className="text-soft mt-2">
          Stay on this page until the upload is complete. Parts already uploaded are kept.
        </p>
      </div>
    );
  }
  const { parts = 0, missing = [] } = data.upload ?? {};
  const kept = parts - missing.length;
  return (
    <div className="flex flex-col items-start gap-3">
      {problem && (
        <Notice tone="bad" live title="Upload failed">
          {problem}
        </Notice>
      )}
      <p>
        {kept === 0 ? "The file is not uploaded yet." : `${Math.floor((kept * 100) / parts)}% of the file is uploaded.`}{" "}
        Choose <span className="font-medium">{run.source_name}</span>
        {kept > 0 ? " again to send the rest." : " to upload it."}
      </p>
      <label className="border-edge/60 bg-raised hover:bg-sunken focus-within:outline-accent inline-flex min-h-8 cursor-pointer items-center rounded-md border px-3 font-medium focus-within:outline-2">
        Choose file
        <Input type="file" className="sr-only" onChange={(event) => choose(event.target.files?.[0])} />
      </label>
      {file && <Button onClick={() => void start(file)}>Upload now</Button>}
    </div>
  );
}
