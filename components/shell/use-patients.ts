"use client";

import { useQuery } from "@tanstack/react-query";
import { staffCall } from "@/components/session/staff-call";
import { useDebounced } from "@/components/ui/use-debounced";

interface FoundPatient {
  id: number;
  first_name: string;
  last_name: string;
  dob: string;
}

/** Each search is audited: one is made when the typing pauses, not for each letter. */
const PAUSE_MS = 250;

/**
 * The patients a text finds, for the palette.
 *
 * @param base `/practices/{id}`
 * @param search empty for none
 * @returns `words`: what to say while there is no answer, or where there will be none
 */
export function usePatients(base: string, search: string): { found: readonly FoundPatient[]; words: string } {
  const practice = base.split("/").at(-1);
  const settled = useDebounced(search, PAUSE_MS);
  const { data, error } = useQuery({
    queryKey: ["palette", practice, settled],
    queryFn: ({ signal }) => {
      const path = `practices/${practice}/patients?limit=8&search=${encodeURIComponent(settled)}`;
      return staffCall<{ results: FoundPatient[] }>(path, { signal });
    },
    enabled: settled !== "",
    refetchOnWindowFocus: false,
  });
  if (search === "") return { found: [], words: "" };
  if (search !== settled) return { found: [], words: "Looking for patients…" };
  if (error) return { found: [], words: `Patients could not be looked for. ${error.message}` };
  return data ? { found: data.results, words: "" } : { found: [], words: "Looking for patients…" };
}
