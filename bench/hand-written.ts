// The hand-written server of the benchmark: Fastify and pg, for five jobs, without extra layers. It is not part of the product and
// shares no code with it.
import { createHash, createHmac, randomBytes, randomUUID, timingSafeEqual } from "node:crypto";
import { mkdir, open, rename } from "node:fs/promises";
import path from "node:path";
import formBody from "@fastify/formbody";
import multipart from "@fastify/multipart";
import Fastify, { type FastifyReply, type FastifyRequest, LogController } from "fastify";
import sharp from "sharp";
import { auditRead } from "./hand-written-audit";
import { HttpError, POLICY, type Policy, pool, query, toResponse } from "./hand-written-db";
import * as schema from "./hand-written-schema";
import { addCardImage, type Caller, type PolicyBody, replacePolicy, type WriteContext } from "./hand-written-writes";

declare module "fastify" {
  interface FastifyRequest {
    caller: Caller | null;
  }
}

const TOKEN_TTL_MS = 2000;
const IMAGES = process.env.IMAGE_STORE_DIR ?? "images";
const SECRET = process.env.SECRET_KEY ?? "";
const sha256 = (data: string | Buffer) => createHash("sha256").update(data);

const app = Fastify({
  logger: { level: "info", base: undefined },
  logController: new LogController({ disableRequestLogging: true }),
  genReqId: () => randomUUID(),
  routerOptions: { ignoreTrailingSlash: true },
  bodyLimit: 16 * 1024 * 1024,
  ajv: { customOptions: { removeAdditional: false, coerceTypes: false } },
});
app.decorateRequest("caller", null);
await app.register(formBody);
await app.register(multipart, { limits: { fileSize: 10 * 1024 * 1024, files: 1 } });

app.addHook("onRequest", async (request, reply) => {
  reply.header("x-request-id", request.id).header("cache-control", "no-store");
});
app.addHook("onResponse", async (request, reply) => {
  request.log.info({
    endpoint: request.routeOptions.url,
    client: request.caller?.name,
    status: reply.statusCode,
    ms: reply.elapsedTime,
  });
});
app.setErrorHandler((error: Error & { statusCode?: number; code?: string }, request, reply) => {
  const status = error.statusCode ?? 500;
  if (status >= 500) request.log.error({ err: error });
  return reply.code(status).send({ detail: status >= 500 ? "Something went wrong." : error.message, code: error.code });
});

const tokens = new Map<string, { caller: Caller; until: number }>();

async function findCaller(token: string): Promise<Caller> {
  const cached = tokens.get(token);
  if (cached && cached.until > Date.now()) return cached.caller;
  const { rows } = await query(
    pool,
    `SELECT c.id, c.client_id, c.name, c.organization_id, t.scopes, t.created_date, t.expires_date,
       (SELECT coalesce(json_agg(g.practice_id ORDER BY g.practice_id), '[]') FROM oauth_client_practice g
        WHERE g.client_id = c.id) AS practices
     FROM oauth_token t JOIN oauth_client c ON c.id = t.client_id JOIN oauth_client_secret s ON s.id = t.secret_id
     WHERE t.token_hash = $1 AND t.revoked_date IS NULL AND t.expires_date > $2
       AND c.disabled_date IS NULL AND (s.expires_date IS NULL OR s.expires_date > $2)`,
    [sha256(token).digest(), new Date()],
  );
  if (!rows[0]) throw new HttpError(401, "invalid_token", "The access token is unknown, expired or revoked.");
  const { id, name, scopes, practices } = rows[0];
  const caller = { clientId: id, name, scopes, practices };
  if (tokens.size >= 10_000) tokens.clear();
  tokens.set(token, { caller, until: Date.now() + TOKEN_TTL_MS });
  return caller;
}

function requireScope(scope: string) {
  return async (request: FastifyRequest) => {
    const header = request.headers.authorization;
    if (!header?.startsWith("Bearer ")) throw new HttpError(401, "not_authenticated", "Send an access token.");
    const caller = await findCaller(header.slice(7));
    if (!caller.scopes.includes("apiv2") && !caller.scopes.includes(scope)) {
      throw new HttpError(403, "insufficient_scope", `This needs the scope ${scope}.`);
    }
    request.caller = caller;
  };
}

const canRead = requireScope("system/patients.read");
const canWrite = requireScope("system/patients.write");
const callerOf = (request: FastifyRequest) => request.caller as Caller;

type PolicyParams = { id: string; policy_id: string };

function contextOf(request: FastifyRequest<{ Params: PolicyParams }>, operation: string): WriteContext {
  const { id, policy_id } = request.params;
  return {
    caller: callerOf(request),
    patientId: Number(id),
    policyId: Number(policy_id),
    requestId: request.id,
    operation,
    path: request.url.split("?")[0] ?? "",
    address: request.ip,
  };
}

async function auditResponse(context: WriteContext): Promise<void> {
  const { caller, patientId, operation, path, address, requestId } = context;
  const actor = { type: "client", id: caller.clientId, name: caller.name };
  await auditRead({ kind: "read", patients: [patientId], actor, operation, path, address, source: "api", requestId });
}

const VISIBLE = `EXISTS (SELECT FROM patient visible WHERE visible.id = p.patient_id AND visible.deleted_date IS NULL
  AND visible.practice_id = ANY($2))`;
const POLICY_BY_ID = `SELECT ${POLICY} FROM policy p WHERE p.id = $1 AND p.patient_id = $3 AND ${VISIBLE}`;
const POSITION = `(CASE WHEN p.status = 'active' THEN '0' || coalesce(p.rank, 9) || lpad(p.id::text, 16, '0')
  ELSE '1' || lpad((1e15::bigint - (extract(epoch FROM p.archived_date) * 1000)::bigint)::text, 16, '0')
    || lpad((1e16::bigint - p.id)::text, 17, '0') END) COLLATE "C"`;
const POLICY_LIST = `SELECT ${POLICY}, (${POSITION})::text AS page_key FROM policy p
  WHERE p.patient_id = $1 AND ${VISIBLE} ORDER BY ${POSITION} ASC, p.id ASC LIMIT $3 OFFSET 0`;
const POLICY_COUNT = `SELECT count(*)::int AS count FROM policy p WHERE p.patient_id = $1 AND ${VISIBLE}`;

async function getPolicy(context: WriteContext): Promise<Policy> {
  const { rows } = await query<Policy>(pool, POLICY_BY_ID, [
    context.policyId,
    context.caller.practices,
    context.patientId,
  ]);
  if (!rows[0]) throw new HttpError(404, "not_found", "No such policy.");
  return rows[0];
}

const withEtag = (reply: FastifyReply, version: number) => reply.header("etag", `"${version}"`);
const POLICIES = "/api/2.0/patients/:id/policies";

app.get<{ Params: PolicyParams }>(
  `${POLICIES}/:policy_id`,
  { onRequest: canRead, schema: { params: schema.policyParams, response: { 200: schema.policyResponse } } },
  async (request, reply) => {
    const context = contextOf(request, "policies.get");
    const policy = await getPolicy(context);
    withEtag(reply, policy.version);
    if (request.headers["if-none-match"] === `"${policy.version}"`) return reply.code(304).send();
    await auditResponse(context);
    return toResponse(policy);
  },
);

app.get<{ Params: PolicyParams; Querystring: { limit?: string } }>(
  POLICIES,
  { onRequest: canRead, schema: { params: schema.patientParams, response: { 200: schema.listResponse } } },
  async (request) => {
    const limit = Math.min(Math.max(Number(request.query.limit ?? 25) || 25, 1), 100);
    const values = [Number(request.params.id), callerOf(request).practices];
    const { rows } = await query<Policy>(pool, POLICY_LIST, [...values, limit + 1]);
    const counted = rows.length > limit ? (await query<{ count: number }>(pool, POLICY_COUNT, values)).rows[0] : null;
    await auditResponse(contextOf(request, "policies.list"));
    const next = rows.length > limit ? `${request.url}?limit=${limit}` : null;
    return {
      count: counted?.count ?? rows.length,
      next,
      previous: null,
      results: rows.slice(0, limit).map(toResponse),
    };
  },
);

app.put<{ Params: PolicyParams; Body: PolicyBody }>(
  `${POLICIES}/:policy_id`,
  {
    onRequest: canWrite,
    schema: { params: schema.policyParams, body: schema.policyBody, response: { 200: schema.policyResponse } },
  },
  async (request, reply) => {
    const policy = await replacePolicy(contextOf(request, "policies.replace"), request.body);
    withEtag(reply, policy.version);
    return toResponse(policy);
  },
);

app.post<{ Body: { client_id: string; client_secret: string; scope?: string } }>(
  "/api/2.0/oauth2/token",
  { schema: { body: schema.tokenBody, response: { 200: schema.tokenResponse } } },
  async (request, reply) => {
    const { client_id: clientId, client_secret: secret, scope = "apiv2" } = request.body;
    const now = new Date();
    const { rows } = await query<{ id: number; secret_id: number; secret_hash: Buffer }>(
      pool,
      `SELECT c.id, c.scoped_tokens, c.allowed_scopes, s.id AS secret_id, s.secret_hash
       FROM oauth_client c JOIN oauth_client_secret s ON s.client_id = c.id
       WHERE c.client_id = $1 AND c.disabled_date IS NULL AND (s.expires_date IS NULL OR s.expires_date > $2)`,
      [clientId, now],
    );
    const given = sha256(secret).digest();
    const match = rows.find((row) => timingSafeEqual(row.secret_hash, given));
    if (!match) throw new HttpError(401, "invalid_client", "Unknown client or wrong secret.");
    const token = `cwt_${randomBytes(32).toString("base64url")}`;
    const lifetime = 36_000;
    await query(
      pool,
      `INSERT INTO oauth_token (token_hash, client_id, secret_id, scopes, created_date, expires_date)
       VALUES ($1, $2, $3, $4, $5, $6)`,
      [sha256(token).digest(), match.id, match.secret_id, [scope], now, new Date(now.getTime() + lifetime * 1000)],
    );
    reply.header("pragma", "no-cache");
    return { access_token: token, token_type: "Bearer", expires_in: lifetime, scope };
  },
);

app.post<{ Params: PolicyParams }>(
  `${POLICIES}/:policy_id/card-images`,
  { onRequest: canWrite, schema: { params: schema.policyParams, response: { 201: schema.cardImageResponse } } },
  async (request, reply) => {
    const context = contextOf(request, "card_images.create");
    const file = await request.file();
    if (!file) throw new HttpError(400, "validation_failed", "image: This field is required.");
    const bytes = await file.toBuffer();
    const rankField = file.fields.image_rank;
    const imageRank = Number(rankField && "value" in rankField ? rankField.value : 1);
    await getPolicy(context);
    const { image, content } = await stripImage(bytes);
    await storeImage(image.image_key, content);
    const policy = await addCardImage(context, imageRank, image);
    const expires = Math.floor(Date.now() / 1000) + 300;
    const signature = createHmac("sha256", SECRET)
      .update(`card-image\n${image.image_key} ${expires}`)
      .digest("base64url");
    const url = `http://${request.host}/api/2.0/card_images/${image.image_key}?expires=${expires}&signature=${signature}`;
    withEtag(reply, policy.version).code(201);
    return { ...image, image_rank: imageRank, url, ttl: 300 };
  },
);

async function stripImage(bytes: Buffer) {
  const metadata = await sharp(bytes, { limitInputPixels: false })
    .metadata()
    .catch(() => null);
  const { format, width = 0, height = 0 } = metadata ?? {};
  if ((format !== "jpeg" && format !== "png") || width * height > 40_000_000) {
    throw new HttpError(400, "validation_failed", "image: Is not a JPEG or PNG image of at most 40 megapixels.");
  }
  const upright = sharp(bytes, { failOn: "error" }).autoOrient();
  const encoder = format === "jpeg" ? upright.jpeg({ quality: 92 }) : upright.png({ compressionLevel: 6 });
  const { data: content, info } = await encoder.toBuffer({ resolveWithObject: true });
  const image = {
    image_key: randomUUID(),
    sha256: sha256(content).digest("hex"),
    content_type: `image/${format}`,
    bytes: content.byteLength,
    width: info.width,
    height: info.height,
    created_date: new Date().toISOString(),
  };
  return { image, content };
}

async function storeImage(key: string, content: Buffer): Promise<void> {
  const target = path.join(IMAGES, key.slice(0, 2), key);
  await mkdir(path.dirname(target), { recursive: true });
  const file = await open(`${target}.part`, "w", 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${target}.part`, target);
}

await app.listen({ port: Number(process.env.PORT), host: "127.0.0.1" });
process.once("SIGTERM", () => {
  void app.close().then(() => pool.end());
});
