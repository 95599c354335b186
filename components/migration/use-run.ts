"use client";

import { useQuery } from "@tanstack/react-query";
import { staffCall } from "@/components/session/staff-call";
import { isAtWork } from "@/lib/migration/runs/run-states";
import type { RunPage } from "@/lib/migration/work/page-queries";
import { runCall } from "./paths";

const WORKING_MS = 1_000;

/** Fetches a run, and refreshes it every second while it is working. */
export function useRun(practice: number, initial: RunPage) {
  const { id } = initial.run;
  return useQuery({
    queryKey: ["migration-run", id],
    queryFn: ({ signal }) => staffCall<RunPage>(runCall(practice, id), { signal, background: true }),
    initialData: initial,
    refetchInterval: ({ state }) => (state.data && isAtWork(state.data.run.state) ? WORKING_MS : false),
  });
}
