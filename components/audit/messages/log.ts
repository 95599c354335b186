import { formatNumber, pluralize } from "@/components/ui/format";

export const auditLog = {
  title: "Audit log",
  lead: (entries: number) =>
    `Records who viewed or changed patient data, and every security event. ${pluralize(entries, "entry", "entries")}, kept for at least six years and protected from changes.`,
  export: "CSV",
  table: "Audit entries",
  empty: "No entries match these filters",
  emptyHint: "Clear a filter or choose a longer time range. New entries appear immediately.",
  pages: "Audit log pages",
  newest: "Newest",
  newer: "Newer",
  older: "Older",
};

export const auditColumns = {
  time: "Time",
  entry: "Entry",
  address: "Address",
  details: "Details",
  kinds: { read: "Read", change: "Change", security: "Security" },
};

export const auditFilters = {
  form: "Filter the audit log",
  actor: "Person or client",
  everyone: "Everyone",
  groups: { staff: "Staff", client: "API clients", others: "Other" },
  patient: "Patient ID",
  kind: "Kind",
  kinds: { all: "All entries", read: "Reads", change: "Changes", security: "Security events" },
  since: "From",
  until: "To",
  clear: "Clear filters",
};

export const chainCheck = {
  title: "Chain check",
  lead: "Entries are sealed in blocks within a second, and each block contains a hash of the one before it. The check finds entries that were altered, removed or inserted.",
  run: (entries: number) => `Check ${pluralize(entries, "entry", "entries")}`,
  checking: "Checking…",
  checkingLong: "Checking… This may take a minute. You can keep using the list above.",
  failed: "Couldn't check the chain",
  notChecked: "Not checked yet. With this many entries, the check can take a minute.",
  broken: (seq: number) => `The chain is broken at entry ${formatNumber(seq)}`,
  brokenHint: (problem: string, entries: number) =>
    `${problem}. ${pluralize(entries, "earlier entry is", "earlier entries are")} valid. Don't change the database. Compare it with a backup.`,
  intact: "The chain is intact",
  unsealed: (entries: number) => `${pluralize(entries, "newer entry", "newer entries")} not sealed yet.`,
  saveHash: "Save the last hash elsewhere. It can prove later that no earlier entry was rewritten.",
  head: (seq: number) => `Entry ${formatNumber(seq)}:`,
  hash: "hash of the last entry",
};

export const entryDialog = {
  title: (seq: number | null) => (seq === null ? "Entry (not sealed yet)" : `Entry ${seq}`),
  fields: {
    entry: "Entry",
    time: "Time",
    who: "Who",
    kind: "Kind",
    operation: "Operation",
    path: "Path",
    patients: "Patients",
    source: "Source",
    address: "IP address",
    reason: "Reason",
    request: "Request ID",
  },
  actor: (name: string, type: string, id: number | null) => (id === null ? name : `${name} (${type} ${id})`),
  kinds: { read: "Read", change: "Change", security: "Security event" },
  requestId: "request ID",
  none: "None",
};

export const securityEvent = {
  event: "Event",
  about: "About",
  subject: (name: string, type: string, id: number) => `${name} (${type} ${id})`,
  cause: "Cause",
  count: "Count",
  times: (count: number) => `${formatNumber(count)} times`,
  first: "First",
  last: "Last",
  change: (from: string, to: string) => `${from} → ${to}`,
  none: "none",
};
