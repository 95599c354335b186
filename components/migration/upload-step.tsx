"use client";

import { useEffect, useRef, useState } from "react";
import { staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/controls";
import { Detail, DetailGrid } from "@/components/ui/details";
import { pluralize } from "@/components/ui/format";
import { Notice } from "@/components/ui/notice";
import { Day } from "@/components/ui/time";
import type { RunPage } from "@/lib/migration/run-page-queries";
import { runCall } from "./paths";
import { bytesText } from "./run-messages";
import { fileOf, forgetFile, keepFile, uploadParts } from "./upload-file";

interface StepProps {
  practice: number;
  data: RunPage;
  canAct: boolean;
  refresh: () => Promise<unknown>;
}

/** The file of a run: what it is and, while parts of it are missing, how far its upload is. */
export function UploadStep({ practice, data, canAct, refresh }: StepProps) {
  const { run, companies, columns } = data;
  if (run.source === "practice") {
    return <p>The practice's own legacy records, as they stood when the run was begun. Nothing was uploaded.</p>;
  }
  return (
    <div className="flex flex-col gap-5">
      <DetailGrid>
        <Detail label="File">{run.source_name}</Detail>
        <Detail label="Size">{bytesText(run.source_size)}</Detail>
        <Detail label="As of">
          <Day value={run.as_of} />
        </Detail>
        <Detail label="With it">
          {companies === 0 ? "No companies" : pluralize(companies, "company", "companies")}
          {columns && `, ${pluralize(Object.keys(columns).length, "column")} named`}
        </Detail>
      </DetailGrid>
      {data.upload && canAct && <Upload practice={practice} data={data} refresh={refresh} />}
      {data.upload && !canAct && <p className="text-soft">The file is not here whole yet.</p>}
    </div>
  );
}

function Upload({ practice, data, refresh }: Omit<StepProps, "canAct">) {
  const { run } = data;
  const [file, setFile] = useState(() => fileOf(run.id));
  const [sent, setSent] = useState<number | null>(null);
  const [waiting, setWaiting] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const stop = useRef<AbortController | null>(null);
  const begin = async (chosen: File) => {
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
      if (!control.signal.aborted) setProblem((error as Error).message);
    }
    if (stop.current !== control) return;
    stop.current = null;
    setSent(null);
    await refresh();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: begun once, with the file that was chosen on the page before.
  useEffect(() => {
    if (file) void begin(file);
    return () => stop.current?.abort();
  }, []);
  const choose = (chosen: File | undefined) => {
    if (!chosen) return;
    if (chosen.name !== run.source_name || chosen.size !== run.source_size) {
      setProblem(
        `This run waits for ${run.source_name} of ${bytesText(run.source_size)}. ${chosen.name} has ${bytesText(chosen.size)}.`,
      );
      return;
    }
    keepFile(run.id, chosen);
    setFile(chosen);
    void begin(chosen);
  };
  if (sent !== null) {
    return (
      <div>
        <div className="mb-1 flex flex-wrap justify-between gap-x-4">
          <span className="font-medium">{waiting ? "The connection is gone: trying again" : "Uploading"}</span>
          <span role="status" className="text-soft tabular-nums">
            {bytesText(sent)} of {bytesText(run.source_size)}
          </span>
        </div>
        <progress aria-label="Upload" max={run.source_size} value={sent} />
        <p className="text-soft mt-2">Stay on this page until it is there. What was sent is kept, whatever happens.</p>
      </div>
    );
  }
  const { parts = 0, missing = [] } = data.upload ?? {};
  const kept = parts - missing.length;
  return (
    <div className="flex flex-col items-start gap-3">
      {problem && (
        <Notice tone="bad" live title="The file is not uploaded">
          {problem}
        </Notice>
      )}
      <p>
        {kept === 0 ? "The file is not here yet." : `${Math.floor((kept * 100) / parts)} % of the file is here.`} Choose{" "}
        <span className="font-medium">{run.source_name}</span>
        {kept > 0 ? " again to send the rest." : " to upload it."}
      </p>
      <label className="border-edge/60 bg-raised hover:bg-sunken focus-within:outline-accent inline-flex min-h-8 cursor-pointer items-center rounded-md border px-3 font-medium focus-within:outline-2">
        Choose the file
        <Input type="file" className="sr-only" onChange={(event) => choose(event.target.files?.[0])} />
      </label>
      {file && <Button onClick={() => void begin(file)}>Upload it now</Button>}
    </div>
  );
}
