import type { DeprecationMode } from "@/generated/rows/enums";
import type { Access } from "@/lib/access/identity/access";
import { countFailedEvents } from "@/lib/events/published/staff-queries";
import {
  type FailingWithWaiting,
  listFailingSubscriptions,
  listFailingWithWaiting,
} from "@/lib/events/subscriptions/staff-queries";
import { countPatients } from "@/lib/insurance/patients/queries";
import { listReplicationStates, type ReplicationState } from "@/lib/insurance/replication/staff-queries";
import { isoNow } from "@/lib/platform/clock";
import { db } from "@/lib/platform/db/sql";
import { NotFoundError } from "@/lib/platform/errors";
import {
  firstOfLast,
  type LegacyClient,
  type LegacyDay,
  type LegacyUseTotals,
  listLegacyClients,
  listLegacyDays,
  sumLegacyUse,
} from "@/lib/practice/practices/legacy-usage";
import { listPracticeRules, type PracticeRules } from "@/lib/practice/practices/queries";
import { legacyInsurancesEnded } from "@/lib/practice/practices/rules";
import { listPracticeNames } from "@/lib/practice/practices/staff-queries";

const DAY_MS = 86_400_000;

/** The deprecation clock of a practice. Days are `YYYY-MM-DD`, UTC. */
export interface Deadline {
  date: string;
  mode: DeprecationMode;
  today: string;
  /** The simulated day of a rehearsal, or null. */
  rehearsal: string | null;
  /** The days from today (in a rehearsal, from its day) to the date. Negative once it has passed. */
  days: number;
  /** Whether legacy insurances are rejected. */
  has_ended: boolean;
}

/** What may need attention in a practice. */
export interface PracticeHome {
  id: number;
  name: string;
  /** Whether Insurance Versioning is enabled. */
  versioning: boolean;
  deadline: Deadline;
  patients: number;
  stream: ReplicationState;
  /** Events that could not be delivered and can be retried. */
  undelivered_events: number;
  /** Events for which the client reported an error. */
  rejected_events: number;
  paused_subscriptions: number;
  failing_subscriptions: number;
  legacy: LegacyUseTotals;
}

/**
 * Lists the caller's practices by name, with what may need attention. The statements run one after the other, because a page that
 * refreshes automatically must not use many of the process's connections at once.
 */
export async function listPracticeHomes(access: Access): Promise<PracticeHome[]> {
  const names = await listPracticeNames(access);
  const rules = await listPracticeRules(db, access.practices);
  const patients = await countPatients(access);
  const streams = await listReplicationStates(access);
  const failed = await countFailedEvents(access);
  const troubled = await listFailingSubscriptions(access);
  const legacy = await sumLegacyUse(access);
  return names.map(({ id, name, versioning }) => {
    const practiceRules = rules.get(id);
    if (!practiceRules) throw new NotFoundError("practice");
    const subscriptions = troubled.filter(({ practice_id }) => practice_id === id);
    const paused = subscriptions.filter(({ paused_date }) => paused_date !== null).length;
    return {
      id,
      name,
      versioning,
      deadline: toDeadline(practiceRules),
      patients: patients.get(id) ?? 0,
      stream: streams.get(id) ?? { pending: 0, failed: 0, unsettled: 0, oldest: null },
      undelivered_events: failed.get(id)?.undelivered ?? 0,
      rejected_events: failed.get(id)?.rejected ?? 0,
      paused_subscriptions: paused,
      failing_subscriptions: subscriptions.length - paused,
      legacy: legacy.get(id) ?? { reads: 0, writes: 0, clients: 0 },
    };
  });
}

/** A practice with the details of its legacy use and subscriptions. */
export interface PracticeDetail {
  /** The time of these values, ISO 8601. */
  checked_date: string;
  practice: PracticeHome;
  /** Each of the last thirty days, oldest first. */
  days: LegacyDay[];
  clients: LegacyClient[];
  subscriptions: FailingWithWaiting[];
}

/** Reads the only practice of this access. `known` saves reading it again. */
export async function readPracticeDetail(access: Access, known?: PracticeHome): Promise<PracticeDetail> {
  const practice = known ?? (await listPracticeHomes(access))[0];
  if (!practice) throw new NotFoundError("practice");
  const days = await listLegacyDays(access);
  const clients = await listLegacyClients(access);
  const subscriptions = await listFailingWithWaiting(access);
  return { checked_date: isoNow(), practice, days, clients, subscriptions };
}

function toDeadline(rules: PracticeRules): Deadline {
  const present = rules.now.toISOString().slice(0, 10);
  return {
    date: rules.deprecationDate,
    mode: rules.deprecationMode,
    today: firstOfLast(1),
    rehearsal: rules.isRehearsing ? present : null,
    days: Math.round((Date.parse(rules.deprecationDate) - Date.parse(present)) / DAY_MS),
    has_ended: legacyInsurancesEnded(rules),
  };
}
