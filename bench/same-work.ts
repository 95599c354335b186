import fs from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { asAdmin } from "@/scripts/lib/postgres.mjs";
import { Failure } from "@/scripts/lib/progress.mjs";
import { JOB_TITLES, JOBS, type Job, type JobRequest, requestOf } from "./jobs";
import type { LoadFiles } from "./load";
import type { BenchData, Target } from "./seed-bench";
import type { BenchServer } from "./servers";

/** What a write stores, table by table, for one patient. */
const TRACES = {
  policy: "SELECT * FROM policy WHERE patient_id = $1 ORDER BY id",
  policy_version: "SELECT * FROM policy_version WHERE patient_id = $1 ORDER BY policy_id, version",
  policy_card_image: `SELECT i.* FROM policy_card_image i JOIN policy p ON p.id = i.policy_id
    WHERE p.patient_id = $1 ORDER BY i.id`,
  replication_event: "SELECT * FROM replication_event WHERE patient_id = $1 ORDER BY id",
  patient: "SELECT * FROM patient WHERE id = $1",
  patient_insurance: "SELECT * FROM patient_insurance WHERE patient_id = $1 ORDER BY id",
  legacy_card: "SELECT * FROM legacy_card WHERE patient_id = $1 ORDER BY id",
  audit_entry: `SELECT actor_type, actor_name, kind, operation, path, source, address, reason, request_id,
    cardinality(patients) AS patients_shown FROM audit_entry WHERE patients @> ARRAY[$1::bigint] ORDER BY seq`,
  patient_version: "SELECT * FROM patient_version WHERE patient_id = $1 ORDER BY version",
};

/** Differ by nature: ids, random keys, times. */
const OWN =
  /^(id|.*_id|patient|policy|patient_insurance|image_key|url|path|access_token|requestId|.*_date|recorded_date)$/;
const KEPT = new Set(["member_id", "group_id", "start_date", "end_date", "deleted_date", "archived_date"]);

/**
 * Runs every job once on each server, on two patients that are alike, and compares the responses and what is then in the
 * database: a comparison of speed means nothing between servers that do different things.
 */
export async function checkSameWork(
  url: string,
  servers: readonly BenchServer[],
  data: BenchData,
  files: LoadFiles,
): Promise<void> {
  const image = fs.readFileSync(files.imageFile);
  // The last patients with one policy each, whom the crowded run does not use.
  const alone = data.targets.filter(
    (target, at, all) => !near(all, at).some((other) => other?.patient === target.patient),
  );
  const pair = servers.map((_, index) => alone[alone.length - 1 - index] as Target);
  await asAdmin(url, async (client) => {
    for (const job of JOBS) {
      const request = requestOf(job, data, [pair[0] as Target], image);
      const seen = [];
      for (const [index, server] of servers.entries()) {
        const target = pair[index] as Target;
        const response = await send(server, aimedAt(request, pair[0] as Target, target));
        const traces: Record<string, unknown> = {};
        for (const [table, statement] of Object.entries(TRACES)) {
          traces[table] = (await client.query(statement, [target.patient])).rows;
        }
        seen.push({ response, ...traces } as Record<string, unknown>);
      }
      requireSame(job, seen[0] ?? {}, seen[1] ?? {});
    }
  });
}

const near = (all: readonly Target[], at: number) => [all[at - 1], all[at + 1]];

function aimedAt(request: JobRequest, from: Target, to: Target): JobRequest {
  const path = request.path
    .replace(`/patients/${from.patient}/`, `/patients/${to.patient}/`)
    .replace(`/policies/${from.policy}`, `/policies/${to.policy}`);
  return { ...request, path };
}

async function send(server: BenchServer, { method, path, headers, body }: JobRequest) {
  const init = { method, headers, ...(body === undefined ? {} : { body: body as BodyInit }) };
  const response = await fetch(`${server.url}${path}`, init);
  const kept = ["content-type", "etag", "cache-control"].map((name) => response.headers.get(name));
  return { status: response.status, headers: kept, body: await response.json() };
}

function requireSame(job: Job, first: Record<string, unknown>, second: Record<string, unknown>): void {
  for (const part of Object.keys(first)) {
    const [a, b] = [withoutOwn(first[part]), withoutOwn(second[part])];
    if (isDeepStrictEqual(a, b)) continue;
    const [left, right] = [JSON.stringify(a, null, 1).split("\n"), JSON.stringify(b, null, 1).split("\n")];
    const at = left.findIndex((line, index) => line !== right[index]);
    const shown = `${left[at]?.trim()} / ${right[at]?.trim()}`;
    throw new Failure(`${JOB_TITLES[job]}: the servers differ in ${part}, line ${at + 1}: ${shown}`);
  }
}

/** Returns a copy in which values that differ by nature only count as present. */
function withoutOwn(value: unknown, key = ""): unknown {
  if (value instanceof Date) return KEPT.has(key) ? value.toISOString() : "a time";
  if (Array.isArray(value)) return value.map((entry) => withoutOwn(entry));
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, withoutOwn(entry, name)]));
  }
  if (OWN.test(key) && !KEPT.has(key) && value !== null && value !== undefined) return "own";
  return value;
}
