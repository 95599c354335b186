// Invariant 1 under load: one active policy per patient and rank, none lost or duplicated, with concurrent writes.
import { beforeAll, describe, expect, test } from "vitest";
import { type Basics, call, MARIA, seedBasics, seedPatient } from "../support/api";
import { rounds } from "../support/rounds";
import { activeByRank, expectStoresAgree, policiesOf } from "../support/stores";

let basics: Basics;

beforeAll(async () => {
  basics = await seedBasics();
});

const PARALLEL = 50;
const ROUNDS = rounds(8);
const ORDERS = [
  [1, 2, 3],
  [1, 3, 2],
  [2, 1, 3],
  [2, 3, 1],
  [3, 1, 2],
  [3, 2, 1],
];
const WORDS = ["primary", "secondary", "tertiary"];

async function threePolicies() {
  const patient = await seedPatient(basics.enabled, basics.physicians.enabled);
  const created = [];
  for (const rank of [1, 2, 3]) {
    const body = { ...MARIA, rank, member_id: `M${rank}` };
    created.push((await call("POST", `patients/${patient}/policies`, { token: basics.token, body })).body);
  }
  return { patient, created };
}

test(`${PARALLEL} concurrent creates at one rank, ${ROUNDS} rounds: one active policy each time, the others superseded, no 5xx`, async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const patient = await seedPatient(basics.enabled, basics.physicians.enabled);
    const responses = await Promise.all(
      Array.from({ length: PARALLEL }, (_, at) =>
        call("POST", `patients/${patient}/policies`, {
          token: basics.token,
          body: { ...MARIA, rank: 1, member_id: `M${at}` },
        }),
      ),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array(PARALLEL).fill(201));
    const all = await policiesOf(patient);
    expect(all).toHaveLength(PARALLEL);
    expect(all.filter(({ status }) => status === "active")).toHaveLength(1);
    expect(new Set(all.map(({ member_id }) => member_id)).size).toBe(PARALLEL);
    await expectStoresAgree(patient);
  }
});

describe("all permutations of three ranks lose and duplicate no policy", () => {
  test.each(ORDERS)("by reorder to %i %i %i", async (...order) => {
    const { patient, created } = await threePolicies();
    const body = created.map(({ id }, at) => ({ id, rank: order[at] }));
    const response = await call("POST", `patients/${patient}/policies/reorder`, { token: basics.token, body });
    expect(response.status).toBe(200);
    expect(await activeByRank(patient)).toEqual(Object.fromEntries(order.map((rank, at) => [rank, `M${at + 1}`])));
    await expectStoresAgree(patient);
  });

  test.each(ORDERS)("by PUT, with a temporarily unranked policy, to %i %i %i", async (...order) => {
    const { patient, created } = await threePolicies();
    const put = (id: number, rank: number | null) =>
      call("PUT", `patients/${patient}/policies/${id}`, { token: basics.token, body: { ...MARIA, rank } });
    for (const { id } of created) expect((await put(id, null)).status).toBe(200);
    await expectStoresAgree(patient);
    for (const [at, { id }] of created.entries()) expect((await put(id, order[at] as number)).status).toBe(200);
    expect(await activeByRank(patient)).toEqual(Object.fromEntries(order.map((rank, at) => [rank, `M${at + 1}`])));
    await expectStoresAgree(patient);
  });

  test.each(ORDERS)("by legacy PUT to %i %i %i", async (...order) => {
    const { patient, created } = await threePolicies();
    const got = (await call("GET", `patients/${patient}`, { token: basics.token })).body;
    const insurances = created.map(({ patient_insurance }, at) => ({
      id: patient_insurance,
      rank: WORDS[(order[at] as number) - 1],
    }));
    const body = { ...got, insurances };
    expect((await call("PUT", `patients/${patient}`, { token: basics.token, body })).status).toBe(200);
    expect(await activeByRank(patient)).toEqual(Object.fromEntries(order.map((rank, at) => [rank, `M${at + 1}`])));
    expect(await policiesOf(patient)).toHaveLength(3);
    await expectStoresAgree(patient);
  });
});

test("concurrent writers of every kind on one patient: no 5xx, and both stores agree afterwards", async () => {
  const { patient, created } = await threePolicies();
  const { token } = basics;
  const path = `patients/${patient}`;
  const got = (await call("GET", path, { token })).body;
  const writers = [
    (at: number) =>
      call("POST", `${path}/policies`, { token, body: { ...MARIA, rank: (at % 3) + 1, member_id: `N${at}` } }),
    (at: number) =>
      call("PUT", `${path}/policies/${created[at % 3].id}`, {
        token,
        body: { ...MARIA, rank: (at % 3) + 1, group_id: `${at}` },
      }),
    (at: number) =>
      call("PUT", path, { token, body: { ...got, insurances: [{ rank: WORDS[at % 3], member_id: `L${at}` }] } }),
    (at: number) => call("DELETE", `${path}/policies/${created[at % 3].id}`, { token }),
    (at: number) => call("POST", `${path}/policies/${created[at % 3].id}/restore`, { token }),
    () => call("PATCH", path, { token, body: { insurances: [] } }),
    (at: number) => call("PATCH", path, { token, body: { notes: `note ${at}` } }),
  ];
  const responses = await Promise.all(Array.from({ length: 140 }, (_, at) => writers[at % writers.length]?.(at)));
  const statuses = new Set(responses.map((response) => response?.status));
  expect([...statuses].filter((status) => (status ?? 500) >= 500)).toEqual([]);
  await expectStoresAgree(patient);
});
