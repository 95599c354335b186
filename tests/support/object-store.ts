// The S3-compatible store of the tests: OpenStack Swift, or the one that TEST_S3_ENDPOINT selects.
import { randomBytes } from "node:crypto";
import { S3 } from "@aws-sdk/client-s3";
import type { S3Settings } from "@/lib/platform/storage/s3-image-store";
import { hasSwift, launchSwift } from "@/scripts/lib/cluster/swift.mjs";

export interface ObjectStore {
  /** A store with an empty bucket. */
  settings: S3Settings & { endpoint: string; accessKeyId: string; secretAccessKey: string };
  stop(): Promise<void>;
}

/** Whether a store is available; if not, `npm test` has reported why. */
export const hasObjectStore = process.env.TEST_S3_ENDPOINT !== undefined || hasSwift();

/** Starts a store, or creates a bucket in the given store. */
export async function startObjectStore(): Promise<ObjectStore> {
  const { TEST_S3_ENDPOINT, TEST_S3_REGION, TEST_S3_ACCESS_KEY_ID, TEST_S3_SECRET_ACCESS_KEY } = process.env;
  const keys = {
    accessKeyId: TEST_S3_ACCESS_KEY_ID ?? "crosswalk:tests",
    secretAccessKey: TEST_S3_SECRET_ACCESS_KEY ?? randomBytes(12).toString("hex"),
  };
  const server = TEST_S3_ENDPOINT ? { endpoint: TEST_S3_ENDPOINT, stop: async () => {} } : await launchSwift(keys);
  const settings = {
    ...keys,
    endpoint: server.endpoint,
    region: TEST_S3_REGION ?? "us-east-1",
    bucket: `crosswalk-test-${randomBytes(6).toString("hex")}`,
    prefix: "cards/",
    forcePathStyle: true,
  };
  const s3 = new S3({ ...settings, credentials: keys });
  await s3.createBucket({ Bucket: settings.bucket });
  return {
    settings,
    async stop() {
      if (TEST_S3_ENDPOINT) await removeBucket(s3, settings.bucket);
      s3.destroy();
      await server.stop();
    },
  };
}

/** Returns the settings of an installation that stores its images there. */
export function environmentOf({ settings }: ObjectStore): Record<string, string> {
  return {
    IMAGE_STORE: "s3",
    S3_ENDPOINT: settings.endpoint,
    S3_REGION: settings.region,
    S3_BUCKET: settings.bucket,
    S3_PREFIX: settings.prefix,
    S3_ACCESS_KEY_ID: settings.accessKeyId,
    S3_SECRET_ACCESS_KEY: settings.secretAccessKey,
    S3_FORCE_PATH_STYLE: String(settings.forcePathStyle),
  };
}

async function removeBucket(s3: S3, bucket: string): Promise<void> {
  for (;;) {
    const { Contents = [] } = await s3.listObjectsV2({ Bucket: bucket });
    if (Contents.length === 0) break;
    for (const { Key } of Contents) await s3.deleteObject({ Bucket: bucket, Key });
  }
  await s3.deleteBucket({ Bucket: bucket });
}
