// Every page, with content on it.
import path from "node:path";
import { listPageFiles } from "@/tests/support/page-files";
import { api, newCardImage, newPatient, newPolicy, practices, staffGet } from "./demo";
import { createCheckedRun } from "./exports";

export interface VisitedPage {
  /** For titles and file names. */
  name: string;
  path: string;
  /** The page of app/(staff) or app/docs, by its folder name; null for any other page. */
  page: string | null;
}

const P = "practices/[practice]";

/** Lists the pages, each at least once; those whose look depends on their data appear more often. */
export async function listPages(): Promise<VisitedPage[]> {
  const { enabled, disabled } = practices();
  const full = await newPatient(enabled);
  const primary = await newPolicy(full, { carrier: "Acme Health", plan: "Gold PPO", group_id: "G-100", copay: "25" });
  await newPolicy(full, { carrier: "Beacon Mutual", rank: 2 });
  for (const rank of [1, 2]) await newCardImage(full, primary.id, rank);
  await api("PATCH", `patients/${full.id}/policies/${primary.id}`, { body: { member_id: "ACM-200", copay: "30" } });
  const archived = await newPolicy(full, { carrier: "Former Health", rank: 3 });
  await api("DELETE", `patients/${full.id}/policies/${archived.id}`);
  const empty = await newPatient(enabled);
  const legacy = await newPatient(disabled);
  await newPolicy(legacy, { carrier: "Acme Health" });
  const [event] = (await api("GET", "published_events?limit=1", { client: 1 })).results;
  const [sync] = (await staffGet(`practices/${enabled}/stream?limit=1&patient=${full.id}`)).results;

  const practicePath = `/practices/${enabled}`;
  // Apart from the migration's own test, because a practice has one active run at a time.
  const run = `/practices/${disabled}/migration/${await createCheckedRun(disabled)}`;
  const patient = `${practicePath}/patients/${full.id}`;
  const policy = `${patient}/policies/${primary.id}`;
  const legacyPatient = `/practices/${disabled}/patients/${legacy.id}`;
  return [
    { name: "sign-in", path: "/sign-in", page: null },
    { name: "docs", path: "/docs", page: "docs" },
    { name: "docs-guide", path: "/docs/guides/migrating", page: "docs/guides/[guide]" },
    { name: "docs-reference", path: "/docs/reference?group=Insurance", page: "docs/reference" },
    { name: "home", path: practicePath, page: P },
    { name: "patients", path: `${practicePath}/patients`, page: `${P}/patients` },
    { name: "patients-none", path: `${practicePath}/patients?search=nobody+at+all`, page: `${P}/patients` },
    { name: "patient", path: patient, page: `${P}/patients/[patient]` },
    { name: "patient-empty", path: `${practicePath}/patients/${empty.id}`, page: `${P}/patients/[patient]` },
    { name: "patient-legacy", path: legacyPatient, page: `${P}/patients/[patient]` },
    { name: "policy", path: policy, page: `${P}/patients/[patient]/policies/[policy]` },
    {
      name: "policy-archived",
      path: `${patient}/policies/${archived.id}`,
      page: `${P}/patients/[patient]/policies/[policy]`,
    },
    { name: "policy-history", path: `${policy}/history`, page: `${P}/patients/[patient]/policies/[policy]/history` },
    { name: "policy-edit", path: `${policy}/edit`, page: `${P}/patients/[patient]/policies/[policy]/edit` },
    { name: "policy-new", path: `${patient}/policies/new`, page: `${P}/patients/[patient]/policies/new` },
    { name: "events", path: `${practicePath}/events`, page: `${P}/events` },
    { name: "events-none", path: `${practicePath}/events?target=nowhere`, page: `${P}/events` },
    { name: "event", path: `${practicePath}/events/${event?.event_id}`, page: `${P}/events/[event]` },
    { name: "subscriptions", path: `${practicePath}/events/subscriptions`, page: `${P}/events/subscriptions` },
    { name: "stream", path: `${practicePath}/stream`, page: `${P}/stream` },
    { name: "stream-event", path: `${practicePath}/stream/${sync?.id}`, page: `${P}/stream/[sync]` },
    { name: "migration", path: `/practices/${disabled}/migration`, page: `${P}/migration` },
    { name: "migration-new", path: `${practicePath}/migration/new`, page: `${P}/migration/new` },
    { name: "migration-what-if", path: `${practicePath}/migration/what-if`, page: `${P}/migration/what-if` },
    {
      name: "migration-readiness",
      path: `/practices/${disabled}/migration/readiness`,
      page: `${P}/migration/readiness`,
    },
    ...["check", "convert"].map((step) => ({
      name: `migration-run-${step}`,
      path: `${run}?step=${step}`,
      page: `${P}/migration/[run]`,
    })),
    { name: "migration-findings", path: `${run}/findings`, page: `${P}/migration/[run]/findings` },
    { name: "migration-records", path: `${run}/records`, page: `${P}/migration/[run]/records` },
    { name: "migration-record", path: `${run}/records/2`, page: `${P}/migration/[run]/records/[number]` },
    { name: "settings", path: `${practicePath}/settings`, page: `${P}/settings` },
    { name: "settings-off", path: `/practices/${disabled}/settings`, page: `${P}/settings` },
    { name: "members", path: `${practicePath}/settings/members`, page: `${P}/settings/members` },
    { name: "clients", path: `${practicePath}/settings/clients`, page: `${P}/settings/clients` },
    { name: "audit", path: `${practicePath}/settings/audit`, page: `${P}/settings/audit` },
    { name: "help", path: `${practicePath}/help`, page: `${P}/help` },
    { name: "help-guide", path: `${practicePath}/help/change-a-policy`, page: `${P}/help/[guide]` },
    { name: "help-glossary", path: `${practicePath}/help/glossary`, page: `${P}/help/glossary` },
    { name: "help-news", path: `${practicePath}/help/news`, page: `${P}/help/news` },
    { name: "absent", path: `${practicePath}/patients/999999999`, page: null },
  ];
}

/** Lists the folders of app/(staff) and app/docs that contain a page. */
export function listPageFolders(): string[] {
  const pagesBelow = (folder: string) => listPageFiles(folder).map(({ page }) => page);
  return [...pagesBelow("app/(staff)"), ...pagesBelow("app/docs").map((page) => path.posix.join("docs", page))];
}
