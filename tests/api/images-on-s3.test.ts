// An installation with card images in an S3 bucket, through the API: from the upload to permanent deletion.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sweepOrphans } from "@/lib/insurance/images/sweep-orphans";
import { checkImages, copyImages } from "@/lib/insurance/images/verify-images";
import { imageStore } from "@/lib/platform/storage/image-store";
import { LocalImageStore } from "@/lib/platform/storage/local-image-store";
import { processImage, storeImage } from "@/lib/platform/storage/process-image";
import { hashImage } from "@/lib/platform/storage/read-image";
import { type Basics, call, MARIA, seedBasics, seedPatient } from "@/tests/support/api";
import { imageContent, pngImage } from "@/tests/support/images";
import { environmentOf, hasObjectStore, type ObjectStore, startObjectStore } from "@/tests/support/object-store";
import { changeSettings } from "@/tests/support/process-state";

describe.skipIf(!hasObjectStore)("card images in a bucket", () => {
  let store: ObjectStore;
  let basics: Basics;
  let token: string;
  beforeAll(async () => {
    store = await startObjectStore();
    await changeSettings(environmentOf(store));
    basics = await seedBasics();
    token = basics.token;
  });
  afterAll(() => store?.stop());

  const keys = async () => {
    const found: string[] = [];
    for await (const { key } of imageStore().list()) found.push(key);
    return found;
  };
  const bad = () => expect.unreachable();

  /** Creates a policy with an image. */
  async function createPolicyWithImage(seed: number) {
    const patient = await seedPatient(basics.enabled, basics.physicians.enabled);
    const created = await call("POST", `patients/${patient}/policies`, { token, body: { ...MARIA, rank: 1 } });
    const policy = `patients/${patient}/policies/${created.body.id}`;
    const { status, body } = await call("POST", `${policy}/card-images`, {
      token,
      body: { image: await imageContent(seed) },
    });
    expect(status).toBe(201);
    return {
      policy,
      url: body.url as string,
      sha256: body.sha256 as string,
      key: new URL(body.url).pathname.slice(-36),
    };
  }

  test("are uploaded, read by their link, verified, and deleted with their policy", async () => {
    const { policy, url, sha256, key } = await createPolicyWithImage(1);
    expect(await keys()).toContain(key);
    const shown = await call("GET", url);
    expect([shown.status, shown.headers.get("content-type"), hashImage(shown.body)]).toEqual([
      200,
      "image/png",
      sha256,
    ]);
    expect(await checkImages({ bad })).toMatchObject({ images: 1, whole: 1, missing: 0, damaged: 0 });
    await call("DELETE", policy, { token });
    expect((await call("GET", url)).status).toBe(200);
    expect((await call("DELETE", `${policy}?permanent=true`, { token })).status).toBe(204);
    expect(await keys()).not.toContain(key);
    expect((await call("GET", url)).status).toBe(404);
  });

  test("leave no object if their upload is rejected", async () => {
    const before = await keys();
    const patient = await seedPatient(basics.enabled, basics.physicians.enabled);
    const path = `patients/${patient}/policies/999999999/card-images`;
    expect((await call("POST", path, { token, body: { image: await imageContent(2) } })).status).toBe(404);
    expect(await keys()).toEqual(before);
  });

  test("are not shown if they are damaged in the bucket", async () => {
    const { url, key } = await createPolicyWithImage(3);
    await imageStore().put(key, await pngImage(4));
    expect((await call("GET", url)).body.code).toBe("image_damaged");
    await imageStore().delete(key);
    expect((await call("GET", url)).status).toBe(404);
  });

  test("are copied from a local folder if they are intact and in the database; a second run copies nothing", async () => {
    const folder = process.env.IMAGE_STORE_DIR as string;
    const local = new LocalImageStore(folder);
    const [moved, torn] = [await createPolicyWithImage(5), await createPolicyWithImage(6)];
    await local.put(moved.key, (await imageStore().get(moved.key)) as Uint8Array);
    await local.put(torn.key, Buffer.from("torn"));
    const stranger = "5d0f7a52-7f58-4f0b-9d57-3d2c1a7e5b11";
    await local.put(stranger, await pngImage(7));
    for (const { key } of [moved, torn]) await imageStore().delete(key);
    const problems: string[] = [];
    const first = await copyImages(folder, {
      bad: ({ image_key, problem }) => problems.push(`${problem} ${image_key}`),
    });
    expect(first).toMatchObject({ copied: 1, damaged: 1 });
    expect(problems).toContain(`damaged ${torn.key}`);
    expect(await copyImages(folder, { bad: () => {} })).toMatchObject({ copied: 0, damaged: 1 });
    expect((await call("GET", moved.url)).status).toBe(200);
    expect(await keys()).not.toContain(stranger);
    expect(await keys()).not.toContain(torn.key);
  });

  test("are swept if they have no record", async () => {
    const { key } = await createPolicyWithImage(8);
    const { image_key } = await storeImage(await processImage(await pngImage(9)), new Date().toISOString());
    expect(await sweepOrphans()).toMatchObject({ orphans: 0 });
    // The bucket has whole seconds and its own clock.
    expect(await sweepOrphans({ minAgeMs: -5_000 })).toMatchObject({ orphans: 1, deleted: 1 });
    expect(await keys()).toContain(key);
    expect(await keys()).not.toContain(image_key);
  });
});
