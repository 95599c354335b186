"use client";

import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { Copyable } from "@/components/ui/copyable";
import { formatNumber, pluralize } from "@/components/ui/format";
import { Notice } from "@/components/ui/notice";
import { Section } from "@/components/ui/section";
import { Status } from "@/components/ui/status";
import { Time } from "@/components/ui/time";
import type { Verification } from "@/lib/access/audit/queries";

/** Up to so many entries the chain is followed whenever the page is opened: that takes a moment. */
const CHECKED_AT_ONCE = 50_000;

/** Says whether the chain of the practice's entries holds: at once where that is cheap, and whenever asked. */
export function ChainCheck({ practice, entries }: { practice: number; entries: number }) {
  const isCheap = entries <= CHECKED_AT_ONCE;
  const isAsked = useRef(false);
  const check = useQuery({
    queryKey: ["audit", practice, "chain"],
    queryFn: ({ signal }) =>
      staffCall<Verification>(`practices/${practice}/audit/chain`, { signal, background: !isAsked.current }),
    enabled: isCheap,
    retry: false,
    // The last result is kept, with its time, until somebody asks again or the page is reloaded.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const run = () => {
    isAsked.current = true;
    void check.refetch();
  };
  const isChecking = check.isFetching;
  return (
    <Section
      title="Chain check"
      lead="Each entry carries a hash of the one before it. The check follows them all, and finds any that was altered, removed or put in."
      actions={
        <Button busy={isChecking} onClick={run}>
          Check {pluralize(entries, "entry", "entries")}
        </Button>
      }
    >
      <div aria-live="polite">
        {isChecking && (
          <p className="text-soft">Checking.{isCheap ? "" : " It may take a minute; the list above stays usable."}</p>
        )}
        {check.error && !isChecking && (
          <Notice tone="bad" title="The chain could not be checked">
            {check.error.message}
          </Notice>
        )}
        {check.data && !isChecking && !check.error && (
          <Result result={check.data} at={new Date(check.dataUpdatedAt).toISOString()} />
        )}
        {check.isPending && !isChecking && !check.error && (
          <Status kind="pending">Not checked since this page was opened: so many entries take a while</Status>
        )}
      </div>
    </Section>
  );
}

function Result({ result, at }: { result: Verification; at: string }) {
  const [head, broken] = [result.heads[0], result.broken[0]];
  if (broken)
    return (
      <Notice tone="bad" title={<Status kind="failed">The chain is broken at entry {formatNumber(broken.seq)}</Status>}>
        <p>
          {broken.problem[0]?.toUpperCase()}
          {broken.problem.slice(1)}. The {pluralize(result.entries, "entry", "entries")} before it hold. Keep the
          database as it is, and compare it with a backup.
        </p>
      </Notice>
    );
  return (
    <Notice tone="good" title={<Status kind="good">The chain holds</Status>}>
      <p>
        {pluralize(result.entries, "entry", "entries")} checked, <Time value={at} />.
        {head && " Note the last hash elsewhere: it proves later that nothing before it was written anew."}
      </p>
      {head && (
        <p className="mt-1">
          <span className="text-soft">Entry {formatNumber(head.seq)}:</span>{" "}
          <Copyable value={head.hash} label="hash of the last entry" />
        </p>
      )}
    </Notice>
  );
}
