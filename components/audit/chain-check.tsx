"use client";

import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { Copyable } from "@/components/ui/copyable";
import { capitalize } from "@/components/ui/format";
import { Notice } from "@/components/ui/notice";
import { Section } from "@/components/ui/section";
import { Status } from "@/components/ui/status";
import { Time } from "@/components/ui/time";
import type { Verification } from "@/lib/access/audit/chain-queries";
import { checkedEntries, removedEntries } from "./messages/chain";
import { chainCheck as text } from "./messages/log";

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
      title={text.title}
      lead={text.lead}
      actions={
        <Button busy={isChecking} onClick={run}>
          {text.run(entries)}
        </Button>
      }
    >
      <div aria-live="polite">
        {isChecking && <p className="text-soft">{isCheap ? text.checking : text.checkingLong}</p>}
        {check.error && !isChecking && (
          <Notice tone="bad" title={text.failed}>
            {check.error.message}
          </Notice>
        )}
        {check.data && !isChecking && !check.error && (
          <Result result={check.data} at={new Date(check.dataUpdatedAt).toISOString()} />
        )}
        {check.isPending && !isChecking && !check.error && <Status kind="pending">{text.notChecked}</Status>}
      </div>
    </Section>
  );
}

function Result({ result, at }: { result: Verification; at: string }) {
  const [head, broken, unsealed, removed] = [result.heads[0], result.broken[0], result.unsealed[0], result.removed[0]];
  if (broken)
    return (
      <Notice tone="bad" title={<Status kind="failed">{text.broken(broken.seq)}</Status>}>
        <p>{text.brokenHint(capitalize(broken.problem), result.entries)}</p>
      </Notice>
    );
  return (
    <Notice tone="good" title={<Status kind="good">{text.intact}</Status>}>
      <p>
        {checkedEntries(result.entries, <Time value={at} />)}
        {removed && <> {removedEntries(removed.seq, <Time value={removed.before} exact />)}</>}
        {unsealed && ` ${text.unsealed(unsealed.entries)}`}
        {head && ` ${text.saveHash}`}
      </p>
      {head && (
        <p className="mt-1">
          <span className="text-soft">{text.head(head.seq)}</span> <Copyable value={head.hash} label={text.hash} />
        </p>
      )}
    </Notice>
  );
}
