"use client";

import { useQuery } from "@tanstack/react-query";
import { staffCall } from "@/components/session/staff-call";
import { useDebounced } from "@/components/ui/use-debounced";
import type { PatientListRow } from "@/lib/insurance/patients/staff-queries";
import { patientSearch as text } from "./messages/search";

export type FoundPatient = Pick<
  PatientListRow,
  "id" | "first_name" | "last_name" | "dob" | "carrier" | "member_id" | "has_primary" | "insurances"
>;

interface PatientSearch {
  /** The first matches. */
  found: readonly FoundPatient[];
  /** The number of all matches. */
  count: number;
  /** What to show instead of results while there are none: that it is searching, or why it failed. */
  status: string;
}

/** Every search is audited, so wait for a pause in typing. */
const PAUSE_MS = 250;

/**
 * Searches the patients of a practice while the user types.
 *
 * @param base `/practices/{id}`
 * @param search empty to not search
 */
export function usePatientSearch(base: string, search: string): PatientSearch {
  const practice = base.split("/").at(-1);
  const settled = useDebounced(search, PAUSE_MS);
  const { data, error } = useQuery({
    queryKey: ["palette", practice, settled],
    queryFn: ({ signal }) => {
      const path = `practices/${practice}/patients?limit=8&search=${encodeURIComponent(settled)}`;
      return staffCall<{ count: number; results: FoundPatient[] }>(path, { signal });
    },
    enabled: settled !== "",
    refetchOnWindowFocus: false,
  });
  const without = (status: string) => ({ found: [], count: 0, status });
  if (search === "") return without("");
  if (search !== settled) return without(text.searching);
  if (error) return without(text.failed(error.message));
  return data ? { found: data.results, count: data.count, status: "" } : without(text.searching);
}
