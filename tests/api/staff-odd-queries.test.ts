// Query strings that none of our pages produce: calls return an error and pages open, without failing.
import fs from "node:fs";
import { unstable_doesMiddlewareMatch as doesProxyMatch } from "next/experimental/testing/server";
import { beforeAll, describe, expect, test } from "vitest";
import type { z } from "zod";
import { ownPath } from "@/app/sign-in/own-path";
import { auditQuery } from "@/lib/access/audit/schema";
import { listAuditEntries } from "@/lib/access/audit/staff-queries";
import { findStaffAccess, narrowTo, type StaffAccess } from "@/lib/access/staff/access";
import { staffEventQuery } from "@/lib/events/published/schema";
import { searchEvents } from "@/lib/events/published/staff-queries";
import { patientSearchQuery } from "@/lib/insurance/patients/filter";
import { searchPatients } from "@/lib/insurance/patients/staff-queries";
import { historyQuery, newPolicyQuery } from "@/lib/insurance/policies/schema";
import { replicationQuery } from "@/lib/insurance/replication/schema";
import { searchReplication } from "@/lib/insurance/replication/staff-queries";
import { searchFindings, searchRecords } from "@/lib/migration/check/review-queries";
import { findingsQuery, recordsQuery } from "@/lib/migration/runs/staff-schema";
import { isInstant, type PageParams, pageQueryOrDefaults, parsePageQuery } from "@/lib/platform/http/query";
import { config as proxyConfig } from "@/proxy";
import { type Basics, seedBasics } from "../support/api";
import { listPageFiles } from "../support/page-files";
import { type SignedIn, signInAs, staffCallAs } from "../support/staff";
import { pathOf, type Records, STAFF_ENDPOINTS, seedRecords } from "../support/staff-world";

let basics: Basics;
let records: Records;
let admin: SignedIn;
let access: StaffAccess;
beforeAll(async () => {
  basics = await seedBasics();
  records = await seedRecords(basics, "enabled");
  admin = await signInAs("admin", [basics.enabled]);
  const own = (await findStaffAccess(admin.cookie, "person")) as StaffAccess;
  access = narrowTo(own, basics.enabled) as StaffAccess;
});

const TIMES = [
  "2026-02-30T10:00:00.000Z",
  "2026-13-45T99:99:99.000Z",
  "0000-01-01T00:00:00.000Z",
  "2026-01-01T24:00:00.000Z",
  "2026-01-01T23:59:60.000Z",
  "9999-12-31T23:59:59.999Z",
  "0001-01-01T00:00:00.000Z",
  "00000000000000000000",
  "2026-13-45 99:99:99+00",
  "infinity",
];
const ODD = [
  "NaN",
  "Infinity",
  "-1",
  "0",
  "1.5",
  "1e3",
  "999999999999999",
  "9".repeat(30),
  "-0",
  "0x10",
  "",
  " ",
  "\u0000",
  "a\u0000b",
  "\ufffd",
  "'",
  "\\",
  "%",
  "[]",
  "{}",
  "null",
  "𝕏",
  "constructor",
  "__proto__",
  "x".repeat(5000),
  "0000-01-01",
  "2023-02-30",
  "9999-12-31",
  "client-99999999999999999",
  ...TIMES,
];
/** A position in a list, as `after` and `before` name it. */
const ODD_PLACES = TIMES.flatMap((time) => [
  `${time}~1`,
  `${time}~policy~1~1`,
  `${time}~patient~999999999999999~999999999`,
]);
const oddFor = (name: string) => (["after", "before"].includes(name) ? [...ODD, ...ODD_PLACES] : ODD);

const GETS = STAFF_ENDPOINTS.filter(({ method }) => method === "GET");

describe("a call with an odd query returns", () => {
  test.each(GETS.map(({ path, declaration }) => [path, declaration] as const))("GET %s", async (route, { query }) => {
    const at = pathOf(route, records);
    for (const name of Object.keys(query ?? { after: 0 })) {
      for (const value of oddFor(name)) {
        const target = `${at}?${name}=${encodeURIComponent(value)}`;
        expect([target.slice(0, 200), (await staffCallAs(admin, "GET", target)).status < 500]).toEqual([
          target.slice(0, 200),
          true,
        ]);
      }
      // Unpaired surrogates arrive as invalid UTF-8, and repeated names as a list.
      for (const raw of [`${name}=%ED%A0%80`, `${name}=%ff`, `${name}=1&${name}=2`, `${name}[]=1`, `${name}=%zz`]) {
        expect([raw, (await staffCallAs(admin, "GET", `${at}?${raw}`)).status < 500]).toEqual([raw, true]);
      }
    }
  });

  test.each([
    ["audit", (time: string) => `after=${time}~1`],
    ["audit", (time: string) => `before=${time}~1`],
    ["patients/[patient]/timeline", (time: string) => `after=${time}~policy~1~1`],
  ])("a position in %s without a valid time: 400", async (route, queryAt) => {
    const at = pathOf(`practices/[practice]/${route}`, records);
    for (const time of TIMES.filter((time) => !isInstant(time))) {
      const response = await staffCallAs(admin, "GET", `${at}?${queryAt(encodeURIComponent(time))}`);
      expect([time, response.status]).toEqual([time, 400]);
    }
    const first = await staffCallAs(admin, "GET", `${at}?${queryAt("9999-12-31T23:59:59.999Z")}`);
    expect(first.status).toBe(200);
  });
});

describe("a page with an odd query opens", () => {
  type Page = { shape: z.ZodRawShape; read: (sent: PageParams) => Promise<unknown> };
  /** By the page's folder: the schema of its query, and what it then reads. */
  const PAGES: Record<string, Page> = {
    patients: {
      shape: patientSearchQuery,
      read: (sent) => searchPatients(access, pageQueryOrDefaults(patientSearchQuery, sent)),
    },
    events: {
      shape: staffEventQuery,
      read: (sent) => searchEvents(access, pageQueryOrDefaults(staffEventQuery, sent)),
    },
    stream: {
      shape: replicationQuery,
      read: (sent) => searchReplication(access, pageQueryOrDefaults(replicationQuery, sent)),
    },
    "settings/audit": {
      shape: auditQuery,
      read: async (sent) => {
        const query = parsePageQuery(auditQuery, sent);
        return query && listAuditEntries(access, basics.enabled, query);
      },
    },
    "migration/[run]/findings": {
      shape: findingsQuery,
      read: (sent) => searchFindings(access, Number(records.run), pageQueryOrDefaults(findingsQuery, sent)),
    },
    "migration/[run]/records": {
      shape: recordsQuery,
      read: (sent) => searchRecords(access, Number(records.run), pageQueryOrDefaults(recordsQuery, sent)),
    },
    "patients/[patient]/policies/new": {
      shape: newPolicyQuery,
      read: async (sent) => pageQueryOrDefaults(newPolicyQuery, sent),
    },
    "patients/[patient]/policies/[policy]/history": {
      shape: historyQuery,
      read: async (sent) => pageQueryOrDefaults(historyQuery, sent),
    },
  };

  test("all pages that read their query are tested and use these schemas", () => {
    const reading = listPageFiles("app/(staff)/practices/[practice]")
      .map(({ file, page }) => [page, fs.readFileSync(file, "utf8")] as const)
      .filter(([, source]) => source.includes("searchParams"));
    expect(reading.map(([folder]) => folder).sort()).toEqual(Object.keys(PAGES).sort());
    for (const [folder, source] of reading) {
      expect(source.match(/await searchParams/g), folder).toHaveLength(1);
      expect(source, folder).toMatch(/(parsePageQuery|pageQueryOrDefaults)\(\w+, await searchParams\)/);
    }
  });

  test.each(Object.entries(PAGES))("%s", async (_folder, { shape, read }) => {
    for (const name of [...Object.keys(shape), "unknown"]) {
      for (const value of [...oddFor(name), "\ud800", "x\udc00", ["1", "2"], ["\u0000"], [], undefined]) {
        await expect(read({ [name]: value }), `${name}=${String(value).slice(0, 60)}`).resolves.toBeDefined();
      }
    }
  });

  test.each(["\u0000", "a\u0000b", "\ud800", ["x", "\udfff"]])(
    "values that the database cannot store are not searched for",
    (text) => {
      expect(parsePageQuery(patientSearchQuery, { search: text })).toBeNull();
      expect(parsePageQuery(staffEventQuery, { target: text })).toBeNull();
      expect(pageQueryOrDefaults(patientSearchQuery, { search: text })).toMatchObject({ search: "", offset: 0 });
    },
  );

  test("a history page keeps a valid version next to an invalid one", () => {
    expect(pageQueryOrDefaults(historyQuery, { version: "x", with: "3" })).toEqual({ with: 3 });
  });
});

describe("the sign-in page", () => {
  test.each([
    ["/practices/1/patients?search=a&order=dob#x", "/practices/1/patients?search=a&order=dob#x"],
    ["/€", "/%E2%82%AC"],
    ["/a b?c=€", "/a%20b?c=%E2%82%AC"],
    ["/\n", "/"],
    ["/\r\nset-cookie: a=b", "/set-cookie:%20a=b"],
  ])("redirects to %j in a valid header", (to, expected) => {
    expect(ownPath(to)).toBe(expected);
    expect(() => new Headers({ location: ownPath(to) })).not.toThrow();
  });

  test.each([
    "//evil.com",
    "/\\evil.com",
    "/\t/evil.com",
    "/\n/evil.com",
    "\t//evil.com",
    "/\t\\evil.com",
    "/\\/evil.com",
    "/.//evil.com",
    "/..//evil.com",
    "/./\\evil.com",
    "/a/..//evil.com",
    "https://evil.com",
    "javascript:alert(1)",
    "//evil.com:99999",
    "//[",
    "evil",
    "",
    " /x",
    undefined,
    null,
    1,
    ["/a", "/b"],
    {},
  ])("never redirects to another site: %j", (to) => {
    expect(new URL(ownPath(to), "https://own.example").origin).toBe("https://own.example");
    expect(ownPath(to)).toBe("/");
  });
});

describe("the pages' security headers", () => {
  const matches = (url: string) => doesProxyMatch({ config: proxyConfig, nextConfig: {}, url });

  test("are left out only for icons, not for paths that begin like one", () => {
    expect(["/favicon.ico", "/icon.svg", "/_next/static/a.js", "/api/staff/home"].map(matches)).toEqual(
      Array(4).fill(false),
    );
    expect(["/", "/favicon.icon", "/icon.svg/x", "/faviconXico", "/practices/1"].map(matches)).toEqual(
      Array(5).fill(true),
    );
  });
});
