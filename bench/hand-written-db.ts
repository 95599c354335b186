// The hand-written server's access to PostgreSQL.
import { createHash } from "node:crypto";
import pg from "pg";
import { INSURANCE_COLUMNS } from "./hand-written-schema";

pg.types.setTypeParser(20, Number);
pg.types.setTypeParser(1082, (text) => text);
pg.types.setTypeParser(1184, (text) => new Date(text).toISOString());

export const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: Number(process.env.DATABASE_POOL_SIZE ?? 10),
  connectionTimeoutMillis: 10_000,
  pipeline: true,
  options: "-c TimeZone=UTC -c statement_timeout=30000 -c lock_timeout=10000",
});

const names = new Map<string, string>();

/** Runs a statement, prepared once per connection under a name derived from its text. */
export function query<R extends pg.QueryResultRow>(on: pg.Pool | pg.PoolClient, text: string, values: unknown[]) {
  const name = names.get(text) ?? createHash("md5").update(text).digest("hex");
  names.set(text, name);
  return on.query<R>({ name, text, values });
}

/** An error that Fastify sends as a response with this status. */
export class HttpError extends Error {
  readonly statusCode: number;
  readonly code: string;

  constructor(statusCode: number, code: string, message: string) {
    super(message);
    this.statusCode = statusCode;
    this.code = code;
  }
}

/** Runs statements of a transaction in the order of the calls. Those sent in one turn of the event loop share a round trip. */
export type Run = <R extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<pg.QueryResult<R>>;

/** The text and the values of a statement that only writes. */
export type Write = [text: string, values: unknown[]];

/** Makes one statement of writes to different tables. */
export function combine(writes: readonly Write[]): Write {
  const values: unknown[] = [];
  const parts = writes.map(([text, own], index) => {
    const before = values.length;
    values.push(...own);
    const part = text.replace(/\$(\d+)/g, (_, number) => `$${before + Number(number)}`);
    return index < writes.length - 1 ? `w${index} AS (${part})` : part;
  });
  const last = parts.pop() ?? "";
  return [`WITH ${parts.join(", ")} ${last}`, values];
}

export async function transaction<T>(work: (run: Run) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  const { stream } = client.connection;
  const sent: Promise<unknown>[] = [];
  const run: Run = (text, values = []) => {
    stream.cork();
    process.nextTick(() => stream.uncork());
    const result = query(client, text, values);
    result.catch(() => {});
    sent.push(result);
    return result as Promise<pg.QueryResult<never>>;
  };
  let broken = false;
  try {
    void run("BEGIN");
    const result = await work(run);
    void run("COMMIT");
    await Promise.all(sent);
    return result;
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {
      broken = true;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

export interface Image {
  image_rank: number;
  image_key: string;
  sha256: string;
  content_type: string;
  bytes: number;
  width: number;
  height: number;
  created_date: string;
}

export interface Policy extends Record<string, unknown> {
  id: number;
  patient_id: number;
  practice_id: number;
  version: number;
  status: "active" | "archived";
  rank: number | null;
  patient_insurance: number;
  modified_date: string;
  card_images: Image[];
}

export const POLICY_COLUMNS = [
  "id",
  "patient_id",
  "practice_id",
  "status",
  "version",
  "rank",
  "patient_first_name",
  "patient_last_name",
  "patient_dob",
  ...INSURANCE_COLUMNS,
  "patient_insurance",
  "created_date",
  "modified_date",
  "archived_date",
  "archive_reason",
];

/** A policy's columns and its current card images. */
export const POLICY = `${POLICY_COLUMNS.map((column) => `p.${column}`).join(", ")},
  (SELECT coalesce(json_agg(json_build_object('image_rank', i.image_rank, 'image_key', i.image_key, 'sha256', i.sha256,
      'content_type', i.content_type, 'bytes', i.bytes, 'width', i.width, 'height', i.height,
      'created_date', to_char(i.created_date, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) ORDER BY i.image_rank), '[]')
   FROM policy_card_image i WHERE i.policy_id = p.id AND i.to_version IS NULL) AS card_images`;

/** Converts a policy to a response. The response's schema omits private fields. */
export function toResponse({ patient_id, practice_id, ...policy }: Policy) {
  return { ...policy, patient: patient_id, practice: practice_id };
}
