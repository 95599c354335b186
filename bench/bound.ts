// The bound: the smallest honest server for the jobs of the benchmark, Fastify and pg on separate tables (seed-bound.ts). Statements
// are prepared, tokens are cached, and a PUT is one transaction that updates the policy and inserts its version and an outbox entry.
// It has no audit, no second store, no access rules and no logs. The settings are DATABASE_URL, POOL and PORT.
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import Fastify, { type FastifyReply, type FastifyRequest } from "fastify";
import pg from "pg";

interface Caller {
  client: string;
  scopes: Set<string>;
  expires: number;
  seen: number;
}

declare module "fastify" {
  interface FastifyRequest {
    boundCaller: Caller | null;
  }
}

interface PolicyBody {
  carrier: string;
  member_id: string;
  rank: number;
  group_id?: string;
  plan?: string;
  start_date?: string;
  copay?: string;
  insured?: object;
}

const TOKEN_TTL_MS = 30_000;
const DATE_OID = 1082;

pg.types.setTypeParser(DATE_OID, (text) => text);
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: Number(process.env.POOL ?? 10) });
const app = Fastify({ logger: false, bodyLimit: 6e6 });
app.decorateRequest("boundCaller", null);
app.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "string" }, (_request, body, done) =>
  done(null, Object.fromEntries(new URLSearchParams(String(body)))),
);

const sha256 = (text: string) => createHash("sha256").update(text).digest();
const callers = new Map<string, Caller>();

async function findCaller(header: string | undefined): Promise<Caller | null> {
  if (!header?.startsWith("Bearer ")) return null;
  const hash = sha256(header.slice(7));
  const key = hash.toString("hex");
  const now = Date.now();
  let caller = callers.get(key);
  if (!caller || now - caller.seen > TOKEN_TTL_MS) {
    const { rows } = await pool.query({
      name: "token",
      text: "SELECT client_id, scopes, expires_at FROM access_tokens WHERE token_hash = $1",
      values: [hash],
    });
    if (!rows[0]) return null;
    const { client_id: client, scopes, expires_at: expires } = rows[0];
    caller = { client, scopes: new Set(scopes), expires: Number(expires), seen: now };
    if (callers.size > 10_000) callers.clear();
    callers.set(key, caller);
  }
  return caller.expires > now ? caller : null;
}

const requireScope = (scope: string) => async (request: FastifyRequest, reply: FastifyReply) => {
  const caller = await findCaller(request.headers.authorization);
  if (!caller) return reply.code(401).header("www-authenticate", "Bearer").send({ error: "invalid_token" });
  if (!caller.scopes.has(scope)) return reply.code(403).send({ error: "insufficient_scope" });
  request.boundCaller = caller;
};

const text = { type: "string" };
const whole = { type: "integer" };
const policy = {
  type: "object",
  properties: {
    id: whole,
    patient_id: whole,
    version: whole,
    carrier: text,
    member_id: text,
    group_id: text,
    rank: whole,
    plan: text,
    start_date: text,
    end_date: { type: ["string", "null"] },
    copay: text,
    insured: { type: "object", additionalProperties: true },
    created_at: text,
    updated_at: text,
  },
};
const policyBody = {
  type: "object",
  additionalProperties: false,
  required: ["carrier", "member_id", "rank"],
  properties: {
    carrier: { ...text, maxLength: 100 },
    member_id: { ...text, maxLength: 40 },
    group_id: { ...text, maxLength: 40 },
    rank: { ...whole, minimum: 1, maximum: 3 },
    plan: text,
    start_date: { ...text, format: "date" },
    copay: { ...text, pattern: "^\\d+\\.\\d\\d$" },
    insured: { type: "object" },
  },
};
const params = { type: "object", properties: { id: whole } };
const list = { type: "object", properties: { data: { type: "array", items: policy } } };
const canRead = requireScope("policies:read");
const canWrite = requireScope("policies:write");
const notFound = (reply: FastifyReply) => reply.code(404).send({ error: "not_found" });

app.get<{ Params: { id: number } }>(
  "/policies/:id",
  { preHandler: canRead, schema: { params, response: { 200: policy } } },
  async (request, reply) => {
    const { rows } = await pool.query({
      name: "policy",
      text: "SELECT * FROM policies WHERE id = $1",
      values: [request.params.id],
    });
    return rows[0] ?? notFound(reply);
  },
);

app.get<{ Params: { id: number } }>(
  "/patients/:id/policies",
  { preHandler: canRead, schema: { params, response: { 200: list } } },
  async (request) => {
    const { rows } = await pool.query({
      name: "policies",
      text: "SELECT * FROM policies WHERE patient_id = $1 ORDER BY rank, id LIMIT 50",
      values: [request.params.id],
    });
    return { data: rows };
  },
);

const UPDATE = `UPDATE policies SET carrier = $2, member_id = $3, group_id = $4, rank = $5, plan = $6, start_date = $7, copay = $8,
  insured = $9, version = version + 1, updated_at = now() WHERE id = $1 RETURNING *`;

app.put<{ Params: { id: number }; Body: PolicyBody }>(
  "/policies/:id",
  { preHandler: canWrite, schema: { params, body: policyBody, response: { 200: policy } } },
  async (request, reply) => {
    const { carrier, member_id, group_id, rank, plan, start_date, copay, insured = {} } = request.body;
    const client = await pool.connect();
    try {
      await client.query("BEGIN");
      const { rows } = await client.query({
        name: "update",
        text: UPDATE,
        values: [request.params.id, carrier, member_id, group_id, rank, plan, start_date, copay, insured],
      });
      const [updated] = rows;
      if (!updated) {
        await client.query("ROLLBACK");
        return notFound(reply);
      }
      await client.query({
        name: "version",
        text: "INSERT INTO policy_versions (policy_id, version, data, actor) VALUES ($1, $2, $3, $4)",
        values: [updated.id, updated.version, updated, request.boundCaller?.client],
      });
      await client.query({
        name: "outbox",
        text: "INSERT INTO outbox (kind, payload) VALUES ($1, $2)",
        values: ["policy.updated", { id: updated.id, version: updated.version }],
      });
      await client.query("COMMIT");
      return updated;
    } catch (error) {
      await client.query("ROLLBACK").catch(() => {});
      throw error;
    } finally {
      client.release();
    }
  },
);

app.post<{ Body: { grant_type?: string; scope?: string } }>("/oauth/token", async (request, reply) => {
  const credentials = Buffer.from(request.headers.authorization?.slice(6) ?? "", "base64").toString();
  const [id, secret = ""] = credentials.split(":");
  const { rows } = await pool.query({
    name: "client",
    text: "SELECT secret_hash, scopes FROM clients WHERE id = $1",
    values: [id],
  });
  if (!rows[0] || !timingSafeEqual(rows[0].secret_hash, sha256(secret))) {
    return reply.code(401).send({ error: "invalid_client" });
  }
  if (request.body?.grant_type !== "client_credentials") {
    return reply.code(400).send({ error: "unsupported_grant_type" });
  }
  const allowed: string[] = rows[0].scopes;
  const scopes = (request.body.scope?.split(" ") ?? allowed).filter((scope) => allowed.includes(scope));
  const token = randomBytes(32).toString("base64url");
  await pool.query({
    name: "insert_token",
    text: "INSERT INTO access_tokens VALUES ($1, $2, $3, now() + interval '1 hour')",
    values: [sha256(token), id, scopes],
  });
  const body = { access_token: token, token_type: "Bearer", expires_in: 3600, scope: scopes.join(" ") };
  return reply.header("cache-control", "no-store").send(body);
});

await app.listen({ port: Number(process.env.PORT ?? 4100), host: "127.0.0.1" });
process.once("SIGTERM", () => {
  void app.close().then(() => pool.end());
});
