"use client";

import { useEffect, useRef, useState } from "react";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/controls";
import { Detail, DetailGrid } from "@/components/ui/details";
import { errorMessage } from "@/components/ui/error-message";
import { Notice } from "@/components/ui/notice";
import { Day } from "@/components/ui/time";
import type { RunPage } from "@/lib/migration/work/page-queries";
import { progress, uploadStep as text } from "./messages/run";
import { bytesText } from "./messages/terms";
import { findFile, forgetFile, keepFile, uploadFile } from "./upload-file";

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
    return <p>{text.practice}</p>;
  }
  return (
    <div className="flex flex-col gap-5">
      <DetailGrid>
        <Detail label={text.file}>{run.source_name}</Detail>
        <Detail label={text.size}>{bytesText(run.source_size)}</Detail>
        <Detail label={text.asOf}>
          <Day value={run.as_of} />
        </Detail>
        <Detail label={text.includes}>
          {columns ? text.payersAndColumns(companies, Object.keys(columns).length) : text.payers(companies)}
        </Detail>
      </DetailGrid>
      {data.upload && canAct && <Upload practice={practice} data={data} refresh={refresh} />}
      {data.upload && !canAct && <p className="text-soft">{text.incomplete}</p>}
    </div>
  );
}

function Upload({ practice, data, refresh }: Omit<StepProps, "canAct">) {
  const { run } = data;
  const [file, setFile] = useState(() => findFile(run.id));
  const [done, setDone] = useState<number | null>(null);
  const [comparing, setComparing] = useState(false);
  const [isDifferent, setDifferent] = useState(false);
  const [waiting, setWaiting] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const stop = useRef<AbortController | null>(null);
  const start = async (chosen: File) => {
    if (!data.upload || stop.current?.signal.aborted === false) return;
    const control = new AbortController();
    stop.current = control;
    setProblem(null);
    setDifferent(false);
    setWaiting(false);
    setDone(0);
    try {
      const watch = {
        onProgress: setDone,
        onComparing: setComparing,
        onDifferent: () => setDifferent(true),
        onWaiting: setWaiting,
        signal: control.signal,
      };
      await uploadFile({ practice, run: run.id }, chosen, watch);
      forgetFile(run.id);
    } catch (error) {
      if (!control.signal.aborted) setProblem(errorMessage(error));
    }
    if (stop.current !== control) return;
    stop.current = null;
    setDone(null);
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
      setProblem(text.wrongFile(run.source_name, bytesText(run.source_size), chosen.name, bytesText(chosen.size)));
      return;
    }
    keepFile(run.id, chosen);
    setFile(chosen);
    void start(chosen);
  };
  if (done !== null) {
    const stage = comparing ? text.comparing : text.uploading;
    return (
      <div>
        <div className="mb-1 flex flex-wrap justify-between gap-x-4">
          <span className="font-medium">{waiting ? text.waiting : stage}</span>
          <span role="status" className="text-soft tabular-nums">
            {progress.bytes(bytesText(done), bytesText(run.source_size))}
          </span>
        </div>
        <progress aria-label={text.label} max={run.source_size} value={done} />
        <p role="status" className={isDifferent ? "mt-2" : ""}>
          {isDifferent && text.changed}
        </p>
        <p className="text-soft mt-2">{text.stay}</p>
      </div>
    );
  }
  const { parts = 0, missing = [] } = data.upload ?? {};
  const kept = parts - missing.length;
  const name = <span className="font-medium">{run.source_name}</span>;
  return (
    <div className="flex flex-col items-start gap-3">
      {problem && (
        <Notice tone="bad" live title={text.failed}>
          {problem}
        </Notice>
      )}
      <p>{kept === 0 ? text.choose(name) : text.chooseAgain(Math.floor((kept * 100) / parts), name)}</p>
      <label className="border-edge/60 bg-raised hover:bg-sunken focus-within:outline-accent inline-flex min-h-8 cursor-pointer items-center rounded-md border px-3 font-medium focus-within:outline-2">
        {text.chooseFile}
        <Input type="file" className="sr-only" onChange={(event) => choose(event.target.files?.[0])} />
      </label>
      {file && <Button onClick={() => void start(file)}>{text.start}</Button>}
    </div>
  );
}
