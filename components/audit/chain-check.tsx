"use client";

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { staffCall } from "@/components/session/staff-call";
import { amount, counted } from "@/components/settings/amounts";
import { Section } from "@/components/settings/section";
import { Button } from "@/components/ui/button";
import { Copyable } from "@/components/ui/copyable";
import { Notice, Status } from "@/components/ui/status";
import { Time } from "@/components/ui/time";
import type { Verification } from "@/lib/audit/queries";

/** Follows the chain of the practice's entries when asked, and says whether it holds. */
export function ChainCheck({ practice, entries }: { practice: number; entries: number }) {
  const [at, setAt] = useState<string | null>(null);
  const check = useMutation({
    mutationFn: () => staffCall<Verification>(`practices/${practice}/audit/chain`),
    onSuccess: () => setAt(new Date().toISOString()),
  });
  return (
    <Section
      title="Chain check"
      lead="Each entry carries a hash of the one before it. The check follows them all, and finds any that was altered, removed or put in."
      actions={
        <Button busy={check.isPending} onClick={() => check.mutate()}>
          Check {counted(entries, "entry", "entries")}
        </Button>
      }
    >
      <div aria-live="polite">
        {check.isPending && <p className="text-soft">Checking. It may take a minute; the list above stays usable.</p>}
        {check.error && (
          <Notice tone="bad" title="The chain could not be checked">
            {check.error.message}
          </Notice>
        )}
        {check.data && at && !check.isPending && <Result result={check.data} at={at} />}
      </div>
    </Section>
  );
}

function Result({ result, at }: { result: Verification; at: string }) {
  const [head, broken] = [result.heads[0], result.broken[0]];
  if (broken)
    return (
      <Notice tone="bad" title={<Status kind="failed">The chain is broken at entry {amount(broken.seq)}</Status>}>
        <p>
          {broken.problem[0]?.toUpperCase()}
          {broken.problem.slice(1)}. The {counted(result.entries, "entry", "entries")} before it hold. Keep the database
          as it is, and compare it with a backup.
        </p>
      </Notice>
    );
  return (
    <Notice tone="good" title={<Status kind="good">The chain holds</Status>}>
      <p>
        {counted(result.entries, "entry", "entries")} checked, <Time value={at} />.
        {head && " Note the last hash elsewhere: it proves later that nothing before it was written anew."}
      </p>
      {head && (
        <p className="mt-1">
          <span className="text-soft">Entry {amount(head.seq)}:</span>{" "}
          <Copyable value={head.hash} label="hash of the last entry" />
        </p>
      )}
    </Notice>
  );
}
