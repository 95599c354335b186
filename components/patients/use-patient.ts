"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect } from "react";
import { staffCall } from "@/components/session/staff-call";
import type { PatientPage, viewPatientState } from "@/lib/policies/patient-page-queries";

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
 * only where that changed. A look at a record is audited, a look at its state is not.
 */
export function usePatient(practice: number, initial: PatientPage) {
  const client = useQueryClient();
  const patient = initial.patient.id;
  const path = patientPath(practice, patient);
  const { data, dataUpdatedAt } = useQuery({
    queryKey: ["patient", practice, patient, "page"],
    queryFn: ({ signal }) => staffCall<PatientPage>(path, { signal }),
    initialData: initial,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const look = useQuery({
    queryKey: ["patient", practice, patient, "state"],
    queryFn: ({ signal }) => staffCall<State>(`${path}/state`, { signal, background: true }),
    refetchInterval: LOOK_MS,
    refetchOnWindowFocus: "always",
    staleTime: 0,
  });
  /** Reads page and timeline again, and gives the page. */
  const refresh = useCallback(async (): Promise<PatientPage> => {
    void client.invalidateQueries({ queryKey: timelineKey(practice, patient) });
    const key = ["patient", practice, patient, "page"];
    await client.cancelQueries({ queryKey: key });
    return client.fetchQuery({ queryKey: key, queryFn: () => staffCall<PatientPage>(path), staleTime: 0 });
  }, [client, practice, patient, path]);
  const present = look.data && stateOf(look.data);
  // A look from before the page was read says nothing new.
  const isOutdated = present !== undefined && present !== stateOf(data) && look.dataUpdatedAt > dataUpdatedAt;
  useEffect(() => {
    if (isOutdated) void refresh().catch(() => {});
  }, [isOutdated, refresh]);
  return { data, refresh, problem: look.error };
}

function stateOf({ versioning, deprecation, stamp }: State): string {
  return JSON.stringify([versioning, deprecation, stamp]);
}
