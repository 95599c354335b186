// Invariants 1 to 3, property-based: after any sequence of policy and legacy operations and deliveries, both stores are
// equal and history replays to the current state.

import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { RANK_WORDS } from "@/lib/insurance/fields/limits";
import { deliverPatient } from "@/lib/insurance/replication/deliver";
import { type Basics, call, MARIA, seedBasics, seedPatient } from "../support/api";
import { imageContent } from "../support/images";
import { rounds } from "../support/rounds";
import { expectStoresAgree, policiesOf } from "../support/stores";

// Writers do not deliver here, so that events pile up and meet writes in the other store.
process.env.STREAM_CONSUMER = "worker";
process.env.STREAM_WAIT_MS = "0";

const SEED = Number(process.env.PROPERTY_SEED ?? Date.now() % 2 ** 31);
const RUNS = rounds(25);

let basics: Basics;
beforeAll(async () => {
  basics = await seedBasics();
});

const rank = fc.constantFrom(null, 1, 2, 3);
const pick = fc.nat({ max: 7 });
const member = fc.stringMatching(/^[A-Z0-9]{1,6}$/);
const operation = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("create" as const), rank, member }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("update" as const), pick, rank, member }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("archive" as const), pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restore" as const), pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("remove" as const), pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("reorder" as const), order: fc.shuffledSubarray([1, 2, 3]) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("image" as const),
      pick,
      at: fc.integer({ min: 1, max: 3 }),
      seed: fc.nat(20),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("unimage" as const), pick, at: fc.integer({ min: 1, max: 3 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("legacy" as const),
      entries: fc.uniqueArray(fc.record({ keep: fc.option(pick), rank: fc.constantFrom(...RANK_WORDS), member }), {
        selector: (entry) => entry.rank,
        maxLength: 3,
      }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("rename" as const), name: fc.constantFrom("Lopez", "López", "Hart") }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("card" as const), rank: fc.constantFrom(1, 2, 3), seed: fc.nat(20) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("uncard" as const), rank: fc.constantFrom(1, 2, 3) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("deliver" as const) }) },
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

async function perform(patient: number, step: Operation): Promise<void> {
  const { token } = basics;
  const path = `patients/${patient}`;
  const all = await policiesOf(patient);
  const someone = "pick" in step ? all[step.pick % Math.max(1, all.length)] : undefined;
  const who = (await call("GET", path, { token })).body;
  const identity = { ...MARIA, patient_last_name: who.last_name };
  const send = async (method: string, target: string, body?: unknown) => {
    const response = await call(method, target, { token, body });
    expect(response.status, `${method} ${target} ${JSON.stringify(response.body)}`).toBeLessThan(500);
  };
  switch (step.do) {
    case "create":
      return send("POST", `${path}/policies`, { ...identity, rank: step.rank, member_id: step.member });
    case "reorder": {
      const active = all.filter(({ status }) => status === "active").slice(0, step.order.length);
      return send(
        "POST",
        `${path}/policies/reorder`,
        active.map(({ id }, at) => ({ id, rank: step.order[at] })),
      );
    }
    case "legacy": {
      const current: { id: number }[] = who.insurances;
      const insurances = step.entries.map((entry) => ({
        rank: entry.rank,
        member_id: entry.member,
        ...(entry.keep !== null && current.length > 0 && { id: current[entry.keep % current.length]?.id }),
      }));
      return send("PATCH", path, { insurances });
    }
    case "rename":
      return send("PATCH", path, { last_name: step.name });
    case "card":
      return send("POST", `${path}/insurance_cards`, {
        rank: step.rank,
        side: 1,
        image: await imageContent(step.seed),
      });
    case "uncard":
      return send("DELETE", `${path}/insurance_cards?rank=${step.rank}&side=1`);
    case "deliver":
      await deliverPatient(patient);
      return;
  }
  if (!someone) return;
  const policy = `${path}/policies/${someone.id}`;
  if (step.do === "update") return send("PUT", policy, { ...identity, rank: step.rank, member_id: step.member });
  if (step.do === "archive") return send("DELETE", policy);
  if (step.do === "restore") return send("POST", `${policy}/restore`);
  if (step.do === "remove") return send("DELETE", `${policy}?permanent=true`);
  if (step.do === "unimage") return send("DELETE", `${policy}/card-images/${step.at}`);
  return send("POST", `${policy}/card-images`, { image_rank: step.at, image: await imageContent(step.seed) });
}

test.each(["enabled", "disabled"] as const)(
  `after any sequence of operations both stores are equal and history replays, versioning %s (seed ${SEED})`,
  async (setting) => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 25 }), async (steps) => {
        const patient = await seedPatient(basics[setting], basics.physicians[setting]);
        for (const step of steps) await perform(patient, step);
        await deliverPatient(patient);
        await expectStoresAgree(patient);
      }),
      { seed: SEED, numRuns: RUNS, endOnFailure: false },
    );
  },
);
