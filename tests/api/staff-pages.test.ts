// The content of pages: no history with Insurance Versioning off, and only our own pages after sign-in.
import type { ReactElement } from "react";
import { beforeAll, describe, expect, test, vi } from "vitest";
import Patient from "@/app/(staff)/practices/[practice]/patients/[patient]/page";
import History from "@/app/(staff)/practices/[practice]/patients/[patient]/policies/[policy]/history/page";
import SignIn from "@/app/sign-in/page";
import { VersioningOff } from "@/components/policies/policy-unavailable";
import { type Basics, call, MARIA, seedBasics, seedPatient } from "../support/api";
import { type SignedIn, signInAs, staffCallAs } from "../support/staff";

const sent = vi.hoisted(() => ({ cookie: "" }));
// Outside Next there is no request, so these replace its headers.
vi.mock("next/headers", () => ({ headers: async () => new Headers(sent) }));

let basics: Basics;
let viewer: SignedIn;
beforeAll(async () => {
  basics = await seedBasics();
  viewer = await signInAs("viewer", [basics.enabled, basics.disabled]);
  sent.cookie = viewer.cookie;
});

/** Creates a patient with one policy of two versions; returns the path's parameters. */
async function seedInsuredPatient(of: "enabled" | "disabled") {
  const patient = await seedPatient(basics[of], basics.physicians[of]);
  const { token } = basics;
  const { body } = await call("POST", `patients/${patient}/policies`, { token, body: { ...MARIA, rank: 1 } });
  await call("PATCH", `patients/${patient}/policies/${body.id}`, { token, body: { member_id: "M2" } });
  const params = { practice: String(basics[of]), patient: String(patient), policy: String(body.id) };
  const path = `practices/${basics[of]}/patients/${patient}`;
  return { params: Promise.resolve(params), path, policy: body.id };
}

describe("with Insurance Versioning off", () => {
  test("a policy's history redirects to the patient's insurances, like the policy's page", async () => {
    const searchParams = Promise.resolve({});
    const page = await History({ params: (await seedInsuredPatient("disabled")).params, searchParams });
    expect(page.type).toBe(VersioningOff);
    expect((await History({ params: (await seedInsuredPatient("enabled")).params, searchParams })).type).not.toBe(
      VersioningOff,
    );
  });

  test("the calls show no history either, but it stays stored", async () => {
    for (const [of, status] of [
      ["disabled", 409],
      ["enabled", 200],
    ] as const) {
      const { path, policy } = await seedInsuredPatient(of);
      for (const rest of [`policies/${policy}/versions`, `policies/${policy}/versions/1`, "timeline"]) {
        const response = await staffCallAs(viewer, "GET", `${path}/${rest}`);
        expect([of, rest, response.status]).toEqual([of, rest, status]);
        if (status === 409) expect(response.body.code).toBe("versioning_disabled");
      }
    }
  });

  test("an API client still reads the versions", async () => {
    const { params, policy } = await seedInsuredPatient("disabled");
    const { patient } = await params;
    const path = `patients/${patient}/policies/${policy}/versions`;
    expect((await call("GET", path, { token: basics.token })).body.results).toHaveLength(2);
  });

  test("a patient's page contains neither policies nor timeline", async () => {
    const { props } = (await Patient(await seedInsuredPatient("disabled"))) as ReactElement<
      Parameters<typeof checked>[0]
    >;
    expect(checked(props)).toEqual({ versioning: false, insurances: 1, policies: 0, timeline: 0 });
    const { props: other } = (await Patient(await seedInsuredPatient("enabled"))) as ReactElement<
      Parameters<typeof checked>[0]
    >;
    expect(checked(other)).toMatchObject({ versioning: true, insurances: 1, policies: 1 });
    expect(checked(other).timeline).toBeGreaterThan(1);
  });

  test("reloading the page's data returns the policies, so an open page keeps its interface", async () => {
    const { path } = await seedInsuredPatient("disabled");
    expect((await staffCallAs(viewer, "GET", path)).body.policies).toHaveLength(1);
  });

  interface Carried {
    initial: { versioning: boolean; insurances: unknown[] | null; policies: unknown[] };
    timeline: { results: unknown[] };
  }
  const checked = ({ initial, timeline }: Carried) => ({
    versioning: initial.versioning,
    insurances: initial.insurances?.length,
    policies: initial.policies.length,
    timeline: timeline.results.length,
  });
});

describe("the sign-in page", () => {
  const open = (query: Record<string, string | string[]>) => SignIn({ searchParams: Promise.resolve(query) });
  /** Returns the address that the page redirects to. */
  const target = async (query: Record<string, string | string[]>) => {
    const error = await open(query).then(
      () => null,
      (thrown: { digest?: string }) => thrown,
    );
    return error?.digest?.split(";")[2];
  };

  test("opens with repeated parameters", async () => {
    sent.cookie = "";
    const page = await open({ to: ["/a", "/b"], error: ["unknown", "x"] });
    sent.cookie = viewer.cookie;
    expect(JSON.stringify(page.props)).toContain('"to":"/"');
    expect(JSON.stringify(page.props)).not.toContain("unknown");
  });

  test("redirects a signed-in user to one of our pages, in a valid header", async () => {
    expect(await target({ to: "/practices/1?a=b" })).toBe("/practices/1?a=b");
    expect(await target({ to: "/€" })).toBe("/%E2%82%AC");
    for (const to of ["/\t/evil.com", "//evil.com", "/\n", ""]) expect(await target({ to })).toBe("/");
  });
});
