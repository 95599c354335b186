import http from "node:http";
import { deflateSync } from "node:zlib";
import sharp from "sharp";
import { pngOf } from "@/tests/support/images";
import { Browser } from "@/tests/support/sign-in";

/** The target of the attacks. */
export interface Victim {
  url: string;
  token: string;
  practice: number;
  /** The email address of a user who can sign in. */
  email: string;
  /** The Cookie header of a staff member of the practice. */
  cookie: string;
  /** The result of {@link createImageBombs}, created before the attack because that takes longer than sending them. */
  bombs: readonly Buffer[];
}

/** The result of one request of an attack. */
export interface AttackResult {
  outcome: string;
  ms: number;
}

export const ATTACKS = { "sign-ins": signIns, images, upload, body } as const;
export type AttackName = keyof typeof ATTACKS;

const timed = async (work: () => Promise<string>): Promise<AttackResult> => {
  const started = performance.now();
  const outcome = await work().catch((error: NodeJS.ErrnoException) => error.code ?? error.message);
  return { outcome, ms: performance.now() - started };
};

/** Signs in 40 times at once: half with wrong passwords for one account, half for unknown addresses. */
async function signIns({ url, email }: Victim): Promise<AttackResult[]> {
  const addresses = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? email : `nobody-${index}@example.org`));
  return Promise.all(
    addresses.map((address) =>
      timed(async () => {
        const { status, error } = await new Browser(url).signIn(address, "a wrong password");
        return `${status} ${error ?? "signed in"}`;
      }),
    ),
  );
}

const [WIDTH, HEIGHT] = [8_000, 5_000];

/** Creates images of 40 megapixels in a few kilobytes: a PNG, an interlaced PNG, and a JPEG, which takes more bytes. */
export async function createImageBombs(): Promise<Buffer[]> {
  const row = 1 + WIDTH / 8;
  const png = pngOf({
    width: WIDTH,
    height: HEIGHT,
    bitDepth: 1,
    pixels: deflateSync(Buffer.alloc(row * HEIGHT), { level: 9 }),
  });
  const canvas = { create: { width: WIDTH, height: HEIGHT, channels: 3 as const, background: "white" } };
  const interlaced = await sharp(png).png({ progressive: true, palette: true, compressionLevel: 9 }).toBuffer();
  const jpeg = await sharp(canvas).grayscale().jpeg({ quality: 10 }).toBuffer();
  return [png, interlaced, jpeg];
}

/** Sends ten requests at once, each with one image of 40 megapixels. */
async function images({ url, token, practice, bombs }: Victim): Promise<AttackResult[]> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      timed(async () => {
        const bytes = bombs[index % bombs.length] as Buffer;
        const image = { base64_content: bytes.toString("base64"), content_type: "image/png" };
        const sent = JSON.stringify({ group_name: "Fax", practice, images: [image] });
        const response = await fetch(`${url}/api/2.0/incoming_files`, { method: "POST", headers, body: sent });
        await response.arrayBuffer();
        return String(response.status);
      }),
    ),
  );
}

const UPLOAD_LIMIT_MS = 120_000;

/**
 * Uploads two files for a check: one object with an empty list on each of 58,000 lines before `results`, then 58,000 damaged records,
 * one on each line.
 */
async function upload(victim: Victim): Promise<AttackResult[]> {
  const lists = await checkFile(victim, `{${'"a":[],\n'.repeat(58_000)}"results":[]}`);
  return [...lists, ...(await checkFile(victim, '{"a":[],}\n'.repeat(58_000)))];
}

async function checkFile({ url, practice, cookie }: Victim, content: string): Promise<AttackResult[]> {
  const file = Buffer.from(content);
  const runs = `${url}/api/staff/practices/${practice}/migrations`;
  const send = async (method: string, address: string, content?: Buffer | object) => {
    const isFile = content instanceof Buffer;
    const response = await fetch(address, {
      method,
      headers: {
        cookie,
        origin: url,
        "content-type": isFile ? "application/octet-stream" : "application/json",
        "if-match": "*",
      },
      ...(content ? { body: (isFile ? content : JSON.stringify(content)) as BodyInit } : {}),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${response.status} ${text.slice(0, 100)}`);
    return text === "" ? {} : JSON.parse(text);
  };
  let run = 0;
  const uploaded = await timed(async () => {
    run = (await send("POST", runs, { name: "export.json", size: file.length })).id;
    await send("PUT", `${runs}/${run}/parts/1`, file);
    await send("POST", `${runs}/${run}/work`, { work: "check" });
    return "uploaded";
  });
  const checked = await timed(async () => {
    const end = performance.now() + UPLOAD_LIMIT_MS;
    for (;;) {
      const {
        run: { state },
      } = await send("GET", `${runs}/${run}`);
      if (state !== "reading" && state !== "checking") return `run is ${state}`;
      if (performance.now() > end) return `run is still ${state}`;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  });
  return [uploaded, checked];
}

const BODY_BYTES = 150 * 1024 * 1024;

/** Sends a body of 150 MiB to the sign-in. */
async function body({ url }: Victim): Promise<AttackResult[]> {
  const chunk = Buffer.alloc(1024 * 1024, "a=b&");
  let sent = 0;
  const result = await timed(
    () =>
      new Promise<string>((resolve, reject) => {
        const headers = { "content-type": "application/x-www-form-urlencoded", "content-length": BODY_BYTES };
        const address = new URL("/api/auth/callback/credentials", url);
        const request = http.request(address, { method: "POST", headers }, (response) => {
          response.resume().on("end", () => resolve(String(response.statusCode)));
        });
        request.on("error", reject);
        const write = () => {
          while (sent < BODY_BYTES && !request.destroyed) {
            sent += chunk.length;
            if (!request.write(chunk)) return void request.once("drain", write);
          }
          request.end();
        };
        write();
      }),
  );
  return [{ ...result, outcome: `${result.outcome} after ${Math.round(sent / 1024 / 1024)} MiB` }];
}
