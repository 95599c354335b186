// How the front desk finds patients: by names, payers, dates of birth, phone numbers, member IDs and other IDs as people type them.
import { beforeAll, describe, expect, test } from "vitest";
import { db, sql } from "@/lib/platform/db/sql";
import { type Basics, call, seedBasics, seedPatient } from "../support/api";
import { imageContent } from "../support/images";
import { type SignedIn, signInAs, staffCallAs } from "../support/staff";

let basics: Basics;
let staff: SignedIn;
/** IDs by last name. */
const ids: Record<string, number> = {};
let policy: number;

beforeAll(async () => {
  basics = await seedBasics();
  staff = await signInAs("viewer", [basics.enabled]);
  const people = [
    {
      last_name: "Lopez",
      first_name: "Maria",
      dob: "1979-11-08",
      phone: "(207) 555-0143",
      payer: "Blue Cross Maine",
      member_id: "XYZ-1234-5678",
    },
    {
      last_name: "Cross",
      first_name: "Ann",
      dob: "2015-06-01",
      phone: "+1 207 555 0199",
      payer: "Humana",
      member_id: "h 900 11",
    },
    { last_name: "Bluestone", first_name: "Ira", dob: "1915-06-01", phone: "", payer: "Aetna", member_id: "12345678" },
    { last_name: "Castellano-Ruiz", first_name: "Juno", middle_name: "de la Wren", dob: "1958-12-31", phone: "" },
    { last_name: "Fairweather Lund", first_name: "Minh-Anh", dob: "1977-01-01", phone: "" },
    { last_name: "O'Brien-Vance", first_name: "Ty", dob: "1976-12-31", payer: "Cigna", member_id: "K19-77" },
    { last_name: "Blank", first_name: "Lines", middle_name: "A\n\n\t", dob: "1960-02-02", phone: "" },
    { last_name: "Øst Àvila", first_name: "Zoë José", dob: "1978-01-01" },
    { last_name: "One|Two & 100% \\ 'Quoted'", first_name: "Odd_Name", dob: "1990-01-01" },
  ];
  for (const { last_name, first_name, middle_name, dob, phone, payer, member_id } of people) {
    const { status, body } = await call("POST", "patients", {
      token: basics.token,
      body: {
        ...{ last_name, first_name, middle_name, dob, sex: "Female", caregiver_practice: basics.enabled },
        primary_physician: basics.physicians.enabled,
        ...(phone && { phones: [{ phone, phone_type: "Main" }] }),
      },
    });
    expect([status, body]).toEqual([201, expect.anything()]);
    ids[last_name] = body.id;
    if (!payer) continue;
    const added = await call("POST", `patients/${body.id}/policies`, {
      token: basics.token,
      body: {
        patient_first_name: first_name,
        patient_last_name: last_name,
        patient_dob: dob,
        rank: 1,
        carrier: payer,
        member_id,
      },
    });
    expect([added.status, added.body]).toEqual([201, expect.anything()]);
    if (last_name === "Lopez") policy = added.body.id;
  }
  await db.run(sql`UPDATE patient SET external_id = 70001 WHERE id = ${ids.Cross}`);
  await seedPatient(basics.disabled, basics.physicians.disabled, "Wren-Juno Castellano-Ruiz");
});

const find = async (search: string, practice = basics.enabled) => {
  const { status, body } = await staffCallAs(
    staff,
    "GET",
    `practices/${practice}/patients?search=${encodeURIComponent(search)}`,
  );
  expect(status).toBe(200);
  expect(body.count).toBe(body.results.length);
  return body.results.map((row: { last_name: string }) => row.last_name).sort();
};

describe("a search finds", () => {
  test.each([
    ["lopez", "Lopez"],
    ["mar lop", "Lopez"],
    ["blue cross", "Lopez"],
    ["Blue Cross Maine lopez", "Lopez"],
    ["maria blue cross", "Lopez"],
    ["blue", "Bluestone, Lopez"],
    ["cross", "Cross"],
    ["humana", "Cross"],
    ["11/8/1979", "Lopez"],
    ["11-8-79", "Lopez"],
    ["Nov 8 1979", "Lopez"],
    ["nov 8, 1979 maria", "Lopez"],
    ["6-1-15", "Bluestone, Cross"],
    ["xyz12345678", "Lopez"],
    ["XYZ-1234", "Lopez"],
    ["h90011", "Cross"],
    ["5678", "Bluestone, Lopez"],
    ["5678 ira", "Bluestone"],
    ["(207) 555-0143", "Lopez"],
    ["207.555.0199", "Cross"],
    ["2075550199", "Cross"],
    ["70001", "Cross"],
    ["ruiz", "Castellano-Ruiz"],
    ["juno ruiz", "Castellano-Ruiz"],
    ["Ruiz, Juno", "Castellano-Ruiz"],
    ["castellano-ruiz", "Castellano-Ruiz"],
    ["Castellano Ruiz", "Castellano-Ruiz"],
    ["ruiz-cast", "Castellano-Ruiz"],
    ["wren de ruiz la", "Castellano-Ruiz"],
    ["Fairweather Lund", "Fairweather Lund"],
    ["fairweather-lund", "Fairweather Lund"],
    ["lu anh", "Fairweather Lund"],
    ["van", "O'Brien-Vance"],
    ["o'b", "O'Brien-Vance"],
    ["O’Brien", "O'Brien-Vance"],
    ["obrien vance", "O'Brien-Vance"],
    ["øst", "Øst Àvila"],
    ["ost", "Øst Àvila"],
    ["ÀVI josé", "Øst Àvila"],
    ["avila, zoe jose", "Øst Àvila"],
    ["A\u0300vila", "Øst Àvila"],
    ["lópez", "Lopez"],
    ["m. lopez", "Lopez"],
    ["O.B.", "O'Brien-Vance"],
    ["& 'quo", "One|Two & 100% \\ 'Quoted'"],
    ["\\", "One|Two & 100% \\ 'Quoted'"],
    ["1977", "Fairweather Lund, O'Brien-Vance"],
    ["fairweather 1977", "Fairweather Lund"],
    ["1979 maria", "Lopez"],
    ["1958", "Castellano-Ruiz"],
  ])("%s: %s", async (search, names) => {
    expect((await find(search)).join(", ")).toBe(names);
  });

  test("the ID of a patient or policy", async () => {
    expect(await find(String(ids.Lopez))).toContain("Lopez");
    expect(await find(String(policy))).toContain("Lopez");
  });

  const WORDS =
    "678 x 999999999999999 \u0001 0143 - uiz brien two 1957 % _ r% _uiz ruiz% r* ruiz:* ruiz|lopez !ruiz '' ' .";
  test.each([...WORDS.split(" "), "maria humana", "maria ruiz", "ruiz 1979", "11/8/1980", "207 555"])(
    "nothing for %s",
    async (search) => expect(await find(search)).toEqual([]),
  );
});

test("a search finds nothing of another practice", async () => {
  const other = await signInAs("admin", [basics.disabled]);
  const searches = ["lopez", "lund", "fairweather lund", "1977", "humana", "11/8/1979", "5678", "2075550143", "70001"];
  for (const search of [...searches, ids.Lopez, policy]) {
    const { body } = await staffCallAs(other, "GET", `practices/${basics.disabled}/patients?search=${search}`);
    expect(body.results).toEqual([]);
  }
});

describe("filters", () => {
  const today = new Date();
  const dayFromNow = (days: number) => new Date(today.getTime() + days * 86_400_000).toISOString().slice(0, 10);

  const addPatient = async (last_name: string, ...policies: Record<string, unknown>[]) => {
    const who = { first_name: "Filtered", last_name, dob: "1990-02-03" };
    const { token } = basics;
    const place = { caregiver_practice: basics.enabled, primary_physician: basics.physicians.enabled, sex: "Male" };
    const { body } = await call("POST", "patients", { token, body: { ...who, ...place } });
    const named = { patient_first_name: "Filtered", patient_last_name: last_name, patient_dob: who.dob };
    const created: { path: string; version: number }[] = [];
    for (const policy of policies) {
      const added = await call("POST", `patients/${body.id}/policies`, {
        token,
        body: { ...named, rank: 1, ...policy },
      });
      expect([added.status, added.body]).toEqual([201, expect.anything()]);
      created.push({ path: `patients/${body.id}/policies/${added.body.id}`, version: added.body.version });
    }
    return created;
  };

  beforeAll(async () => {
    const { token } = basics;
    const [carded] = await addPatient("Active", {
      carrier: "Aetna",
      plan: "Gold PPO",
      member_id: "A1",
      end_date: dayFromNow(2),
    });
    const upload = { image: await imageContent(1) };
    expect((await call("POST", `${carded?.path}/card-images`, { token, body: upload })).status).toBe(201);
    await addPatient("Ended", { carrier: "Aetna", plan: "Silver", member_id: "A2", end_date: dayFromNow(-2) });
    await addPatient("Secondary", { carrier: "Cigna", plan: "Gold", member_id: " ", rank: 2 });
    const [archived] = await addPatient("Archived", { carrier: "Aetna", plan: "Gold", member_id: "A4" });
    expect((await call("DELETE", archived?.path ?? "", { token })).status).toBeLessThan(300);
    await addPatient("Uninsured");
  });

  const filtered = async (filter: string) => {
    const path = `practices/${basics.enabled}/patients?search=filtered&${filter}`;
    const { status, body } = await staffCallAs(staff, "GET", path);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.count).toBe(body.results.length);
    return body.results.map((row: { last_name: string }) => row.last_name).join(", ");
  };

  test.each([
    ["", "Active, Archived, Ended, Secondary, Uninsured"],
    ["coverage=active", "Active"],
    ["coverage=ended", "Ended"],
    ["coverage=no_primary", "Secondary"],
    ["coverage=archived_only", "Archived"],
    ["coverage=none", "Archived, Uninsured"],
    ["missing=card", "Ended, Secondary"],
    ["missing=member_id", "Secondary"],
    ["payer=aetna", "Active, Ended"],
    ["plan=gold", "Active, Secondary"],
    ["payer=AET&plan=gold", "Active"],
    ["payer=aetna&missing=card&coverage=ended", "Ended"],
    ["payer=cigna&coverage=active", ""],
  ])("%s: %s", async (filter, names) => expect(await filtered(filter)).toBe(names));

  test("apply to the export", async () => {
    const exporting = await signInAs("staff", [basics.enabled], { canExport: true });
    const path = `practices/${basics.enabled}/patients/export?search=filtered&coverage=ended`;
    const { status, body } = await staffCallAs(exporting, "GET", path);
    expect([status, new TextDecoder().decode(body).match(/Filtered/g)?.length]).toEqual([200, 1]);
  });

  test("report invalid values by field", async () => {
    const path = `practices/${basics.enabled}/patients?coverage=maybe&missing=name`;
    const { status, body } = await staffCallAs(staff, "GET", path);
    expect([status, Object.keys(body.fields ?? body)]).toEqual([400, expect.arrayContaining(["coverage", "missing"])]);
  });
});
