import { beforeAll, describe, expect, test } from "vitest";
import { mintAccess, type Origin } from "@/lib/access/identity/access";
import { setDeprecationClock, setInsuranceVersioning } from "@/lib/practice/practices/commands";
import { deprecationClockInput } from "@/lib/practice/practices/schema";
import { type Basics, seedBasics, seedPractice } from "@/tests/support/api";
import { historyOf } from "@/tests/support/history";

let basics: Basics;

beforeAll(async () => {
  basics = await seedBasics();
});

describe("the settings of a practice", () => {
  const origin: Origin = {
    actor: { type: "staff", id: 1, name: "Robin" },
    source: "staff",
    reason: "we are ready",
    requestId: null,
    operation: "practices.set",
    path: null,
    address: null,
  };
  const accessTo = (...practices: number[]) => mintAccess({ practices, actor: origin.actor });

  test("the Insurance Versioning switch creates a version with its reason", async () => {
    const id = await seedPractice(basics.organization, "Fresh Practice", false);
    const setting = { access: accessTo(id), practiceId: id, origin };
    expect((await setInsuranceVersioning({ ...setting, enabled: true })).insuranceVersioningEnabled).toBe(true);
    await setInsuranceVersioning({ ...setting, enabled: true });
    expect(await historyOf("practice", id)).toEqual([
      {
        version: 2,
        kind: "updated",
        changes: { insurance_versioning_enabled: { old: false, new: true } },
        source: "staff",
        reason: "we are ready",
      },
    ]);
  });

  test("the switch requires a reason and access to the practice", async () => {
    const id = await seedPractice(basics.organization, "Fresh Practice", false);
    const setting = { access: accessTo(id), practiceId: id, enabled: true };
    const unexplained = setInsuranceVersioning({ ...setting, origin: { ...origin, reason: " " } });
    await expect(unexplained).rejects.toMatchObject({ fields: { reason: ["A reason is required."] } });
    const foreign = setInsuranceVersioning({ ...setting, access: accessTo(basics.foreign), origin });
    await expect(foreign).rejects.toMatchObject({ code: "not_found" });
    expect(await historyOf("practice", id)).toEqual([]);
  });

  test("a rehearsal may be set up to the last millisecond of the year 9999", async () => {
    const id = await seedPractice(basics.organization, "Fresh Practice", false);
    const latest = deprecationClockInput.parse({ rehearsalTime: "9999-12-31T23:59:59.9999Z" });
    const { now } = await setDeprecationClock({ access: accessTo(id), practiceId: id, origin, ...latest });
    expect(now.toISOString()).toBe("9999-12-31T23:59:59.999Z");
    expect(deprecationClockInput.safeParse({ rehearsalTime: "9999-12-31T23:59:59-01:00" }).success).toBe(false);
  });

  test("the deprecation clock keeps omitted settings, and null ends a rehearsal", async () => {
    const id = await seedPractice(basics.organization, "Fresh Practice", false);
    const setting = { access: accessTo(id), practiceId: id, origin };
    const rehearsal = { mode: "enforce" as const, rehearsalTime: "2025-11-01T00:00:00Z" };
    const rehearsing = await setDeprecationClock({ ...setting, ...rehearsal });
    expect(rehearsing).toMatchObject({ deprecationDate: "2025-10-31", deprecationMode: "enforce" });
    expect(rehearsing.now.toISOString()).toBe("2025-11-01T00:00:00.000Z");
    await setDeprecationClock({ ...setting, rehearsalTime: "2025-11-01T00:00:00.000Z" });
    const moved = await setDeprecationClock({ ...setting, date: "2025-12-31", rehearsalTime: null });
    expect(moved).toMatchObject({ deprecationDate: "2025-12-31", deprecationMode: "enforce" });
    expect((await historyOf("practice", id)).map(({ changes }) => Object.keys(changes).sort())).toEqual([
      ["deprecation_mode", "rehearsal_time"],
      ["deprecation_date", "rehearsal_time"],
    ]);
  });
});
