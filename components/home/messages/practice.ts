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
  legacyClients: "Clients using legacy insurance, last 7 days",
  clients: (count: number) => (count === 0 ? "None" : pluralize(count, "client")),
  legacyWrites: "Legacy writes, last 7 days",
};

export const overview = {
  stale: "Couldn't refresh this page",
  staleDetail: (error: string) => `${error} You see the figures from the time above. Trying again automatically.`,
};

export const deadlineCard = {
  title: "Deadline",
  settings: "Settings",
  today: "Today",
  days: (days: number) => pluralize(days, "day"),
  isToday: "is the deadline",
  before: "until the deadline",
  after: "past the deadline",
  date: "Deadline",
  mode: "Mode",
  modes: { announce: "Announce: nothing is rejected", enforce: "Enforce: rejected from this date on" },
  versioning: "Insurance Versioning",
  on: "On",
  off: "Off: staff edit legacy insurance",
  rehearsal: "Rehearsal",
};

export const deliveryCard = {
  title: "Delivery",
  link: "Events",
  sync: "Sync",
  failed: (count: number) => `${formatNumber(count)} failed`,
  inSync: "In sync",
  events: "Published events",
  undelivered: (count: number) => `${formatNumber(count)} undelivered`,
  rejected: (count: number) => `${formatNumber(count)} rejected by the client`,
  noneFailed: "None failed",
  subscriptions: "Subscriptions",
  paused: (count: number) => `${formatNumber(count)} paused`,
  failing: (count: number) => `${formatNumber(count)} failing`,
  nonePaused: "None paused",
};

export const firstSteps = {
  title: "No patients yet",
  lead: "Add patients in one of these ways.",
  import: "Import a legacy export",
  checkExport: "Check an export",
  connect: "Connect an API client",
  manageClients: "Manage API clients",
  sample: "Try it with sample patients",
  seed: (practice: number) => `npm run seed -- --patients 1000 --practice ${practice}`,
  command: "Command",
};

export const legacyUse = {
  title: "Legacy use",
  link: "API clients",
  none: "No client used legacy insurance in the last 30 days.",
  total: (reads: number, writes: number) =>
    `${pluralize(reads, "read")} and ${pluralize(writes, "write")} in the last 30 days.`,
  steady: (week: number) => `Writes are steady at ${formatNumber(week)} a week.`,
  fell: (before: number, week: number) =>
    `Writes fell from ${formatNumber(before)} to ${formatNumber(week)} in the last week.`,
  rose: (before: number, week: number) =>
    `Writes rose from ${formatNumber(before)} to ${formatNumber(week)} in the last week.`,
  legend: { writes: "Writes (bottom)", reads: "Reads (top)" },
  deadline: "Deadline",
  writesOf: (count: number) => pluralize(count, "write"),
  readsOf: (count: number) => pluralize(count, "read"),
  figures: "Figures by day",
  byDay: "Legacy use by day",
  day: "Day (UTC)",
  writes: "Writes",
  reads: "Reads",
  byClient: "By client, in the last 7 days",
  client: "Client",
  lastUsed: "Last used",
};

export const otherPractices = {
  title: "Your other practices",
  practice: "Practice",
  state: "State",
  versioning: "Insurance Versioning",
  on: "On",
  off: "Off",
  deadline: "Deadline",
  inSync: "In sync",
  failed: "Failed sync events",
  undelivered: "Undelivered events",
  legacyWrites: "Legacy writes, last 7 days",
  ok: "OK",
  problems: (count: number) => pluralize(count, "problem"),
  today: "today",
  inDays: (days: number) => `in ${pluralize(days, "day")}`,
  daysAgo: (days: number) => `${pluralize(days, "day")} ago`,
};
