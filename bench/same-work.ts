import fs from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { asAdmin } from "@/scripts/lib/postgres.mjs";
import { Failure } from "@/scripts/lib/progress.mjs";
import { buildRequest, JOB_TITLES, JOBS, type Job, type JobRequest } from "./jobs";
import type { LoadFiles } from "./load";
import type { BenchData, Target } from "./seed-bench";
import type { BenchServer } from "./servers";

/** Queries for the rows of a patient, by table. */
const QUERIES = {
  policy: "SELECT * FROM policy WHERE patient_id = $1 ORDER BY id",
  policy_version: "SELECT * FROM policy_version WHERE patient_id = $1 ORDER BY policy_id, version",
  policy_card_image: `SELECT i.* FROM policy_card_image i JOIN policy p ON p.id = i.policy_id
    WHERE p.patient_id = $1 ORDER BY i.id`,
  replication_event: "SELECT * FROM replication_event WHERE patient_id = $1 ORDER BY id",
  patient: "SELECT * FROM patient WHERE id = $1",
  patient_insurance: "SELECT * FROM patient_insurance WHERE patient_id = $1 ORDER BY id",
  legacy_card: "SELECT * FROM legacy_card WHERE patient_id = $1 ORDER BY id",
  audit_log: `SELECT actor_type, actor_name, kind, operation, path, source, address, reason, request_id,
    cardinality(patients) AS patients_shown FROM audit_log WHERE patients @> ARRAY[$1::bigint] ORDER BY id`,
  patient_version: "SELECT * FROM patient_version WHERE patient_id = $1 ORDER BY version",
};

/** Fields that always differ: IDs, random keys and times. */
const VARIABLE =
  /^(id|.*_id|patient|policy|patient_insurance|image_key|url|path|access_token|requestId|.*_date|recorded_date)$/;
/** Fields of that form that must be equal. */
const COMPARED = new Set(["member_id", "group_id", "start_date", "end_date", "deleted_date", "archived_date"]);

/**
 * Runs every job once on each server, for two similar patients, and compares the responses and the database rows. Without this, the
 * servers might do different work, and comparing their speed would mean nothing.
 *
 * @throws Failure if they differ
 */
export async function checkSameWork(
  url: string,
  servers: readonly BenchServer[],
  data: BenchData,
  files: LoadFiles,
): Promise<void> {
  const image = fs.readFileSync(files.imageFile);
  // The last patients with one policy each. Runs on few patients use the first ones.
  const withOnePolicy = data.targets.filter(
    (target, at, all) => !neighbors(all, at).some((other) => other?.patient === target.patient),
  );
  const pair = servers.map((_, index) => withOnePolicy[withOnePolicy.length - 1 - index] as Target);
  await asAdmin(url, async (client) => {
    for (const job of JOBS) {
      const request = buildRequest(job, data, [pair[0] as Target], image);
      const outcomes = [];
      for (const [index, server] of servers.entries()) {
        const target = pair[index] as Target;
        const response = await send(server, retarget(request, pair[0] as Target, target));
        const rows: Record<string, unknown> = {};
        for (const [table, statement] of Object.entries(QUERIES)) {
          rows[table] = (await client.query(statement, [target.patient])).rows;
        }
        outcomes.push({ response, ...rows } as Record<string, unknown>);
      }
      requireSame(job, outcomes[0] ?? {}, outcomes[1] ?? {});
    }
  });
}

const neighbors = (all: readonly Target[], at: number) => [all[at - 1], all[at + 1]];

function retarget(request: JobRequest, from: Target, to: Target): JobRequest {
  const path = request.path
    .replace(`/patients/${from.patient}/`, `/patients/${to.patient}/`)
    .replace(`/policies/${from.policy}`, `/policies/${to.policy}`);
  return { ...request, path };
}

async function send(server: BenchServer, { method, path, headers, body }: JobRequest) {
  const init = { method, headers, ...(body === undefined ? {} : { body: body as BodyInit }) };
  const response = await fetch(`${server.url}${path}`, init);
  const comparedHeaders = ["content-type", "etag", "cache-control"].map((name) => response.headers.get(name));
  return { status: response.status, headers: comparedHeaders, body: await response.json() };
}

function requireSame(job: Job, first: Record<string, unknown>, second: Record<string, unknown>): void {
  for (const part of Object.keys(first)) {
    const [a, b] = [maskVariable(first[part]), maskVariable(second[part])];
    if (isDeepStrictEqual(a, b)) continue;
    const [left, right] = [JSON.stringify(a, null, 1).split("\n"), JSON.stringify(b, null, 1).split("\n")];
    const at = left.findIndex((line, index) => line !== right[index]);
    const shown = `${left[at]?.trim()} / ${right[at]?.trim()}`;
    throw new Failure(`${JOB_TITLES[job]}: the servers differ in ${part}, line ${at + 1}: ${shown}`);
  }
}

/** Copies a value and masks the fields that always differ, so that only their presence is compared. */
function maskVariable(value: unknown, key = ""): unknown {
  if (value instanceof Date) return COMPARED.has(key) ? value.toISOString() : "a time";
  if (Array.isArray(value)) return value.map((entry) => maskVariable(entry));
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, maskVariable(entry, name)]));
  }
  if (VARIABLE.test(key) && !COMPARED.has(key) && value !== null && value !== undefined) return "variable";
  return value;
}
