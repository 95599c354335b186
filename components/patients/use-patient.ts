"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect } from "react";
import { patientPath } from "@/components/policies/paths";
import { staffCall } from "@/components/session/staff-call";
import type { PatientPage, viewPatientState } from "@/lib/insurance/patient-page/queries";

export type ShownPolicy = PatientPage["policies"][number];
export type LegacyInsurance = NonNullable<PatientPage["insurances"]>[number];
export type LegacyCard = PatientPage["cards"][number];
type PatientState = Awaited<ReturnType<typeof viewPatientState>>;

export const timelineKey = (practice: number, patient: number) => ["patient", practice, patient, "timeline"];
const pageKey = (practice: number, patient: number) => ["patient", practice, patient, "page"];

/** How often to check whether the page is up to date. */
const CHECK_MS = 10_000;

/**
 * Loads the data of a patient's page and keeps it up to date. Every read of the record is audited, so this polls a state that contains
 * no patient data, and reads the record again only if the state has changed. Polling does not extend the session.
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
  const check = useQuery({
    queryKey: ["patient", practice, patient, "state"],
    queryFn: ({ signal }) => staffCall<PatientState>(`${path}/state`, { signal, background: true }),
    refetchInterval: CHECK_MS,
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
  /** Reads the page and the timeline again, and returns the page. */
  const refresh = useCallback(() => read(false), [read]);
  const currentState = check.data && serializeState(check.data);
  // A check from before the page was read says nothing about it.
  const isCheckNewer = check.dataUpdatedAt > page.dataUpdatedAt;
  const isOutdated = currentState !== undefined && currentState !== serializeState(page.data) && isCheckNewer;
  const checkedAt = check.dataUpdatedAt;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each check that still finds the page outdated reads it again.
  useEffect(() => {
    const isReading = client.isFetching({ queryKey: pageKey(practice, patient) }) > 0;
    if (isOutdated && !isReading) void read(true).catch(() => {});
  }, [isOutdated, checkedAt, read, client, practice, patient]);
  return { data: page.data, refresh, error: check.error ?? (isOutdated ? page.error : null) };
}

function serializeState({ versioning, deprecation, stamp }: PatientState): string {
  return JSON.stringify([versioning, deprecation, stamp]);
}
