// Card image uploads: JPEG or PNG by content, within the limits, stored without metadata.
import sharp from "sharp";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { imageStore } from "@/lib/platform/storage/image-store";
import { type Basics, call, MARIA, seedBasics, seedPatient } from "@/tests/support/api";
import { pngImage } from "@/tests/support/images";
import { snapshot } from "@/tests/support/snapshot";
import { policiesOf } from "@/tests/support/stores";

let basics: Basics;
let token: string;
let path: string;
let patient: number;
let card: string;

beforeAll(async () => {
  basics = await seedBasics();
  token = basics.token;
});
beforeEach(async () => {
  patient = await seedPatient(basics.enabled, basics.physicians.enabled);
  const { body } = await call("POST", `patients/${patient}/policies`, { token, body: { ...MARIA, rank: 1 } });
  path = `patients/${patient}/policies/${body.id}/card-images`;
  card = `patients/${await seedPatient(basics.disabled, basics.physicians.disabled)}/insurance_cards`;
});

const MIB = 1024 * 1024;
const canvas = { create: { width: 40, height: 24, channels: 3 as const, background: "#3366cc" } };
const jpeg = () => sharp(canvas).jpeg().toBuffer();

function form(bytes: Uint8Array, options: { name?: string; type?: string; rank?: string } = {}): FormData {
  const data = new FormData();
  data.set("image", new File([bytes as BlobPart], options.name ?? "card.jpg", { type: options.type ?? "image/jpeg" }));
  if (options.rank !== undefined) data.set("image_rank", options.rank);
  return data;
}
const encoded = (bytes: Uint8Array) => ({
  base64_content: Buffer.from(bytes).toString("base64"),
  original_filename: "c",
});
/** The three ways to send an image. */
const WAYS: [string, (bytes: Uint8Array) => ReturnType<typeof call>][] = [
  ["multipart", (bytes) => call("POST", path, { token, body: form(bytes) })],
  ["JSON", (bytes) => call("POST", path, { token, body: { image: encoded(bytes) } })],
  ["a card by rank", (bytes) => call("POST", card, { token, body: { rank: 1, side: 1, image: encoded(bytes) } })],
];

/** Builds a decompression bomb: a PNG whose header declares more pixels than it has. */
async function bomb(width: number, height: number): Promise<Buffer> {
  const bytes = await pngImage(1);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  const { crc32 } = await import("node:zlib");
  bytes.writeUInt32BE((crc32 as (data: Buffer) => number)(bytes.subarray(12, 29)), 29);
  return bytes;
}

const REJECTED: [string, () => Promise<Uint8Array>][] = [
  ["text", async () => Buffer.from("This is no image at all.")],
  ["HTML that begins like a JPEG", async () => Buffer.from("\xff\xd8\xff<script>alert(1)</script>", "latin1")],
  ["an SVG", async () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect/></svg>')],
  ["a GIF", () => sharp(canvas).gif().toBuffer()],
  ["a WebP", () => sharp(canvas).webp().toBuffer()],
  ["a TIFF", () => sharp(canvas).tiff().toBuffer()],
  ["a PDF", async () => Buffer.from("%PDF-1.4\n%%EOF")],
  ["a truncated JPEG", async () => (await jpeg()).subarray(0, -120)],
  ["a truncated PNG", async () => (await pngImage(1)).subarray(0, -30)],
  ["only the first bytes of a PNG", async () => (await pngImage(1)).subarray(0, 8)],
  ["41 megapixels declared", () => bomb(8200, 5000)],
  ["four billion declared pixels", () => bomb(65_000, 65_000)],
  ["a side of two billion pixels", () => bomb(2_000_000_000, 1)],
  ["zero bytes", async () => new Uint8Array()],
];

describe.each(WAYS)("400 for files that are not card images, by %s", (_way, send) => {
  test.each(REJECTED)("%s", async (_case, make) => {
    const before = await snapshot();
    const { status, body } = await send(await make());
    expect([status, Object.keys(body)]).toEqual([400, ["image"]]);
    expect(await snapshot()).toEqual(before);
  });
});

describe("413", () => {
  test.each(WAYS)("11 MiB, by %s", async (_way, send) => {
    const before = await snapshot();
    const bytes = Buffer.concat([await jpeg(), Buffer.alloc(11 * MIB)]);
    const { status, body } = await send(bytes);
    expect([status, body.code]).toEqual([413, "image_too_large"]);
    expect(await snapshot()).toEqual(before);
  });

  test("a body larger than the limit of all bodies", async () => {
    const { status } = await call("POST", path, { token, body: form(Buffer.alloc(17 * MIB)) });
    expect(status).toBe(413);
  });
});

describe("400", () => {
  test.each(["", "=", "====", "a", "not base64!", "data:image/png;base64,", "é", "A===", "AAAA=AAA", "%41%41", "=AAA"])(
    "%j is not base64",
    async (base64_content) => {
      const before = await snapshot();
      for (const [where, body] of [
        [path, { image: { base64_content } }],
        [card, { rank: 1, side: 1, image: { base64_content, original_filename: "c" } }],
      ] as const) {
        const response = await call("POST", where, { token, body });
        expect([response.status, response.body]).toEqual([400, { image: { base64_content: [expect.any(String)] } }]);
      }
      expect(await snapshot()).toEqual(before);
    },
  );

  test.each(["0", "10", "-1", "1.5", "x", "99999999999999999999", "NaN"])("image_rank %s", async (rank) => {
    const { status, body } = await call("POST", path, { token, body: form(await jpeg(), { rank }) });
    expect([status, Object.keys(body)]).toEqual([400, ["image_rank"]]);
  });

  test("a form without an image, with the image as text or twice, or with unknown fields", async () => {
    const bytes = await jpeg();
    const make = (change: (data: FormData) => void) => {
      const data = form(bytes);
      change(data);
      return data;
    };
    const cases: [FormData, string][] = [
      [make((data) => data.delete("image")), "image"],
      [make((data) => data.set("image", "text")), "image"],
      [make((data) => data.append("image", new File([bytes as BlobPart], "b.jpg"))), "image"],
      [make((data) => data.set("other", "1")), "other"],
      [make((data) => data.set("constructor", "1")), "constructor"],
      [make((data) => data.set("__proto__", "1")), "__proto__"],
      [make((data) => data.set("image_rank", new File(["1"], "1.txt"))), "image_rank"],
    ];
    const before = await snapshot();
    for (const [body, field] of cases) {
      const response = await call("POST", path, { token, body });
      expect([field, response.status, Object.keys(response.body)]).toEqual([field, 400, [field]]);
    }
    expect(await snapshot()).toEqual(before);
  });

  test.each(["multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=other"])(
    "a form that can't be parsed: %s",
    async (type) => {
      const body = '--real\r\ncontent-disposition: form-data; name="image"\r\n\r\nx\r\n--real--\r\n';
      const response = await call("POST", path, { token, body, headers: { "content-type": type } });
      expect([response.status, response.body.code]).toEqual([400, "invalid_form"]);
    },
  );
});

describe("201", () => {
  test.each([
    ["a PNG called a JPEG", () => pngImage(1), "image/png"],
    ["a JPEG called a PNG", jpeg, "image/jpeg"],
  ])("the type comes from the content: %s", async (_case, make, type) => {
    const part = { name: type === "image/png" ? "card.jpg" : "card.png", type: "text/html" };
    const { status, body } = await call("POST", path, { token, body: form(await make(), part) });
    expect([status, body.content_type]).toEqual([201, type]);
    const link = new URL(body.url);
    const shown = await call("GET", link.href);
    expect([shown.status, shown.headers.get("content-type")]).toEqual([200, type]);
    expect(shown.headers.get("x-content-type-options")).toBe("nosniff");
  });

  test("EXIF, GPS, XMP, ICC and comments are stripped from what is stored", async () => {
    const exif = {
      IFD0: { Make: "SecretCam", Artist: "Maria Lopez" },
      IFD3: { GPSLatitude: "42/1 21/1 0/1", GPSLatitudeRef: "N" },
    };
    const source = await sharp(canvas).withExif(exif).withIccProfile("p3").jpeg().toBuffer();
    expect((await sharp(source).metadata()).exif).toBeDefined();
    await call("POST", path, { token, body: form(source) });
    const [image] = (await policiesOf(patient)).flatMap(({ card_images }) => card_images);
    const stored = Buffer.from((await imageStore().get(image?.image_key ?? "")) ?? []);
    const { exif: kept, xmp, iptc, icc, comments, format } = await sharp(stored).metadata();
    expect([format, kept, xmp, iptc, icc, comments]).toEqual([
      "jpeg",
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(stored.includes("SecretCam") || stored.includes("Lopez") || stored.includes("GPS")).toBe(false);
  });

  test("an image that was rotated by EXIF is stored upright", async () => {
    const source = await sharp(canvas).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    const { body } = await call("POST", path, { token, body: form(source) });
    expect([body.width, body.height]).toEqual([24, 40]);
  });

  test("bytes after the end of the image are removed", async () => {
    const source = Buffer.concat([await pngImage(2), Buffer.from("<script>alert(1)</script>")]);
    const { status, body } = await call("POST", path, { token, body: form(source) });
    expect(status).toBe(201);
    const shown = await call("GET", body.url);
    expect(Buffer.from(shown.body).includes("script")).toBe(false);
  });

  test("base64 may be a data URL and may contain line breaks", async () => {
    const text = (await pngImage(3)).toString("base64").replace(/(.{60})/g, "$1\r\n");
    for (const base64_content of [text, `data:image/png;base64,${text}`]) {
      expect((await call("POST", path, { token, body: { image: { base64_content } } })).status).toBe(201);
    }
  });
});

describe("404 for a link to an image", () => {
  test("that was changed, belongs to another image, or expired", async () => {
    const { body } = await call("POST", path, { token, body: form(await jpeg()) });
    const tampered = (change: (url: URL) => void) => {
      const url = new URL(body.url);
      change(url);
      return url.href;
    };
    const links = [
      tampered((url) => url.searchParams.set("expires", "99999999999")),
      tampered((url) => url.searchParams.set("signature", "x")),
      tampered((url) => url.searchParams.delete("signature")),
      tampered((url) => url.searchParams.delete("expires")),
      tampered((url) => {
        url.pathname = url.pathname.replace(/[0-9a-f-]{36}$/, "00000000-0000-4000-8000-000000000000");
      }),
      tampered((url) => {
        url.pathname = url.pathname.replace(/[0-9a-f-]{36}$/, "..%2f..%2fsecret");
      }),
      tampered((url) => {
        url.pathname = url.pathname.toUpperCase().replace("API/2.0/CARD_IMAGES", "api/2.0/card_images");
      }),
    ];
    for (const link of links) expect([link, (await call("GET", link)).status]).toEqual([link, 404]);
  });
});
