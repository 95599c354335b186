// The checks of the fault suite find what they are for: each gets what a correct cluster leaves, and then something wrong.
import { describe, expect, test } from "vitest";
import {
  comparePolicies,
  countLostAndDoubled,
  findGaps,
  findUnaudited,
  findUnreported,
  longestGap,
  type StoredVersion,
  type Write,
} from "../support/faults/checks";

const KINDS = ["created", "card_image_added", "replaced", "edited"] as const;
/** Four writes, a second apart, of which the second was repeated. */
const WRITES: Write[] = KINDS.map((kind, at) => ({
  kind,
  attempts: at === 1 ? ["lost response", "1"] : [String(at)],
  began: at * 1_000,
  acknowledged: at * 1_000 + 500,
  isRejected: false,
}));
const VERSIONS: StoredVersion[] = KINDS.flatMap((kind, at) => {
  const request_id = at === 1 ? "lost response" : String(at);
  const policyKind = at > 1 ? "updated" : kind;
  return [
    { store: "policy" as const, id: 7, version: at + 1, kind: policyKind, request_id },
    { store: "patient" as const, id: 5, version: at + 2, kind: "insurances_changed", request_id },
  ];
});

const without = (store: string, version: number) =>
  VERSIONS.filter((one) => !(one.store === store && one.version === version));
const again = (at: number, change: Partial<StoredVersion> = {}): StoredVersion[] => [
  ...VERSIONS,
  { ...(VERSIONS[at] as StoredVersion), version: 9, ...change },
];

describe("lost and doubled writes", () => {
  test("are none if each write left a version in both stores", () => {
    expect(countLostAndDoubled(WRITES, VERSIONS)).toEqual({ lost: 0, doubled: 0 });
  });

  test.each(KINDS.map((kind, at) => [kind, at] as const))("are found for %s", (_, at) => {
    expect(countLostAndDoubled(WRITES, without("policy", at + 1))).toEqual({ lost: 1, doubled: 0 });
    expect(countLostAndDoubled(WRITES, without("patient", at + 2))).toEqual({ lost: 1, doubled: 0 });
    expect(countLostAndDoubled(WRITES, again(2 * at))).toEqual({ lost: 0, doubled: 1 });
    expect(countLostAndDoubled(WRITES, again(2 * at + 1))).toEqual({ lost: 0, doubled: 1 });
  });

  test("are found if two attempts of a write were made", () => {
    expect(countLostAndDoubled(WRITES, again(2, { request_id: "1" }))).toEqual({ lost: 0, doubled: 1 });
  });

  test("include rejected writes that were made, and no others", () => {
    const writes = WRITES.map((write) => ({ ...write, isRejected: write.kind === "edited" }));
    expect(countLostAndDoubled(writes, VERSIONS)).toEqual({ lost: 0, doubled: 1 });
    const earlier = VERSIONS.filter(({ request_id }) => request_id !== "3");
    expect(countLostAndDoubled(writes, earlier)).toEqual({ lost: 0, doubled: 0 });
  });
});

describe("policies", () => {
  const first = { id: 7, member_id: "L1", group_id: "G0", plan: "P0", sha256: "aa" };
  const expected = [first, { ...first, id: 8, sha256: "bb" }];
  const stored = [
    { ...first, status: "archived" },
    { ...first, id: 8, sha256: "bb", status: "active" },
  ];

  test("are as the last acknowledged writes left them", () => {
    expect(comparePolicies(expected, stored)).toEqual([]);
  });

  test.each(["member_id", "group_id", "plan", "sha256", "status"])("are found if %s is another", (field) => {
    const [one, ...others] = stored;
    expect(comparePolicies(expected, [{ ...(one as (typeof stored)[0]), [field]: "another" }, ...others])).toHaveLength(
      1,
    );
  });

  test("are found if one is missing, or was acknowledged to no client", () => {
    expect(comparePolicies(expected, stored.slice(1))).toEqual(["policy 7 is missing"]);
    expect(comparePolicies(expected.slice(1), stored)).toEqual(["policy 7 was acknowledged to no client"]);
  });
});

test("versions have no gaps, from the first one on", () => {
  expect(findGaps(VERSIONS)).toEqual([]);
  expect(findGaps(without("policy", 1))).toEqual(["policy 7: version 2 follows none"]);
  expect(findGaps(without("policy", 3))).toEqual(["policy 7: version 4 follows 2"]);
  expect(findGaps(without("patient", 3))).toEqual(["patient 5: version 4 follows 2"]);
  expect(findGaps(again(0, { version: 2 }))).toEqual(["policy 7: version 2 follows 2"]);
});

test("the endpoint gets a webhook for each write, after the write began", () => {
  expect(findUnreported(WRITES, [100, 2_600, 2_700, 3_200])).toEqual([]);
  expect(findUnreported(WRITES, [100, 2_600, 2_700, 2_800])).toEqual(["1 writes since edited 4, 0 webhooks"]);
  expect(findUnreported(WRITES, [2_600, 2_700, 3_200])).toEqual(["4 writes since created 1, 3 webhooks"]);
});

test("the audit log has an attempt of each write", () => {
  expect(findUnaudited(WRITES, new Set(["0", "lost response", "2", "3", null]))).toEqual([]);
  expect(findUnaudited(WRITES, new Set(["0", "2", "3"]))).toEqual([
    "card_image_added (lost response, 1) is not in the audit log",
  ]);
});

test("the time without service is the longest between two responses", () => {
  const late = { ...(WRITES[3] as Write), acknowledged: 9_000 };
  expect([longestGap(WRITES), longestGap([...WRITES, late]), longestGap([])]).toEqual([1_000, 5_500, 0]);
});
