// The writes of the hand-written server. One transaction saves the policy, its legacy record and the history of both.
import { changeEntry } from "./hand-written-audit";
import {
  combine,
  HttpError,
  type Image,
  POLICY,
  POLICY_COLUMNS,
  type Policy,
  type Run,
  transaction,
  type Write,
} from "./hand-written-db";
import { INSURANCE_COLUMNS } from "./hand-written-schema";

export interface Caller {
  clientId: number;
  name: string;
  practices: number[];
  scopes: string[];
}

export interface WriteContext {
  caller: Caller;
  patientId: number;
  policyId: number;
  requestId: string;
  operation: string;
  path: string;
  address: string;
}

interface Patient extends Record<string, unknown> {
  id: number;
  practice_id: number;
  first_name: string;
  last_name: string;
  dob: string;
  version: number;
}

export interface PolicyBody extends Record<string, unknown> {
  patient_first_name: string;
  patient_last_name: string;
  patient_dob: string;
  rank?: number | null;
}

/** Who made a change, and how. */
interface Origin extends Pick<WriteContext, "requestId" | "operation" | "path" | "address"> {
  actor: { type: string; id: number; name: string };
  source: string;
  reason: null;
}

/** Sets the fields that were sent. Omitted fields stay unchanged. */
export function replacePolicy(context: WriteContext, body: PolicyBody): Promise<Policy> {
  return write(context, "updated", (_run, policy, patient) => {
    requireSamePatient(body, patient);
    const changes: Record<string, unknown> = {};
    for (const column of ["rank", ...INSURANCE_COLUMNS]) {
      const value = column === "copay" || column === "deductible" ? toAmount(body[column]) : body[column];
      if (value !== undefined && value !== policy[column]) changes[column] = value;
    }
    return changes;
  });
}

/** Adds an image to a policy, replacing the one at its rank. */
export function addCardImage(context: WriteContext, imageRank: number, image: Omit<Image, "image_rank">) {
  return write(context, "card_image_added", (run, policy) => {
    const placed = { image_rank: imageRank, ...image };
    const others = policy.card_images.filter((other) => other.image_rank !== imageRank);
    if (others.length < policy.card_images.length) {
      void run(
        `UPDATE policy_card_image SET to_version = $1
         WHERE policy_id = $2 AND to_version IS NULL AND image_rank = $3`,
        [policy.version + 1, policy.id, imageRank],
      );
    }
    void run(
      `INSERT INTO policy_card_image (policy_id, image_rank, image_key, sha256, content_type, bytes, width, height,
         from_version, created_date)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [policy.id, imageRank, ...imageValues(placed), policy.version + 1, placed.created_date],
    );
    return { card_images: [...others, placed].sort((a, b) => a.image_rank - b.image_rank) };
  });
}

const imageValues = (i: Image) => [i.image_key, i.sha256, i.content_type, i.bytes, i.width, i.height];

const KEPT = ["id", "patient_id", "practice_id", "patient_insurance", "created_date"];

/** Returns the changed columns, with which the policy is then updated. */
type Change = (run: Run, policy: Policy, patient: Patient) => Record<string, unknown>;

async function write(context: WriteContext, kind: string, change: Change): Promise<Policy> {
  const { caller, patientId, policyId, requestId, operation, path, address } = context;
  const actor = { type: "client", id: caller.clientId, name: caller.name };
  const origin: Origin = { actor, source: "policies_api", reason: null, requestId, operation, path, address };
  return transaction(async (run) => {
    const [patients, events, policies, legacy] = await Promise.all([
      lockPatient(run, patientId, caller.practices),
      run<{ status: string }>(
        `SELECT direction, status FROM replication_event
         WHERE patient_id = $1 AND status IN ('pending', 'failed') ORDER BY id`,
        [patientId],
      ),
      run<Policy>(`SELECT ${POLICY} FROM policy p WHERE p.patient_id = $1 AND (p.status = 'active' OR p.id = $2)`, [
        patientId,
        policyId,
      ]),
      loadLegacy(run, patientId),
    ]);
    const patient = patients.rows[0];
    if (!patient) throw new HttpError(404, "not_found", "No such patient.");
    if (events.rows.length > 0) {
      throw new HttpError(409, "stream_blocked", "An earlier change has not been replicated yet.");
    }
    const policy = policies.rows.find(({ id }) => id === policyId);
    if (!policy) throw new HttpError(404, "not_found", "No such policy.");
    if (policy.status === "archived") throw new HttpError(409, "policy_archived", "This policy is archived.");
    const now = new Date().toISOString();
    const changes = change(run, policy, patient);
    if (Object.keys(changes).length === 0) return policy;
    const next: Policy = { ...policy, ...changes, version: policy.version + 1, modified_date: now };
    const columns = POLICY_COLUMNS.filter((column) => !KEPT.includes(column));
    const origins = [JSON.stringify(actor), origin.source, origin.reason, requestId, now];
    const writes: Write[] = [
      [
        `UPDATE policy SET ${columns.map((column, index) => `${column} = $${index + 2}`)} WHERE id = $1`,
        [policyId, ...columns.map((column) => next[column])],
      ],
      [
        `INSERT INTO policy_version (policy_id, version, patient_id, kind, snapshot, actor, source, reason, request_id,
           occurred_date)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
        [policyId, next.version, patientId, kind, JSON.stringify(next), ...origins],
      ],
      ...replicatePolicy(run, next, legacy, { patient, origins, now }),
      [
        `INSERT INTO replication_event (patient_id, practice_id, direction, kind, changes, origin, next_attempt_date, created_date,
           status, attempts, acknowledged_date)
         VALUES ($1, $2, 'policies_to_patients', 'update', $3, $4, $5, $5, 'acknowledged', 1, $6)`,
        [
          patientId,
          patient.practice_id,
          JSON.stringify([{ kind: "update", policy: next }]),
          JSON.stringify(origin),
          now,
          new Date(),
        ],
      ],
      changeEntry(patient.practice_id, { kind: "change", patients: [patientId], ...origin }),
      [
        `INSERT INTO published_event (event_uuid, subscription_id, client_id, practice_id, event_type, resource, resource_id,
           target, next_attempt_date, give_up_date, created_date, modified_date)
         SELECT gen_random_uuid(), s.id, s.client_id, $1, 'saved', 'patients', $2, s.target, $3, $4, $3, $3
         FROM subscription s JOIN oauth_client c ON c.id = s.client_id
         WHERE s.resource = 'patients' AND s.deleted_date IS NULL AND s.client_id <> $5 AND c.disabled_date IS NULL
           AND EXISTS (SELECT FROM oauth_client_practice g WHERE g.client_id = c.id AND g.practice_id = $1)`,
        [patient.practice_id, patientId, now, new Date(Date.parse(now) + 72 * 3_600_000), caller.clientId],
      ],
    ];
    void run(...combine(writes));
    return next;
  });
}

function lockPatient(run: Run, patientId: number, practices: number[]) {
  return run<Patient>(
    `SELECT id, practice_id, first_name, last_name, dob, version FROM patient
     WHERE id = $1 AND deleted_date IS NULL AND practice_id = ANY($2) FOR NO KEY UPDATE`,
    [patientId, practices],
  );
}

const LEGACY_COLUMNS = [
  "id",
  "patient_id",
  "practice_id",
  "policy_id",
  "external_id",
  "rank",
  ...INSURANCE_COLUMNS,
  "created_date",
  "deleted_date",
];
const CHANGING_LEGACY_COLUMNS = LEGACY_COLUMNS.slice(4);
const UPDATE_LEGACY = `UPDATE patient_insurance
  SET ${CHANGING_LEGACY_COLUMNS.map((column, index) => `${column} = $${index + 2}`)} WHERE id = $1`;

type LegacyRecord = Record<string, unknown> & { id: number };
type LegacyCard = Record<string, unknown> & Image & { rank: number };

interface Legacy {
  records: LegacyRecord[];
  cards: LegacyCard[];
}

async function loadLegacy(run: Run, patientId: number): Promise<Legacy> {
  const [records, cards] = await Promise.all([
    run<LegacyRecord>(
      `SELECT ${LEGACY_COLUMNS.join(", ")} FROM patient_insurance WHERE patient_id = $1 AND deleted_date IS NULL
       ORDER BY patient_id, (deleted_date IS NOT NULL), CASE WHEN deleted_date IS NULL THEN rank END, deleted_date DESC, id DESC`,
      [patientId],
    ),
    run<LegacyCard>(
      `SELECT rank, side AS image_rank, image_key, sha256, content_type, bytes, width, height, created_date
       FROM legacy_card WHERE patient_id = $1 AND ended_date IS NULL ORDER BY rank, side`,
      [patientId],
    ),
  ]);
  return { records: records.rows, cards: cards.rows };
}

/** Applies a policy to the legacy record, and increments the patient's version. */
function replicatePolicy(
  run: Run,
  policy: Policy,
  { records, cards }: Legacy,
  { patient, origins, now }: { patient: Patient; origins: unknown[]; now: string },
): Write[] {
  const before = records.find(({ id }) => id === policy.patient_insurance);
  const record: Record<string, unknown> = { ...before, rank: policy.rank };
  for (const column of INSURANCE_COLUMNS) record[column] = policy[column];
  const changed = LEGACY_COLUMNS.some((column) => before?.[column] !== record[column]);
  const cardsChanged = replicateCards(run, policy, cards, now);
  const note = { id: policy.patient_insurance, policy: policy.id, rank: policy.rank, kind: "updated" };
  const changes = { insurances: changed ? [note] : [], card_ranks: cardsChanged ? [policy.rank] : [] };
  const version = patient.version + 1;
  const values = [policy.patient_insurance, ...CHANGING_LEGACY_COLUMNS.map((column) => record[column] ?? null)];
  return [
    ...(changed ? [[UPDATE_LEGACY, values] satisfies Write] : []),
    ["UPDATE patient SET version = $2, last_modified = $3 WHERE id = $1", [patient.id, version, now]],
    [
      `INSERT INTO patient_version (patient_id, version, kind, changes, actor, source, reason, request_id, occurred_date)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [patient.id, version, changed ? "insurances_changed" : "cards_changed", JSON.stringify(changes), ...origins],
    ],
  ];
}

/** Copies the policy's images to its rank in the legacy record. Returns whether anything changed. */
function replicateCards(run: Run, policy: Policy, cards: LegacyCard[], now: string): boolean {
  const current = cards.filter(({ rank }) => rank === policy.rank);
  const isIn = (image: Image, images: Image[]) =>
    images.some((other) => other.image_rank === image.image_rank && other.image_key === image.image_key);
  const ended = current.filter((card) => !isIn(card, policy.card_images));
  const added = policy.card_images.filter((image) => !isIn(image, current));
  if (ended.length > 0) {
    void run(
      `UPDATE legacy_card SET ended_date = $1
       WHERE patient_id = $2 AND rank = $3 AND ended_date IS NULL AND side = ANY($4)`,
      [now, policy.patient_id, policy.rank, ended.map(({ image_rank }) => image_rank)],
    );
  }
  for (const image of added) {
    void run(
      `INSERT INTO legacy_card (patient_id, rank, side, image_key, sha256, content_type, bytes, width, height, created_date)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [policy.patient_id, policy.rank, image.image_rank, ...imageValues(image), image.created_date],
    );
  }
  return ended.length + added.length > 0;
}

function requireSamePatient(body: PolicyBody, patient: Patient): void {
  const normalize = (name: string) => name.normalize("NFKD").replace(/\p{M}/gu, "").trim().toLowerCase();
  if (
    normalize(body.patient_first_name) !== normalize(patient.first_name) ||
    normalize(body.patient_last_name) !== normalize(patient.last_name) ||
    body.patient_dob !== patient.dob
  ) {
    throw new HttpError(422, "patient_mismatch", "Not this patient.");
  }
}

/** Formats an amount with two decimals. An empty text becomes null. */
function toAmount(value: unknown): unknown {
  if (typeof value !== "string") return value;
  return value === "" ? null : Number(value).toFixed(2);
}
