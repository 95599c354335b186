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
import type { Verification } from "@/lib/access/audit/chain-queries";

/** A chain of up to this many entries is verified whenever the page opens, as that takes only a moment. */
const MAX_AUTOMATIC = 50_000;

/** Verifies the hash chain over the practice's entries: when the page opens if it is short, and on request. */
export function ChainCheck({ practice, entries }: { practice: number; entries: number }) {
  const isCheap = entries <= MAX_AUTOMATIC;
  const isAsked = useRef(false);
  const check = useQuery({
    queryKey: ["audit", practice, "chain"],
    queryFn: ({ signal }) =>
      staffCall<Verification>(`practices/${practice}/audit/chain`, { signal, background: !isAsked.current }),
    enabled: isCheap,
    retry: false,
    // Keeps the last result, with its time, until the next check.
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
      lead="Entries are sealed in blocks within a second, and each block contains a hash of the one before it. The check finds entries that were altered, removed or inserted."
      actions={
        <Button busy={isChecking} onClick={run}>
          Check {pluralize(entries, "entry", "entries")}
        </Button>
      }
    >
      <div aria-live="polite">
        {isChecking && (
          <p className="text-soft">
            Checking…{isCheap ? "" : " This may take a minute. You can keep using the list above."}
          </p>
        )}
        {check.error && !isChecking && (
          <Notice tone="bad" title="Couldn't check the chain">
            {check.error.message}
          </Notice>
        )}
        {check.data && !isChecking && !check.error && (
          <Result result={check.data} at={new Date(check.dataUpdatedAt).toISOString()} />
        )}
        {check.isPending && !isChecking && !check.error && (
          <Status kind="pending">Not checked yet. With this many entries, the check takes a while</Status>
        )}
      </div>
    </Section>
  );
}

function Result({ result, at }: { result: Verification; at: string }) {
  const [head, broken, unsealed, removed] = [result.heads[0], result.broken[0], result.unsealed[0], result.removed[0]];
  if (broken)
    return (
      <Notice tone="bad" title={<Status kind="failed">The chain is broken at entry {formatNumber(broken.seq)}</Status>}>
        <p>
          {broken.problem[0]?.toUpperCase()}
          {broken.problem.slice(1)}. The {pluralize(result.entries, "entry", "entries")} before it are valid. Keep the
          database as is, and compare it with a backup.
        </p>
      </Notice>
    );
  return (
    <Notice tone="good" title={<Status kind="good">The chain is intact</Status>}>
      <p>
        {pluralize(result.entries, "entry", "entries")} checked, <Time value={at} />.
        {removed && (
          <>
            {" "}
            Entries up to {formatNumber(removed.seq)}, from before <Time value={removed.before} exact />, were removed
            by retention.
          </>
        )}
        {unsealed && ` ${pluralize(unsealed.entries, "newer entry", "newer entries")} not sealed yet.`}
        {head && " Save the last hash elsewhere. It can prove later that no earlier entry was rewritten."}
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
