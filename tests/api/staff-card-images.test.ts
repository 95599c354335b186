// Card images by staff: uploading, replacing, deleting, and restoring earlier ones without another upload.
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Basics, call, MARIA, seedBasics, seedPatient } from "@/tests/support/api";
import { pngImage } from "@/tests/support/images";
import { type SignedIn, signInAs, staffCallAs } from "@/tests/support/staff";

let basics: Basics;
let staff: SignedIn;
let viewer: SignedIn;
let stranger: SignedIn;
let api: string;
let path: string;

beforeAll(async () => {
  basics = await seedBasics();
  staff = await signInAs("staff", [basics.enabled]);
  viewer = await signInAs("viewer", [basics.enabled]);
  stranger = await signInAs("admin", [basics.foreign]);
});
beforeEach(async () => {
  const patient = await seedPatient(basics.enabled, basics.physicians.enabled);
  const body = { ...MARIA, rank: 1 };
  const created = await call("POST", `patients/${patient}/policies`, { token: basics.token, body });
  api = `patients/${patient}/policies/${created.body.id}`;
  path = `practices/${basics.enabled}/${api}/card-images`;
});

async function upload(seed: number, rank: number, options: { who?: SignedIn; version?: number } = {}) {
  const body = new FormData();
  body.set("image", new File([(await pngImage(seed)) as BlobPart], "card.png", { type: "image/png" }));
  body.set("image_rank", String(rank));
  const headers: Record<string, string> = options.version ? { "if-match": `"${options.version}"` } : {};
  return staffCallAs(options.who ?? staff, "POST", path, { body, headers });
}
const read = async () => (await staffCallAs(viewer, "GET", path)).body;
const bytesOf = async (url: string) => (await call("GET", url)).body as Uint8Array;
const putBack = (version: number, image_rank: number, headers = {}) =>
  staffCallAs(staff, "POST", `${path}/put-back`, { body: { version, image_rank }, headers });

describe("an upload", () => {
  test("stores the image at its rank for the signed-in user and returns the policy's new version", async () => {
    const { status, body, headers } = await upload(1, 2, { version: 1 });
    expect(status).toBe(201);
    expect(headers.get("etag")).toBe('"2"');
    expect(body).toMatchObject({ version: 2, image: { image_rank: 2, content_type: "image/png", width: 32 } });
    expect((await bytesOf(body.image.url)).length).toBeGreaterThan(0);
    const { body: version } = await call("GET", `${api}/versions/2`, { token: basics.token });
    expect(version).toMatchObject({ kind: "card_image_added", source: "staff", actor: { type: "staff" } });
    expect(await read()).toMatchObject({
      version: 2,
      status: "active",
      images: [{ image_rank: 2 }],
      former: [],
      limits: { bytes: 10 * 1024 * 1024, pixels: 40_000_000 },
    });
  });

  test("is rejected if the version is outdated, and nothing is stored", async () => {
    await upload(1, 1);
    expect(await upload(2, 1, { version: 1 })).toMatchObject({ status: 412, body: { code: "version_conflict" } });
    expect((await read()).version).toBe(2);
  });

  test("names the field if the file is not an image", async () => {
    const body = new FormData();
    body.set("image", new File(["no image"], "card.jpg", { type: "image/jpeg" }));
    const response = await staffCallAs(staff, "POST", path, { body });
    expect(response).toMatchObject({ status: 400, body: { image: ["The file is not a JPEG or PNG image."] } });
  });
});

describe("a former image", () => {
  test("is listed with the versions that showed it and can be restored", async () => {
    const first = await upload(1, 1);
    await upload(2, 1);
    const removed = await staffCallAs(staff, "DELETE", `${path}/1`, { headers: { "if-match": '"3"' } });
    expect(removed).toMatchObject({ status: 200, body: { version: 4 } });
    const { images, former } = await read();
    expect(images).toEqual([]);
    expect(former).toMatchObject([
      { image_rank: 1, from_version: 3, to_version: 3 },
      { image_rank: 1, from_version: 2, to_version: 2, sha256: first.body.image.sha256 },
    ]);

    const back = await putBack(2, 1, { "if-match": '"4"' });
    expect(back).toMatchObject({ status: 201, body: { version: 5, image: { sha256: first.body.image.sha256 } } });
    expect(await bytesOf(back.body.image.url)).toEqual(await bytesOf(first.body.image.url));
    expect((await read()).images).toMatchObject([{ image_rank: 1, sha256: first.body.image.sha256 }]);
    const { body: legacy } = await call("GET", `${api}/card-images`, { token: basics.token });
    expect(legacy).toMatchObject([{ image_rank: 1, sha256: first.body.image.sha256 }]);
  });

  test("replaces the current one, which becomes a former one", async () => {
    const first = await upload(1, 1);
    const second = await upload(2, 1);
    await putBack(2, 1);
    const { images, former } = await read();
    expect(images).toMatchObject([{ sha256: first.body.image.sha256 }]);
    expect(former[0]).toMatchObject({ sha256: second.body.image.sha256, from_version: 3, to_version: 3 });
  });

  test("is restored only on the version that the user saw, and from a version that showed it", async () => {
    await upload(1, 1);
    await staffCallAs(staff, "DELETE", `${path}/1`);
    expect((await putBack(2, 1, { "if-match": '"2"' })).status).toBe(412);
    expect((await putBack(1, 1)).status).toBe(404);
    expect((await putBack(9, 1)).status).toBe(404);
    expect((await putBack(2, 10)).status).toBe(400);
    expect((await staffCallAs(staff, "DELETE", `${path}/1`)).status).toBe(404);
  });
});

test("card images of an archived policy stay readable and can't be changed", async () => {
  await upload(1, 1);
  await call("DELETE", api, { token: basics.token });
  const { status, images } = await read();
  expect(status).toBe("archived");
  expect(images).toHaveLength(1);
  expect(await upload(2, 2)).toMatchObject({ status: 409, body: { code: "policy_archived" } });
  expect((await staffCallAs(staff, "DELETE", `${path}/1`)).status).toBe(409);
  expect((await putBack(2, 1)).status).toBe(409);
});

test("viewers can only look; other practices and signed-out users see nothing", async () => {
  await upload(1, 1);
  expect((await upload(2, 2, { who: viewer })).status).toBe(403);
  expect((await staffCallAs(viewer, "DELETE", `${path}/1`)).status).toBe(403);
  expect((await staffCallAs(viewer, "POST", `${path}/put-back`, { body: { version: 2, image_rank: 1 } })).status).toBe(
    403,
  );
  const own = path.replace(`practices/${basics.enabled}/`, `practices/${basics.foreign}/`);
  for (const each of [path, own]) {
    expect((await staffCallAs(stranger, "GET", each)).status).toBe(404);
    expect((await staffCallAs(stranger, "DELETE", `${each}/1`)).status).toBe(404);
    const body = { version: 2, image_rank: 1 };
    expect((await staffCallAs(stranger, "POST", `${each}/put-back`, { body })).status).toBe(404);
  }
  expect((await staffCallAs(null, "GET", path)).status).toBe(401);
  expect((await read()).version).toBe(2);
});
