import { formatNumber, pluralize } from "@/components/ui/format";

export const readinessCard = {
  title: "Readiness",
  report: "Report",
  migration: "Migration",
  percent: (percent: number) => `${percent}%`,
  means: "of legacy records are converted and verified",
  noRun: "No records have been checked yet. Import an export to measure readiness.",
  verified: "Records verified",
  share: (part: number, whole: number) => `${formatNumber(part)} of ${formatNumber(whole)}`,
  inSync: "Patients in sync",
  legacyClients: "Clients still using legacy, 7 days",
  clients: (count: number) => (count === 0 ? "None" : pluralize(count, "client")),
  legacyWrites: "Legacy writes, 7 days",
};
