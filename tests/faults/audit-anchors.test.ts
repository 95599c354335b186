// Anchors of the audit in a bucket.
import { S3 } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, expect, test } from "vitest";
import { anchorBlocks, parseAnchors } from "@/lib/access/audit/anchors";
import { verifyAudit } from "@/lib/access/audit/chain-queries";
import { call, seedBasics, seedPatient } from "../support/api";
import { sealAll } from "../support/audit";
import { environmentOf, hasObjectStore, type ObjectStore, startObjectStore } from "../support/object-store";
import { changeSettings } from "../support/process-state";

let store: ObjectStore;
beforeAll(async () => {
  if (!hasObjectStore) return;
  store = await startObjectStore();
  const { IMAGE_STORE: _local, ...settings } = environmentOf(store);
  await changeSettings({ ...settings, AUDIT_ANCHORS: `s3://${store.settings.bucket}/audit/` });
});
afterAll(() => store?.stop());

test.skipIf(!hasObjectStore)(
  "are written as objects that are named by their first and last block, once each",
  async () => {
    const { token, enabled, disabled, physicians } = await seedBasics();
    for (const [practice, physician] of [
      [enabled, physicians.enabled],
      [disabled, physicians.disabled],
    ] as const) {
      await call("GET", `patients/${await seedPatient(practice, physician)}`, { token });
      await sealAll();
      await anchorBlocks();
      await anchorBlocks();
    }
    const { bucket, ...settings } = store.settings;
    const s3 = new S3({ ...settings, credentials: settings });
    const { Contents = [] } = await s3.listObjectsV2({ Bucket: bucket });
    const objects = Contents.filter(({ Key = "" }) => Key.startsWith("audit/"));
    const numbers = [1, 2].map((id) => String(id).padStart(16, "0"));
    expect(objects.map(({ Key }) => Key)).toEqual(
      numbers.map((number) => expect.stringMatching(`^audit/${number}-${number}-[0-9a-f]{64}\\.jsonl$`)),
    );
    const texts = await Promise.all(
      objects.map(async ({ Key }) => (await s3.getObject({ Bucket: bucket, Key })).Body?.transformToString()),
    );
    s3.destroy();
    const { heads } = await verifyAudit();
    expect(heads).toHaveLength(2);
    expect(parseAnchors(texts.join(""))).toEqual({ anchors: heads, unreadable: 0 });
  },
);
