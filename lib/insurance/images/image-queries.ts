import type { ImageRecord, KnownImage } from "@/lib/insurance/fields/card-image";
import { anyOf, kysely } from "@/lib/platform/db/kysely";
import { db, sql } from "@/lib/platform/db/sql";

/** Returns the keys of the images that a policy or a legacy card shows or showed. */
export async function findUsedImageKeys(keys: readonly string[]): Promise<Set<string>> {
  const [ofPolicies, ofCards] = await Promise.all([findUsedPolicyKeys(keys), findUsedCardKeys(keys)]);
  return new Set([...ofPolicies, ...ofCards]);
}

async function findUsedPolicyKeys(keys: readonly string[]): Promise<string[]> {
  const rows = await db.rows(
    kysely.selectFrom("policy_card_image").select("image_key").distinct().where("image_key", "=", anyOf(keys)),
  );
  return rows.map(({ image_key }) => image_key);
}

async function findUsedCardKeys(keys: readonly string[]): Promise<string[]> {
  const rows = await db.rows(
    kysely.selectFrom("legacy_card").select("image_key").distinct().where("image_key", "=", anyOf(keys)),
  );
  return rows.map(({ image_key }) => image_key);
}

/** Returns the keys of the images that are queued for deletion. */
export async function findQueuedImageKeys(keys: readonly string[]): Promise<string[]> {
  const rows = await db.rows(
    kysely.selectFrom("deleted_image").select("image_key").where("image_key", "=", anyOf(keys)),
  );
  return rows.map(({ image_key }) => image_key);
}

/** Finds the record of an image on a current or past policy or legacy card, or null. */
export async function findImageRecord(key: string): Promise<ImageRecord | null> {
  const onPolicy = await db.first(
    kysely
      .selectFrom("policy_card_image as i")
      .innerJoin("policy as p", "p.id", "i.policy_id")
      .select(["i.sha256", "p.patient_id"])
      .where("i.image_key", "=", key)
      .limit(1),
  );
  const onCard = kysely
    .selectFrom("legacy_card")
    .select(["sha256", "patient_id"])
    .where("image_key", "=", key)
    .limit(1);
  return onPolicy ?? db.first(onCard);
}

/** Returns whether any policy or legacy card shows or showed an image. */
export async function knowsAnyImage(): Promise<boolean> {
  for await (const images of eachKnownImage()) if (images.length > 0) return true;
  return false;
}

const PAGE_SIZE = 500;
const FIRST = "00000000-0000-0000-0000-000000000000";

/** Iterates over all images that the database records, each once, in batches that fit into memory. */
export async function* eachKnownImage(): AsyncGenerator<KnownImage[]> {
  yield* pages(listPolicyImages);
  for await (const cards of pages(listCardImages)) {
    const seen = new Set(await findUsedPolicyKeys(cards.map(({ image_key }) => image_key)));
    yield cards.filter(({ image_key }) => !seen.has(image_key));
  }
}

async function* pages(list: (after: string, limit: number) => Promise<KnownImage[]>): AsyncGenerator<KnownImage[]> {
  for (let after: string | undefined = FIRST; after !== undefined; ) {
    const page: KnownImage[] = await list(after, PAGE_SIZE);
    if (page.length > 0) yield page;
    after = page.at(-1)?.image_key;
  }
}

async function listPolicyImages(after: string, limit: number): Promise<KnownImage[]> {
  return db.rows<KnownImage>(sql`
    SELECT DISTINCT ON (i.image_key) i.image_key, i.sha256, i.bytes, p.patient_id, i.policy_id
    FROM policy_card_image i JOIN policy p ON p.id = i.policy_id
    WHERE i.image_key > ${after}::uuid ORDER BY i.image_key, i.id LIMIT ${limit}`);
}

/** Lists the next `limit` images of legacy cards after a key, including ended cards, in the order of keys. */
async function listCardImages(after: string, limit: number): Promise<KnownImage[]> {
  return db.rows<KnownImage>(sql`
    SELECT DISTINCT ON (image_key) image_key, sha256, bytes, patient_id, NULL::bigint AS policy_id FROM legacy_card
    WHERE image_key > ${after}::uuid ORDER BY image_key LIMIT ${limit}`);
}
