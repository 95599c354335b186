"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect } from "react";
import { staffCall } from "@/components/session/staff-call";
import type { PatientPage, viewPatientState } from "@/lib/insurance/patient-page/queries";

export type ShownPolicy = PatientPage["policies"][number];
export type LegacyInsurance = NonNullable<PatientPage["insurances"]>[number];
export type LegacyCard = PatientPage["cards"][number];
type State = Awaited<ReturnType<typeof viewPatientState>>;

/** Where the calls of a patient's page go. */
export const patientPath = (practice: number, patient: number) => `practices/${practice}/patients/${patient}`;
export const timelineKey = (practice: number, patient: number) => ["patient", practice, patient, "timeline"];

/** How often the page asks whether it is still up to date. */
const LOOK_MS = 10_000;

/**
 * A patient's page, kept up to date: it asks for its state, which tells nothing of the patient, and reads the record again
 * only where that changed. A look at a record is audited, a look at its state is not. What the page does by itself keeps no
 * session alive; where it fails, that is said and it is tried again.
 */
export function usePatient(practice: number, initial: PatientPage) {
  const client = useQueryClient();
  const patient = initial.patient.id;
  const path = patientPath(practice, patient);
  const page = useQuery({
    queryKey: pageKey(practice, patient),
    queryFn: ({ signal }) => staffCall<PatientPage>(path, { signal }),
    initialData: initial,
    staleTime: Number.POSITIVE_INFINITY,
    networkMode: "always",
  });
  const look = useQuery({
    queryKey: ["patient", practice, patient, "state"],
    queryFn: ({ signal }) => staffCall<State>(`${path}/state`, { signal, background: true }),
    refetchInterval: LOOK_MS,
    refetchOnWindowFocus: "always",
    staleTime: 0,
    networkMode: "always",
  });
  const read = useCallback(
    async (background: boolean): Promise<PatientPage> => {
      void client.invalidateQueries({ queryKey: timelineKey(practice, patient) });
      const queryKey = pageKey(practice, patient);
      await client.cancelQueries({ queryKey });
      const queryFn = () => staffCall<PatientPage>(path, { background });
      return client.fetchQuery({ queryKey, queryFn, staleTime: 0, networkMode: "always" });
    },
    [client, practice, patient, path],
  );
  /** Reads page and timeline again, and gives the page. */
  const refresh = useCallback(() => read(false), [read]);
  const present = look.data && stateOf(look.data);
  // A look from before the page was read says nothing new.
  const isOutdated = present !== undefined && present !== stateOf(page.data) && look.dataUpdatedAt > page.dataUpdatedAt;
  const lookedAt = look.dataUpdatedAt;
  // biome-ignore lint/correctness/useExhaustiveDependencies: every look that still finds the page outdated tries again.
  useEffect(() => {
    const isReading = client.isFetching({ queryKey: pageKey(practice, patient) }) > 0;
    if (isOutdated && !isReading) void read(true).catch(() => {});
  }, [isOutdated, lookedAt, read, client, practice, patient]);
  return { data: page.data, refresh, problem: look.error ?? (isOutdated ? page.error : null) };
}

const pageKey = (practice: number, patient: number) => ["patient", practice, patient, "page"];

function stateOf({ versioning, deprecation, stamp }: State): string {
  return JSON.stringify([versioning, deprecation, stamp]);
}
