// The checks of the fault suite find what they are for: each gets what a correct cluster leaves, and then something wrong.
import { describe, expect, test } from "vitest";
import {
  compareEvents,
  compareFacts,
  comparePolicies,
  compareVersions,
  countLostAndDoubled,
  type ExpectedPolicy,
  findAcceptedAfterDeadline,
  findGaps,
  findRejectedSince,
  findUnaudited,
  longestGap,
  type StoredVersion,
  type Write,
} from "../support/faults/checks";
import { type ExportedPatient, listExported } from "../support/faults/converted";
import { countReads } from "../support/faults/metrics";
import { untilStandbysServe } from "../support/faults/standbys";
import { legacyPatient } from "../support/legacy-export";

const KINDS = ["created", "card_image_added", "replaced", "edited"] as const;
/** Four writes, a second apart, of which the second was repeated. */
const WRITES: Write[] = KINDS.map((kind, at) => ({
  kind,
  attempts: at === 1 ? ["lost response", "1"] : [String(at)],
  began: at * 1_000,
  acknowledged: at * 1_000 + 500,
  isRejected: false,
  policy: 7,
  superseded: null,
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

describe("versions", () => {
  test("are exactly those of the writes", () => {
    expect(compareVersions(WRITES, VERSIONS)).toEqual([]);
  });

  test("are found if they are missing, made twice, or of another policy or kind", () => {
    expect(compareVersions(WRITES, without("policy", 1))).toEqual([
      "created (0): [patient] instead of [patient, policy 7 created]",
    ]);
    expect(compareVersions(WRITES, again(3))).toHaveLength(1);
    expect(compareVersions(WRITES, again(2, { id: 8 }))).toHaveLength(1);
    expect(compareVersions(WRITES, again(2, { kind: "archived" }))).toHaveLength(1);
  });

  test.each([null, "another"])("are found if their request is %s", (request_id) => {
    expect(compareVersions(WRITES, again(2, { request_id }))).toEqual([
      `policy 7 card_image_added: no client sent the request ${request_id}`,
    ]);
  });

  test("archive the policy whose rank a new one takes, and no other", () => {
    const [created, ...others] = WRITES as [Write, ...Write[]];
    const writes = [{ ...created, superseded: 6 }, ...others];
    const archived = { id: 6, kind: "archived" };
    expect(compareVersions(writes, again(0, archived))).toEqual([]);
    expect(compareVersions(writes, VERSIONS)).toHaveLength(1);
    expect(compareVersions(WRITES, again(0, archived))).toHaveLength(1);
    expect(compareVersions(writes, again(0, { ...archived, id: 5 }))).toHaveLength(1);
  });

  test("are not left by rejected writes", () => {
    const writes = WRITES.map((write) => ({ ...write, isRejected: write.kind === "edited" }));
    expect(compareVersions(writes, VERSIONS)).toHaveLength(1);
    expect(
      compareVersions(
        writes,
        VERSIONS.filter(({ request_id }) => request_id !== "3"),
      ),
    ).toEqual([]);
  });
});

describe("policies", () => {
  const first: ExpectedPolicy = { id: 7, rank: 1, member_id: "L1", group_id: "G0", plan: "P0", sha256: "aa" };
  const expected: ExpectedPolicy[] = [first, { ...first, id: 8, sha256: "bb" }];
  const stored = [
    { ...first, status: "archived" },
    { ...first, id: 8, sha256: "bb", status: "active" },
  ];

  test("are as the last acknowledged writes left them", () => {
    expect(comparePolicies(expected, stored)).toEqual([]);
  });

  test("are active at each of several ranks", () => {
    const secondary = { ...first, id: 9, rank: 2 as const };
    const both = [...stored, { ...secondary, status: "active" }];
    expect(comparePolicies([secondary, ...expected], both)).toEqual([]);
    expect(comparePolicies([...expected, { ...secondary, rank: 1 }], both)).not.toEqual([]);
  });

  test("are found if two have the same rank", () => {
    const both = [
      { ...first, id: 8, sha256: "bb", status: "active" },
      { ...first, status: "active" },
    ];
    expect(comparePolicies(expected, both)).toEqual(["policy 7: status is active, archived was acknowledged"]);
  });

  test.each(["rank", "member_id", "group_id", "plan", "sha256", "status"])("are found if %s is another", (field) => {
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

test("the endpoint gets one event for each write, after the write began", () => {
  expect(compareEvents(WRITES, [100, 2_600, 2_700, 3_200])).toEqual([]);
  expect(compareEvents([...WRITES].reverse(), [100, 2_600, 2_700, 3_200])).toEqual([]);
  expect(compareEvents(WRITES, [100, 2_600, 2_700, 2_800])).toEqual(["1 writes since edited 4, 0 events"]);
  expect(compareEvents(WRITES, [2_600, 2_700, 3_200])).toEqual(["4 writes since created 1, 3 events"]);
  expect(compareEvents(WRITES, [100, 2_600, 2_700, 3_200, 3_300])).toEqual(["4 writes, 5 events"]);
  const rejected = WRITES.map((write) => ({ ...write, isRejected: write.kind === "edited" }));
  expect(compareEvents(rejected, [100, 2_600, 2_700])).toEqual([]);
  expect(compareEvents(rejected, [100, 2_600, 2_700, 3_200])).toEqual(["3 writes, 4 events"]);
});

describe("the deadline of a practice", () => {
  /** Legacy writes, a second apart. */
  const edits = (...rejected: boolean[]): Write[] =>
    rejected.map((isRejected, at) => ({
      ...(WRITES[3] as Write),
      attempts: [String(at)],
      began: at * 1_000,
      isRejected,
    }));

  test("passes for good", () => {
    expect(findAcceptedAfterDeadline([...edits(false, true, true), ...WRITES.slice(0, 3)])).toEqual([]);
    expect(findAcceptedAfterDeadline(edits(false, true, false))).toEqual([
      "edited (2) was accepted after the deadline",
    ]);
    expect(findAcceptedAfterDeadline(edits(false, false))).toEqual(["no legacy write was rejected"]);
  });

  test("has not passed once the clock is right again", () => {
    expect(findRejectedSince(edits(true, false, true, false), 2_000)).toEqual([]);
    expect(findRejectedSince(edits(true, false, true, false), 1_000)).toEqual([
      "edited (2) was rejected before the deadline",
    ]);
  });
});

describe("converted patients", () => {
  const image = { side: 1, base64_content: Buffer.from("front").toString("base64") };
  const patients = [1, 2].map(
    (n) => legacyPatient(n, { insurance_cards: [{ rank: 1, images: [image] }] }) as unknown as ExportedPatient,
  );
  const [first, second] = patients as [ExportedPatient, ExportedPatient];
  const exported = listExported(patients);

  test("are as in the export", () => {
    expect(exported.get("1001")).toContain("policy 12 rank 2 M12 G1 Humana 2010-01-01 2014-12-31 archived");
    expect(compareFacts(exported, listExported([...patients].reverse()))).toEqual([]);
  });

  const insurance = first.insurances[0] as ExportedPatient["insurances"][0];
  test.each<[string, Partial<ExportedPatient>]>([
    ["a name", { last_name: "Other" }],
    ["a rank", { insurances: [{ ...insurance, rank: "secondary" }] }],
    ["a member ID", { insurances: [{ ...insurance, member_id: "Other" }] }],
    ["an insurance that is missing", { insurances: [] }],
    ["an insurance that is there twice", { insurances: [insurance, insurance] }],
    ["an image", { insurance_cards: [{ rank: 1, images: [{ ...image, base64_content: "AAAA" }] }] }],
    ["an image that is missing", { insurance_cards: [] }],
  ])("are found if they differ in %s", (_, change) => {
    expect(compareFacts(exported, listExported([{ ...first, ...change }, second]))).toHaveLength(1);
  });

  test("are found if one is missing or added", () => {
    expect(compareFacts(exported, listExported([first]))).toHaveLength(1);
    expect(compareFacts(listExported([first]), exported)).toHaveLength(1);
  });
});

test("reads that a standby served are counted, and required", async () => {
  const metrics = [
    "# TYPE crosswalk_replica_reads_total counter",
    'crosswalk_replica_reads_total{outcome="replica"} 12',
    'crosswalk_replica_reads_total{outcome="other_timeline"} 3',
  ].join("\n");
  expect([...countReads(metrics)]).toEqual([
    ["replica", 12],
    ["other_timeline", 3],
  ]);
  const describeReads = async () => "web-1: other_timeline 3";
  const readsOf = (counts: number[]) => ({
    standbyReads: { count: async () => counts.shift() ?? 12, describe: describeReads },
  });
  await untilStandbysServe(readsOf([11]), () => false);
  await expect(untilStandbysServe(readsOf([]), () => false, 200)).rejects.toThrow(
    "no standby served a read within 0.2 s (web-1: other_timeline 3)",
  );
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
