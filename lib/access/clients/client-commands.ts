import type { SecurityEvent } from "@/lib/access/audit/events";
import { auditSecurityIn } from "@/lib/access/audit/security-commands";
import { appendRecordVersion } from "@/lib/access/history/commands";
import {
  type Access,
  changedFields,
  currentPractice,
  type FieldChanges,
  type Origin,
} from "@/lib/access/identity/access";
import { scopeProblem } from "@/lib/access/identity/scopes";
import { listOwnPractices } from "@/lib/access/staff/member-queries";
import { organizationOf } from "@/lib/access/tenancy/organizations";
import { clock, isoNow } from "@/lib/platform/clock";
import { empty, inList, type Sql, sql } from "@/lib/platform/db/sql";
import { type Tx, transaction } from "@/lib/platform/db/transaction";
import { ConflictError, NotFoundError, ValidationError } from "@/lib/platform/errors";
import { type IfMatch, requireVersion } from "@/lib/platform/http/conditional";
import { forgetTokensOf } from "./authenticate";
import { addSecretTo, insertClient, revokeTokensOf } from "./commands";
import type { ClientInput, ClientPatch } from "./schema";
import { getStaffClient, type StaffClient } from "./staff-queries";

/** An admin's act on the clients of the practice whose page they are on. */
interface AdminRequest {
  /** Narrowed to that practice. */
  access: Access;
  origin: Origin;
}
type ChangeRequest = AdminRequest & { id: number; ifMatch?: IfMatch };

/** What happened to a client, in the practices that may know of it. */
type ClientEvent = Omit<SecurityEvent, "origin" | "about">;

/** A secret as it is told once. */
export interface NewSecret {
  id: number;
  client_id: string;
  client_secret: string;
}

/**
 * Registers an API client that reaches practices of the admin's own, of this practice's organization.
 *
 * @throws ValidationError for an unknown scope, or another's practice
 */
export async function registerClient({ access, origin }: AdminRequest, input: ClientInput): Promise<NewSecret> {
  requireScopes(input.allowed_scopes);
  return transaction(async (tx) => {
    const practices = await requirePractices(tx, access, input.practices);
    const organizationId = await organizationOf(tx, currentPractice(access));
    const { name, scoped_tokens, allowed_scopes } = input;
    const made = await insertClient(tx, {
      name,
      organizationId,
      practices,
      scopedTokens: scoped_tokens,
      allowedScopes: allowed_scopes,
    });
    const changes = changedFields(null, { name, practices, scoped_tokens, allowed_scopes });
    await record(tx, { access, origin }, { id: made.id, version: 1, kind: "created", changes });
    const { practices: _practices, ...settings } = changes;
    await auditSecurityIn(tx, [
      { name: "client.created", origin, practices, about: { type: "client", id: made.id, name }, changes: settings },
    ]);
    return { id: made.id, client_id: made.clientId, client_secret: made.clientSecret };
  });
}

/**
 * Changes a client's name, practices, scopes or whether it is disabled. Tokens with a scope that is taken from it are revoked
 * for good, and so are all when it is disabled: within TOKEN_CACHE_MS in every process.
 *
 * @throws NotFoundError, VersionConflictError, ValidationError
 * @throws ConflictError belongs_elsewhere, where it reaches practices that are not the admin's
 */
export async function changeClient(request: ChangeRequest, patch: ClientPatch): Promise<void> {
  requireScopes(patch.allowed_scopes ?? []);
  await change(request, async (tx, before) => {
    requireWhole(before);
    const practices = patch.practices ? await requirePractices(tx, request.access, patch.practices) : before.practices;
    const settings = (of: ClientPatch) => ({
      name: of.name ?? before.name,
      scoped_tokens: of.scoped_tokens ?? before.scoped_tokens,
      allowed_scopes: of.allowed_scopes ?? before.allowed_scopes,
      disabled: of.disabled ?? before.disabled_date !== null,
    });
    const after = settings(patch);
    const disabledDate = after.disabled ? (before.disabled_date ?? isoNow()) : null;
    await tx.run(sql`
      UPDATE oauth_client SET name = ${after.name}, scoped_tokens = ${after.scoped_tokens},
        allowed_scopes = ${after.allowed_scopes}, disabled_date = ${disabledDate}
      WHERE id = ${before.id}`);
    await setPractices(tx, before, practices);
    const revoked = await revokeTokensOf(tx, before.id);
    const changes = changedFields(settings({}), after);
    const shared = before.practices.filter((id) => practices.includes(id));
    const events: ClientEvent[] = [
      { name: "client.changed", practices: practices.filter((id) => !shared.includes(id)), cause: "practice_added" },
      { name: "client.removed", practices: before.practices.filter((id) => !shared.includes(id)) },
    ];
    if (Object.keys(changes).length > 0)
      events.unshift({ name: "client.changed", practices: shared, changes, facts: { tokens_revoked: revoked } });
    const practicesChange = changedFields({ practices: before.practices }, { practices });
    return { changes: { ...changes, ...practicesChange }, events, result: undefined };
  });
  forgetTokensOf(request.id);
}

/**
 * Takes the practice away from a client, whatever else it reaches.
 *
 * @throws NotFoundError, VersionConflictError
 */
export async function removeClientFromPractice(request: ChangeRequest): Promise<void> {
  await change(request, async (tx, before) => {
    const practices = before.practices.filter((id) => !request.access.practices.includes(id));
    await setPractices(tx, before, practices);
    return {
      changes: changedFields({ practices: before.practices }, { practices }),
      events: [{ name: "client.removed", practices: request.access.practices }],
      result: undefined,
    };
  });
  forgetTokensOf(request.id);
}

/**
 * Gives a client a second secret, and the ones there are an end: until then both are valid.
 *
 * @throws NotFoundError, VersionConflictError
 * @throws ConflictError two_secrets, where two are valid already; belongs_elsewhere
 */
export async function rotateSecret(request: ChangeRequest & { keepHours: number }): Promise<NewSecret> {
  const made = await change(request, async (tx, before) => {
    requireWhole(before);
    const end = new Date(clock.now().getTime() + request.keepHours * 3_600_000);
    // At once: it makes room for the new one.
    if (request.keepHours === 0) await endSecrets(tx, before.id, end);
    const { secretId, clientSecret } = await addSecretTo(tx, before.id);
    if (request.keepHours > 0) await endSecrets(tx, before.id, end, sql`AND id <> ${secretId}`);
    const facts = { secret: secretId, old_secrets_end: end.toISOString() };
    return {
      changes: { secret: { old: null, new: secretId }, old_secrets_end: { old: null, new: end.toISOString() } },
      events: [{ name: "secret.created", practices: before.practices, facts }],
      result: { id: before.id, client_id: before.client_id, client_secret: clientSecret },
    };
  });
  if (request.keepHours === 0) forgetTokensOf(request.id);
  return made;
}

/**
 * Revokes a secret, and with it every token it made.
 *
 * @throws NotFoundError, VersionConflictError
 * @throws ConflictError belongs_elsewhere
 */
export async function revokeSecret(request: ChangeRequest & { secretId: number }): Promise<void> {
  const { id, secretId } = request;
  await change(request, async (tx, before) => {
    requireWhole(before);
    const removed = await tx.run(sql`DELETE FROM oauth_client_secret WHERE id = ${secretId} AND client_id = ${id}`);
    if (removed === 0) throw new NotFoundError("secret");
    return {
      changes: { secret: { old: secretId, new: null } },
      events: [{ name: "secret.revoked", practices: before.practices, facts: { secret: secretId } }],
      result: undefined,
    };
  });
  forgetTokensOf(id);
}

async function change<T>(
  request: ChangeRequest,
  apply: (tx: Tx, before: StaffClient) => Promise<{ changes: FieldChanges; events: ClientEvent[]; result: T }>,
): Promise<T> {
  const { access, origin, id, ifMatch = null } = request;
  return transaction(async (tx) => {
    await tx.first(sql`SELECT id FROM oauth_client WHERE id = ${id} FOR NO KEY UPDATE`);
    const before = await getStaffClient(access, id, tx);
    requireVersion(ifMatch, before.version);
    const { changes, events, result } = await apply(tx, before);
    if (Object.keys(changes).length === 0) return result;
    const version = before.version + 1;
    await tx.run(sql`UPDATE oauth_client SET version = ${version} WHERE id = ${id}`);
    await record(tx, request, { id, version, kind: "updated", changes });
    const about = { type: "client" as const, id, name: before.name };
    const happened = events.filter(({ practices }) => practices.length > 0);
    await auditSecurityIn(
      tx,
      happened.map((event) => ({ ...event, origin, about })),
    );
    return result;
  });
}

/** Whoever may change a client, or see a secret of it, gets what it reaches: that must be theirs already. */
function requireWhole(client: StaffClient): void {
  if (client.elsewhere)
    throw new ConflictError(
      "belongs_elsewhere",
      `${client.name} also reaches practices that are not yours. You can only take this practice from it.`,
    );
}

function requireScopes(scopes: readonly string[]): void {
  const problem = scopes.map(scopeProblem).find((found) => found !== null);
  if (problem) throw new ValidationError({ allowed_scopes: [problem] });
}

/** Practices of the admin's own, and of the organization: a client belongs to one. */
async function requirePractices(tx: Tx, access: Access, practices: readonly number[]): Promise<number[]> {
  const own = await listOwnPractices(access, tx);
  const organization = await organizationOf(tx, currentPractice(access));
  const wanted = [...new Set(practices)].sort((a, b) => a - b);
  for (const id of wanted) {
    if (!own.includes(id) || (await organizationOf(tx, id)) !== organization)
      throw new ValidationError({ practices: ["No such practice."] });
  }
  if (!wanted.some((id) => access.practices.includes(id)))
    throw new ValidationError({ practices: ["Must include this practice."] });
  return wanted;
}

async function setPractices(tx: Tx, before: StaffClient, practices: readonly number[]): Promise<void> {
  const gone = before.practices.filter((id) => !practices.includes(id));
  await tx.run(sql`
    DELETE FROM oauth_client_practice WHERE client_id = ${before.id} AND ${inList(sql`practice_id`, gone)}`);
  await tx.run(sql`
    INSERT INTO oauth_client_practice (client_id, practice_id)
    SELECT ${before.id}, id FROM unnest(${[...practices]}::bigint[]) AS p(id) ON CONFLICT DO NOTHING`);
}

async function endSecrets(tx: Tx, clientId: number, end: Date, but: Sql = empty): Promise<void> {
  await tx.run(sql`
    UPDATE oauth_client_secret SET expires_date = least(expires_date, ${end}::timestamptz)
    WHERE client_id = ${clientId} ${but}`);
}

async function record(
  tx: Tx,
  { access, origin }: AdminRequest,
  entry: { id: number; version: number; kind: "created" | "updated"; changes: FieldChanges },
): Promise<void> {
  const practiceId = access.practices[0] ?? null;
  await appendRecordVersion(tx, { type: "oauth_client", practiceId, origin, occurredDate: isoNow(), ...entry });
}
