// node scripts/run.mjs tests/support/seed-images.ts COUNT: creates patients with COUNT card images through the API: on
// policies, in their history, and on legacy cards.
import { closePool } from "@/lib/platform/db/pool";
import { type Basics, call, MARIA, seedBasics, seedPatient } from "./api";
import { imageContent } from "./images";

const IMAGES_EACH = 4;

async function seedPolicyImages(basics: Basics, seed: number): Promise<void> {
  const { token } = basics;
  const patient = await seedPatient(basics.enabled, basics.physicians.enabled);
  const { body } = await call("POST", `patients/${patient}/policies`, { token, body: { ...MARIA, rank: 1 } });
  // The last one replaces the first, which stays in the history.
  for (let at = 0; at < IMAGES_EACH; at++) {
    const image = await imageContent(seed + at);
    const image_rank = 1 + (at % (IMAGES_EACH - 1));
    await upload(`patients/${patient}/policies/${body.id}/card-images`, { image, image_rank }, token);
  }
}

async function seedCards(basics: Basics, seed: number): Promise<void> {
  const patient = await seedPatient(basics.disabled, basics.physicians.disabled);
  for (let at = 0; at < IMAGES_EACH; at++) {
    const body = { rank: 1 + Math.floor(at / 2), side: 1 + (at % 2), image: await imageContent(seed + at) };
    await upload(`patients/${patient}/insurance_cards`, body, basics.token);
  }
}

async function upload(path: string, body: unknown, token: string): Promise<void> {
  const { status } = await call("POST", path, { token, body });
  if (status !== 201) throw new Error(`POST ${path}: ${status}`);
}

const count = Number(process.argv[2]);
const basics = await seedBasics();
for (let seed = 0; seed < count; seed += IMAGES_EACH) {
  await ((seed / IMAGES_EACH) % 2 === 0 ? seedPolicyImages(basics, seed) : seedCards(basics, seed));
}
await closePool();
