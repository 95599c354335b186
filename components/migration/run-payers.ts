"use client";

import { useNameSearch } from "@/components/policies/payer-search";
import type { KnownCompany } from "@/lib/migration/record/mapping";

/** Searches the payers of a migration run by name: those of the practice and of the export. */
export function useRunPayers(runPath: string, search: string) {
  return useNameSearch<KnownCompany>(`${runPath}/payers`, search, { enabled: true });
}
