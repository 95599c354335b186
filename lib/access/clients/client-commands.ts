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
import { listOwnPractices } from "@/lib/access/staff/member-queries";
import { getOrganizationId } from "@/lib/access/tenancy/organizations";
import { clock, isoNow } from "@/lib/platform/clock";
import { kysely } from "@/lib/platform/db/kysely";
import { empty, type Sql, sql } from "@/lib/platform/db/sql";
import { type Tx, transaction } from "@/lib/platform/db/transaction";
import { ConflictError, ValidationError } from "@/lib/platform/errors";
import { type IfMatch, requireVersion } from "@/lib/platform/http/conditional";
import { forgetClientTokens } from "./authenticate";
import { addSecretIn, insertClient, removeSecretIn, requireKnownScopes, revokeDisallowedTokens } from "./commands";
import type { ClientInput, ClientPatch } from "./schema";
import { getStaffClient, type StaffClient } from "./staff-queries";

/** A request of an admin to change API clients of a practice. */
interface AdminRequest {
  /** Narrowed to the practice. */
  access: Access;
  origin: Origin;
}
type ChangeRequest = AdminRequest & { id: number; ifMatch?: IfMatch };

/** An event about a client, for the audits of these practices. */
type ClientEvent = Omit<SecurityEvent, "origin" | "about">;

/** A new secret, in the only response that shows it. */
export interface NewSecret {
  id: number;
  client_id: string;
  client_secret: string;
}

/**
 * Registers an API client for practices of this organization that the admin belongs to.
 *
 * @throws ValidationError if a scope is unknown or the admin doesn't belong to a practice
 */
export async function registerClient({ access, origin }: AdminRequest, input: ClientInput): Promise<NewSecret> {
  requireKnownScopes(input.allowed_scopes);
  return transaction(async (tx) => {
    const practices = await requirePractices(tx, access, input.practices);
    const organizationId = await getOrganizationId(tx, currentPractice(access));
    const { name, scoped_tokens, allowed_scopes } = input;
    const client = await insertClient(tx, {
      name,
      organizationId,
      practices,
      scopedTokens: scoped_tokens,
      allowedScopes: allowed_scopes,
    });
    const changes = changedFields(null, { name, practices, scoped_tokens, allowed_scopes });
    await record(tx, { access, origin }, { id: client.id, version: 1, kind: "created", changes });
    const { practices: _practices, ...settings } = changes;
    await auditSecurityIn(tx, [
      { name: "client.created", origin, practices, about: { type: "client", id: client.id, name }, changes: settings },
    ]);
    return { id: client.id, client_id: client.clientId, client_secret: client.clientSecret };
  });
}

/**
 * Changes a client's name, practices or scopes, or disables or enables it. Revokes tokens with a scope that the client loses, and all
 * of its tokens if it is disabled. Other processes may accept a revoked token for up to TOKEN_CACHE_MS.
 *
 * @throws NotFoundError, VersionConflictError, ValidationError
 * @throws ConflictError belongs_elsewhere if the client has access to practices that the admin doesn't belong to
 */
export async function changeClient(request: ChangeRequest, patch: ClientPatch): Promise<void> {
  requireKnownScopes(patch.allowed_scopes ?? []);
  await change(request, async (tx, before) => {
    requireOwnClient(before);
    const practices = patch.practices ? await requirePractices(tx, request.access, patch.practices) : before.practices;
    const settings = (changed: ClientPatch) => ({
      name: changed.name ?? before.name,
      scoped_tokens: changed.scoped_tokens ?? before.scoped_tokens,
      allowed_scopes: changed.allowed_scopes ?? before.allowed_scopes,
      disabled: changed.disabled ?? before.disabled_date !== null,
    });
    const after = settings(patch);
    const { disabled, ...columns } = after;
    const disabled_date = disabled ? (before.disabled_date ?? isoNow()) : null;
    await tx.run(
      kysely
        .updateTable("oauth_client")
        .set({ ...columns, disabled_date })
        .where("id", "=", before.id),
    );
    await setPractices(tx, before, practices);
    const revoked = await revokeDisallowedTokens(tx, before.id);
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
  forgetClientTokens(request.id);
}

/**
 * Removes a client's access to the practice. Its access to other practices stays.
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
  forgetClientTokens(request.id);
}

/**
 * Creates a second secret for a client. Its earlier secrets stay valid for `keepHours`.
 *
 * @throws NotFoundError, VersionConflictError
 * @throws ConflictError two_secrets if the client already has two valid secrets, or belongs_elsewhere
 */
export async function rotateSecret(request: ChangeRequest & { keepHours: number }): Promise<NewSecret> {
  const created = await change(request, async (tx, before) => {
    requireOwnClient(before);
    const end = new Date(clock.now().getTime() + request.keepHours * 3_600_000);
    // Expire the secrets first, so that they don't count as valid ones.
    if (request.keepHours === 0) await expireSecrets(tx, before.id, end);
    const { secretId, clientSecret } = await addSecretIn(tx, before.id);
    if (request.keepHours > 0) await expireSecrets(tx, before.id, end, sql`AND id <> ${secretId}`);
    const facts = { secret: secretId, old_secrets_end: end.toISOString() };
    return {
      changes: { secret: { old: null, new: secretId }, old_secrets_end: { old: null, new: end.toISOString() } },
      events: [{ name: "secret.created", practices: before.practices, facts }],
      result: { id: before.id, client_id: before.client_id, client_secret: clientSecret },
    };
  });
  if (request.keepHours === 0) forgetClientTokens(request.id);
  return created;
}

/**
 * Revokes a secret and the tokens that were issued with it.
 *
 * @throws NotFoundError, VersionConflictError
 * @throws ConflictError belongs_elsewhere
 */
export async function revokeSecret(request: ChangeRequest & { secretId: number }): Promise<void> {
  const { id, secretId } = request;
  await change(request, async (tx, before) => {
    requireOwnClient(before);
    await removeSecretIn(tx, id, secretId);
    return {
      changes: { secret: { old: secretId, new: null } },
      events: [{ name: "secret.revoked", practices: before.practices, facts: { secret: secretId } }],
      result: undefined,
    };
  });
  forgetClientTokens(id);
}

/** Locks a client, applies a change to it, and records and audits the change. */
async function change<T>(
  request: ChangeRequest,
  apply: (tx: Tx, before: StaffClient) => Promise<{ changes: FieldChanges; events: ClientEvent[]; result: T }>,
): Promise<T> {
  const { access, origin, id, ifMatch = null } = request;
  return transaction(async (tx) => {
    await tx.run(kysely.selectFrom("oauth_client").select("id").where("id", "=", id).forNoKeyUpdate());
    const before = await getStaffClient(access, id, tx);
    requireVersion(ifMatch, before.version);
    const { changes, events, result } = await apply(tx, before);
    if (Object.keys(changes).length === 0) return result;
    const version = before.version + 1;
    await tx.run(kysely.updateTable("oauth_client").set({ version }).where("id", "=", id));
    await record(tx, request, { id, version, kind: "updated", changes });
    const about = { type: "client" as const, id, name: before.name };
    const audited = events.filter(({ practices }) => practices.length > 0);
    await auditSecurityIn(
      tx,
      audited.map((event) => ({ ...event, origin, about })),
    );
    return result;
  });
}

/**
 * Requires that the admin belongs to all practices of a client, because a secret or a change gives them the client's access.
 *
 * @throws ConflictError belongs_elsewhere
 */
function requireOwnClient(client: StaffClient): void {
  if (client.elsewhere)
    throw new ConflictError(
      "belongs_elsewhere",
      `${client.name} also has access to practices you don't belong to. You can only remove it from this practice.`,
    );
}

/** @throws ValidationError unless the admin belongs to all of the practices and they belong to this practice's organization */
async function requirePractices(tx: Tx, access: Access, practices: readonly number[]): Promise<number[]> {
  const ownPractices = await listOwnPractices(access, tx);
  const organization = await getOrganizationId(tx, currentPractice(access));
  const wanted = [...new Set(practices)].sort((a, b) => a - b);
  for (const id of wanted) {
    if (!ownPractices.includes(id) || (await getOrganizationId(tx, id)) !== organization)
      throw new ValidationError({ practices: ["No such practice."] });
  }
  if (!wanted.some((id) => access.practices.includes(id)))
    throw new ValidationError({ practices: ["Must include this practice."] });
  return wanted;
}

async function setPractices(tx: Tx, before: StaffClient, practices: readonly number[]): Promise<void> {
  const removed = before.practices.filter((id) => !practices.includes(id));
  const added = practices.filter((id) => !before.practices.includes(id));
  if (removed.length > 0) {
    await tx.run(
      kysely.deleteFrom("oauth_client_practice").where("client_id", "=", before.id).where("practice_id", "in", removed),
    );
  }
  if (added.length > 0) {
    const granted = added.map((practice_id) => ({ client_id: before.id, practice_id }));
    await tx.run(kysely.insertInto("oauth_client_practice").values(granted));
  }
}

/** Makes a client's secrets expire at `end`, unless they expire sooner. */
async function expireSecrets(tx: Tx, clientId: number, end: Date, except: Sql = empty): Promise<void> {
  await tx.run(sql`
    UPDATE oauth_client_secret SET expires_date = least(expires_date, ${end}::timestamptz)
    WHERE client_id = ${clientId} ${except}`);
}

async function record(
  tx: Tx,
  { access, origin }: AdminRequest,
  entry: { id: number; version: number; kind: "created" | "updated"; changes: FieldChanges },
): Promise<void> {
  const practiceId = access.practices[0] ?? null;
  await appendRecordVersion(tx, { type: "oauth_client", practiceId, origin, occurredDate: isoNow(), ...entry });
}
