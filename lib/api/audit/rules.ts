import type { AuditView } from "@/lib/access/audit/staff-queries";

/** The records that an entry's path and subject refer to, by ID. */
export interface EntryTargets {
  policy?: number;
  run?: number;
  member?: number;
  client?: number;
}

type TargetFacts = Pick<AuditView, "path" | "detail">;

const SEGMENTS = {
  policy: /\/policies\/(\d{1,15})(?:[/?]|$)/,
  run: /\/migrations?\/(\d{1,15})(?:[/?]|$)/,
  member: /\/members\/(\d{1,15})(?:[/?]|$)/,
  client: /\/clients\/(\d{1,15})(?:[/?]|$)/,
} as const;

/** Returns the policy, run, member and client in an entry's path, or the member or client that a security event is about. */
export function entryTargets({ path, detail }: TargetFacts): EntryTargets {
  const targets: EntryTargets = {};
  for (const type of ["policy", "run", "member", "client"] as const) {
    const id = path && SEGMENTS[type].exec(path)?.[1];
    if (id) targets[type] = Number(id);
  }
  if (detail?.about) targets[detail.about.type === "staff" ? "member" : "client"] = detail.about.id;
  return targets;
}

/** Lists the IDs of all records that entries refer to, each once, by type. */
export function auditTargets(entries: readonly AuditView[]) {
  const patients = new Set<number>();
  const [policies, runs, members, clients] = [
    new Set<number>(),
    new Set<number>(),
    new Set<number>(),
    new Set<number>(),
  ];
  for (const entry of entries) {
    for (const id of entry.patients) patients.add(id);
    const { policy, run, member, client } = entryTargets(entry);
    if (policy) policies.add(policy);
    if (run) runs.add(run);
    for (const id of [member, entry.actor_type === "staff" && entry.actor_id]) if (id) members.add(id);
    for (const id of [client, entry.actor_type === "client" && entry.actor_id]) if (id) clients.add(id);
  }
  return {
    patients: [...patients],
    policies: [...policies],
    runs: [...runs],
    members: [...members],
    clients: [...clients],
  };
}
