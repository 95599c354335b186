"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useEffect, useRef, useState } from "react";
import { CallError, staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { Notice, Status, type StatusKind } from "@/components/ui/status";
import { countOf } from "./event-words";

/** These events, or all that fit a filter. */
export type RetryTarget = { eventIds: readonly number[] } | { filter: Record<string, string> };

type Outcome = "queued" | "paused" | "sending" | "delivered" | "canceled" | "absent";
interface Result {
  event_id: number;
  outcome: Outcome;
}
interface Retriable {
  count: number;
  event_ids: number[];
}

const AT_ONCE = 25;
const MOST_SHOWN = 200;
const OUTCOMES: Record<Outcome, { kind: StatusKind; text: string }> = {
  queued: { kind: "good", text: "Will be sent now" },
  paused: { kind: "warning", text: "Waits until its subscription is resumed" },
  sending: { kind: "pending", text: "Left alone: an attempt is under way" },
  delivered: { kind: "archived", text: "Left alone: delivered already" },
  canceled: { kind: "archived", text: "Left alone: its subscription has ended" },
  absent: { kind: "failed", text: "Not there any more" },
};

interface RetryDialogProps {
  practice: number;
  target: RetryTarget;
  onClose: () => void;
  onProgress: () => void;
}

/**
 * Has events sent again: says first how many, then how far it is, then what came of each. Where the network is lost on the
 * way, what was done stays done, and the rest can be taken up again.
 */
export function RetryDialog({ practice, target, onClose, onProgress }: RetryDialogProps) {
  const filter = "filter" in target ? target.filter : null;
  const found = useQuery({
    queryKey: ["retriable", practice, filter],
    queryFn: ({ signal }) =>
      staffCall<Retriable>(`practices/${practice}/events/retriable?${new URLSearchParams(filter ?? {})}`, { signal }),
    ...{ enabled: filter !== null, gcTime: 0, staleTime: 0, refetchOnWindowFocus: false, refetchOnReconnect: false },
  });
  // What is found may change while it is retried: the first answer is what was agreed to.
  const [agreed, setAgreed] = useState<readonly number[] | null>("eventIds" in target ? target.eventIds : null);
  const [total, setTotal] = useState("eventIds" in target ? target.eventIds.length : 0);
  useEffect(() => {
    if (!found.data || agreed) return;
    setAgreed(found.data.event_ids);
    setTotal(found.data.count);
  }, [found.data, agreed]);
  const run = useRetries(practice, agreed ?? [], onProgress);
  const { results, running, problem } = run;
  const left = (agreed?.length ?? 0) - results.length;
  const begun = results.length > 0 || running || problem !== null;
  const act = begun ? `Retry the other ${left}` : `Retry ${countOf(left, "event")}`;
  return (
    <Dialog
      open
      onClose={onClose}
      title={filter && Object.keys(filter).length > 0 ? "Retry all that match the filter" : "Retry events"}
      description="Each is sent to its target again, with the record as it is now. Clients know a repeated event by its id."
      footer={
        <>
          <Button onClick={onClose}>{begun && left === 0 ? "Close" : running ? "Stop" : "Cancel"}</Button>
          {left > 0 && (
            <Button kind="primary" busy={running} onClick={run.start}>
              {running ? "Retrying" : act}
            </Button>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-3">
        {found.error && (
          <Notice tone="bad" live title="The events could not be counted">
            {found.error.message}
          </Notice>
        )}
        {agreed === null && !found.error && <p role="status">Counting…</p>}
        {agreed !== null && !begun && <Before total={total} agreed={agreed.length} chosen={filter === null} />}
        {begun && <Progress done={results.length} of={agreed?.length ?? 0} />}
        {problem && (
          <Notice tone="bad" live title={`Stopped after ${results.length} of ${agreed?.length ?? 0}`}>
            {problem.status === 0
              ? `The server can't be reached. The ${countOf(results.length, "event")} below stay done; the other ${left} can be retried once you are back online. Asking twice does no harm.`
              : `${problem.message} The ${countOf(results.length, "event")} below stay done.`}
          </Notice>
        )}
        {results.length > 0 && <Results practice={practice} results={results} />}
      </div>
    </Dialog>
  );
}

function Before({ total, agreed, chosen }: { total: number; agreed: number; chosen: boolean }) {
  if (agreed === 0) {
    return (
      <p role="status">
        Nothing to retry: no delivery that fits has failed or waits for another attempt. What failed at the client had
        been delivered.
      </p>
    );
  }
  return (
    <div role="status">
      <p>
        <strong>{countOf(agreed, "event")}</strong>{" "}
        {chosen ? "selected. Those that were delivered are left alone." : "failed, or wait for another attempt."}
      </p>
      {total > agreed && (
        <p className="text-soft mt-1">
          {countOf(total, "event")} match in all. The oldest {countOf(agreed, "event")} are retried now, the others by
          another retry.
        </p>
      )}
    </div>
  );
}

function Progress({ done, of }: { done: number; of: number }) {
  return (
    <div>
      <progress aria-label="Retried" max={of} value={done} className="accent-accent h-2 w-full" />
      <p role="status">
        {done} of {of} retried
      </p>
    </div>
  );
}

function Results({ practice, results }: { practice: number; results: readonly Result[] }) {
  // What needs a person comes first.
  const sorted = [...results].sort((a, b) => Number(a.outcome === "queued") - Number(b.outcome === "queued"));
  return (
    <>
      <table aria-label="What came of each event" className="w-full border-collapse">
        <tbody>
          {sorted.slice(0, MOST_SHOWN).map(({ event_id, outcome }) => (
            <tr key={event_id} className="border-line border-t">
              <th scope="row" className="py-1 pr-3 text-left font-normal">
                <Link
                  href={`/practices/${practice}/events/${event_id}`}
                  prefetch={false}
                  className="inline-flex min-h-6 min-w-6 items-center font-mono hover:underline"
                >
                  {event_id}
                </Link>
              </th>
              <td className="py-1 [&>span]:whitespace-normal">
                <Status kind={OUTCOMES[outcome].kind}>{OUTCOMES[outcome].text}</Status>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {sorted.length > MOST_SHOWN && (
        <p className="text-soft">
          And {countOf(sorted.length - MOST_SHOWN, "event")} that will be sent now or are left alone.
        </p>
      )}
    </>
  );
}

/** Retries in small batches, so that a lost network loses one answer at most. */
function useRetries(practice: number, eventIds: readonly number[], onProgress: () => void) {
  const [results, setResults] = useState<readonly Result[]>([]);
  const [running, setRunning] = useState(false);
  const [problem, setProblem] = useState<CallError | null>(null);
  const stopped = useRef(false);
  useEffect(() => {
    stopped.current = false;
    return () => {
      stopped.current = true;
    };
  }, []);
  const start = async () => {
    setRunning(true);
    setProblem(null);
    const done = new Set(results.map(({ event_id }) => event_id));
    const rest = eventIds.filter((id) => !done.has(id));
    try {
      for (let at = 0; at < rest.length && !stopped.current; at += AT_ONCE) {
        const body = { event_ids: rest.slice(at, at + AT_ONCE) };
        const answer = await staffCall<{ results: Result[] }>(`practices/${practice}/events/retry`, {
          method: "POST",
          body,
        });
        setResults((before) => [...before, ...answer.results]);
      }
    } catch (error) {
      setProblem(error instanceof CallError ? error : new CallError(500, "error", "The page failed."));
    }
    setRunning(false);
    onProgress();
  };
  return { results, running, problem, start: () => void start() };
}
