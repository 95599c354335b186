// What the daily tasks of each role take: clicks from the landing page, and seconds. With UI_PACE=1, at a person's pace.
import { expect, type Page } from "@playwright/test";
import { api, type NewPatient, newCardImage, newName, newPatient, newPolicy, practices } from "./support/demo";
import { createCheckedRun, findSampleFile } from "./support/exports";
import { photo } from "./support/pictures";
import { startReceiver } from "./support/receiver";
import { ScriptedUser, type TaskCost } from "./support/scripted-user";
import { enterAs, test } from "./support/test";

const { enabled, migrating } = practices();
/** Every task is at most this far from the landing page. */
const MAX_CLICKS_TO_PLACE = 3;

const costs = new Map<string, TaskCost>();

test.describe.configure({ mode: "default" });
test.afterAll(() => {
  for (const [task, { toPlace, clicks, seconds }] of costs)
    console.log(`${task.padEnd(44)} ${toPlace} to the place, ${clicks} in all, ${seconds} s`);
});

/** Measures a task of a role. `prepare` is not measured; the task starts on the landing page. */
function task<Prepared>(
  name: string,
  role: "staff" | "admin",
  prepare: () => Promise<Prepared>,
  work: (user: ScriptedUser, prepared: Prepared) => Promise<void>,
  { practice = enabled, timeoutMs = 120_000 } = {},
): void {
  test(name, async ({ page }) => {
    test.setTimeout(timeoutMs);
    page.setDefaultTimeout(15_000);
    const prepared = await prepare();
    await enterAs(page, role);
    const user = new ScriptedUser(page);
    await user.land(practice);
    await work(user, prepared);
    const cost = user.cost();
    costs.set(name, cost);
    expect(cost.toPlace, `clicks to the place in ${JSON.stringify(cost)}`).toBeLessThanOrEqual(MAX_CLICKS_TO_PLACE);
  });
}

/** Creates a patient with these policies, in order of rank. */
async function patientWith(...carriers: string[]): Promise<NewPatient & { policies: number[] }> {
  const patient = await newPatient(enabled);
  const policies: number[] = [];
  for (const [at, carrier] of carriers.entries())
    policies.push((await newPolicy(patient, { carrier, plan: null, rank: at + 1 })).id);
  return { ...patient, policies };
}

async function patientWithCard() {
  const patient = await patientWith("Acme Health");
  const [policy = 0] = patient.policies;
  await newCardImage(patient, policy, 1);
  await newCardImage(patient, policy, 2);
  return patient;
}

/** Finds a patient in the search, which has the focus on arrival. */
async function findPatient(user: ScriptedUser, { lastName, shownName }: NewPatient): Promise<void> {
  const { page } = user;
  await user.type(lastName);
  await expect(page.getByRole("option", { name: shownName })).toHaveAttribute("aria-selected", "true");
  await user.press("Enter");
  await expect(page.getByRole("heading", { level: 1 })).toContainText(lastName);
}

const policyCard = (page: Page, carrier: string) => page.getByRole("article", { name: new RegExp(`: ${carrier}`) });
const openPolicy = (user: ScriptedUser, carrier: string) =>
  user.click(policyCard(user.page, carrier).getByRole("link", { name: carrier, exact: true }));
const mainLink = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Main" }).getByRole("link", { name, exact: true });

task("Find a patient", "staff", () => newPatient(enabled), findPatient);

task("Read the card", "staff", patientWithCard, async (user, patient) => {
  const { page } = user;
  await findPatient(user, patient);
  await user.click(policyCard(page, "Acme Health").getByRole("button", { name: /^View front/ }));
  await expect(page.getByRole("dialog").getByRole("img")).toBeVisible();
});

task(
  "Compare two versions of a policy",
  "staff",
  async () => {
    const patient = await patientWith("Acme Health");
    await api("PATCH", `patients/${patient.id}/policies/${patient.policies[0]}`, { body: { member_id: "ACM-200" } });
    await api("PATCH", `patients/${patient.id}/policies/${patient.policies[0]}`, { body: { group_id: "G-77" } });
    return patient;
  },
  async (user, patient) => {
    const { page } = user;
    await findPatient(user, patient);
    await openPolicy(user, "Acme Health");
    user.arrived();
    await user.click(page.getByRole("listbox").getByRole("option").nth(1));
    await expect(page.getByRole("row", { name: /Member ID/ }).locator("ins")).toContainText("200");
  },
);

task(
  "Archive and restore a policy",
  "staff",
  () => patientWith("Acme Health"),
  async (user, patient) => {
    const { page } = user;
    await findPatient(user, patient);
    await openPolicy(user, "Acme Health");
    await user.click(page.getByRole("button", { name: "Archive policy" }));
    user.arrived();
    await user.click(page.getByRole("dialog").getByRole("button", { name: "Archive policy" }));
    await user.click(page.getByRole("button", { name: "Undo" }));
    await expect(page.getByRole("button", { name: "Archive policy" })).toBeVisible();
  },
);

task(
  "Add a policy with its card",
  "staff",
  () => newPatient(enabled),
  async (user, patient) => {
    const { page } = user;
    await findPatient(user, patient);
    await user.click(page.getByRole("link", { name: "Add policy" }).first());
    await expect(page.getByRole("button", { name: "Add policy" })).toBeVisible();
    user.arrived();
    await user.click(page.getByRole("combobox", { name: "Payer" }));
    await user.type("Granite");
    await user.click(page.getByRole("option", { name: /^Granite/ }).first());
    await user.fill(page.getByLabel("Member ID", { exact: true }), "GCM-4471");
    await user.pickFile(page.getByRole("button", { name: "Add front" }), await photo("front.jpg", 40));
    await user.click(page.getByRole("dialog").getByRole("button", { name: "Use image" }));
    await user.click(page.getByRole("button", { name: "Add policy" }));
    await expect(page.getByRole("article", { name: /^Primary/ })).toBeVisible();
    const { results } = await api("GET", `patients/${patient.id}/policies`);
    expect(results).toMatchObject([{ member_id: "GCM-4471", card_images: [{ image_rank: 1 }] }]);
  },
);

task(
  "Change a member ID",
  "staff",
  () => patientWith("Acme Health"),
  async (user, patient) => {
    const { page } = user;
    await findPatient(user, patient);
    await user.click(page.getByRole("link", { name: "Edit Acme Health" }));
    user.arrived();
    await user.fill(page.getByLabel("Member ID", { exact: true }), "ACM-300");
    await user.press("ControlOrMeta+S");
    await expect(page.getByText("Policy saved", { exact: true }).first()).toBeVisible();
  },
);

/** Moves a policy to the top, and expects this order. */
async function moveToTop(user: ScriptedUser, patient: NewPatient, carrier: string, order: string[]): Promise<void> {
  const { page } = user;
  await findPatient(user, patient);
  await user.click(page.getByRole("button", { name: "Change order" }));
  user.arrived();
  const up = page.getByRole("button", { name: new RegExp(`^Move ${carrier}.* up$`) });
  for (let moves = order.length - 1; moves > 0; moves--) await user.click(up);
  await user.click(page.getByRole("button", { name: /^Save/ }));
  await expect(page.getByText("New order saved").first()).toBeVisible();
  const { results } = await api("GET", `patients/${patient.id}/policies`);
  const sorted = [...results].sort((one: { rank: number }, other: { rank: number }) => one.rank - other.rank);
  expect(sorted.map((policy) => policy.carrier)).toEqual(order);
}

task(
  "Swap primary and secondary coverage",
  "staff",
  () => patientWith("Acme Health", "Beacon Mutual"),
  (user, patient) => moveToTop(user, patient, "Beacon Mutual", ["Beacon Mutual", "Acme Health"]),
);

task(
  "Put three policies in another order",
  "staff",
  () => patientWith("Acme Health", "Beacon Mutual", "Third Health"),
  (user, patient) => moveToTop(user, patient, "Third Health", ["Third Health", "Acme Health", "Beacon Mutual"]),
);

task("Replace a card image", "staff", patientWithCard, async (user, patient) => {
  const { page } = user;
  await findPatient(user, patient);
  await openPolicy(user, "Acme Health");
  user.arrived();
  await user.pickFile(page.getByRole("button", { name: "Replace front" }), await photo("new.jpg", 200));
  await user.click(page.getByRole("dialog").getByRole("button", { name: "Replace image" }));
  await expect(page.getByText("Front replaced").first()).toBeVisible();
});

task(
  "Turn Insurance Versioning on",
  "admin",
  async () => {},
  async (user) => {
    const { page } = user;
    await user.click(mainLink(page, "Settings"));
    const turn = page.getByRole("button", { name: /^Turn on Insurance Versioning/ });
    await expect(turn).toBeVisible();
    user.arrived();
    await user.fill(page.getByRole("textbox", { name: "Reason" }), "Go-live");
    await user.click(turn);
    await expect(page.getByRole("button", { name: /^Turn off Insurance Versioning/ })).toBeVisible();
  },
  { practice: migrating },
);

task(
  "Send a rejected event again",
  "admin",
  async () => {
    const receiver = await startReceiver(enabled, 1);
    await expect.poll(async () => (await receiver.events())[0]?.status_code, { timeout: 30_000 }).toBe(500);
    receiver.respondWith(200);
    return receiver;
  },
  async (user, receiver) => {
    const { page } = user;
    const [event] = await receiver.events();
    if (!event) throw new Error("no event");
    try {
      await user.click(mainLink(page, "Events"));
      await user.click(page.getByRole("link", { name: String(event.event_id), exact: true }));
      await user.click(page.getByRole("button", { name: "Send again", exact: true }));
      user.arrived();
      await user.click(page.getByRole("dialog").getByRole("button", { name: "Send 1 event again" }));
      await expect.poll(async () => (await receiver.events())[0]?.status_code).toBe(200);
    } finally {
      await receiver.stop();
    }
  },
);

task(
  "Register an API client",
  "admin",
  async () => `Billing ${newName()}`,
  async (user, name) => {
    const { page } = user;
    await user.click(mainLink(page, "API clients"));
    await user.click(page.getByRole("button", { name: "Register client" }));
    const form = page.getByRole("dialog", { name: "Register API client" });
    await expect(form).toBeVisible();
    user.arrived();
    await user.fill(form.getByRole("textbox", { name: "Name" }), name);
    await user.press("Enter");
    await expect(page.getByRole("dialog", { name: "Save your client secret" })).toBeVisible();
  },
);

task(
  "Check that all is ready for the deadline",
  "admin",
  () => createCheckedRun(enabled),
  async (user) => {
    const { page } = user;
    await user.click(page.getByRole("region", { name: "Readiness" }).getByRole("link", { name: "Report" }));
    await expect(page.getByRole("heading", { level: 1, name: "Readiness report" })).toBeVisible();
  },
);

/** What a biller enters for the errors of the damaged sample, by code and found value: for all findings alike. */
const BULK: Record<string, string> = {
  "rank_missing null": "Primary",
  'rank_duplicate "primary"': "Secondary",
  'date_order "2024-05-31"': "May 31, 2025",
  "carrier_missing null": "Medicare",
  'patient_dob_invalid "2090-01-01"': "1/1/1990",
};
/** What a biller enters for one error, by code. */
const SINGLE: Record<string, string> = {
  rank_unknown: "Primary",
  relationship_unknown: "Other",
  patient_dob_invalid: "2/28/1999",
  decimal_invalid: "20.00",
};

interface Listed {
  id: number;
  code: string;
  field: string;
  found: unknown;
}

/** Returns what to enter for an error, by the field that it names. */
function valueFor({ code, field, found }: Listed, n: number): { value: string; inBulk: boolean } {
  const bulk = BULK[`${code} ${JSON.stringify(found)}`];
  if (bulk) return { value: bulk, inBulk: true };
  if (code === "insurance_id_reused") return { value: String(498_000_000 + n), inBulk: false };
  if (code === "date_invalid") return { value: found === "unknown" ? "1/1/2024" : "", inBulk: false };
  return { value: SINGLE[code] ?? (field === "dob" ? "5/17/1980" : "X"), inBulk: false };
}

const sample = findSampleFile();

test.describe("with the sample export", () => {
  test.skip(!sample, "the sample export is not beside the project");

  task(
    "Correct the damaged sample and convert it",
    "admin",
    () => createCheckedRun(migrating, sample ?? undefined),
    async (user, run) => {
      const { page } = user;
      const calls = `/api/staff/practices/${migrating}/migrations/${run}`;
      const readErrors = async () => {
        const response = await page.request.get(`${calls}/findings?decision=open&severity=error&limit=50`);
        return ((await response.json()) as { results: Listed[] }).results;
      };
      const rows = page.getByRole("table", { name: "Findings" }).locator("tbody tr");
      await user.click(mainLink(page, "Migration"));
      await user.click(page.getByRole("link", { name: new RegExp(`\\b${run}\\b`) }).first());
      await user.click(page.getByRole("navigation", { name: "Run steps" }).getByRole("link", { name: "Review" }));
      user.arrived();
      await user.click(page.getByRole("button", { name: "Accept all matching fixes" }));
      await user.click(page.getByRole("dialog").getByRole("button", { name: /^Accept fixes for/ }));
      await expect(page.getByRole("dialog")).toHaveCount(0);
      await user.choose(page.getByLabel("Severity"), { label: "Error" });
      await user.choose(page.getByLabel("Decision"), { label: "Open" });

      for (let n = 1; ; n++) {
        const errors = await readErrors();
        await expect(rows).toHaveCount(errors.length);
        const at = errors.findIndex(({ code }) => code !== "card_unreadable");
        const error = errors[at];
        if (!error) break;
        const { value, inBulk } = valueFor(error, n);
        await user.click(rows.nth(at).getByRole("button", { name: /^Correct/ }));
        await enterCorrection(user, value, inBulk);
      }
      expect(await readErrors()).toHaveLength(3);
      await user.click(page.getByRole("button", { name: "Skip all matching" }));
      await user.fill(page.getByRole("dialog").getByLabel("Reason"), "Scan again");
      await user.click(page.getByRole("dialog").getByRole("button", { name: /^Skip/ }));
      await expect(page.getByRole("dialog")).toHaveCount(0);

      await user.click(page.getByRole("navigation", { name: "Run steps" }).getByRole("link", { name: "Convert" }));
      await user.click(page.getByRole("button", { name: /^Convert \d+ patients/ }));
      await user.fill(page.getByRole("dialog").getByLabel("Reason"), "Go-live");
      await user.click(page.getByRole("dialog").getByRole("button", { name: /^Convert/ }));
      await expect(page.getByText("Converted, ready to verify").first()).toBeVisible({ timeout: 90_000 });
      const { totals } = (await (await page.request.get(calls)).json()) as {
        totals: { states: Record<string, number> };
      };
      expect(totals.states).toEqual({ converted: 200, left_out: 3 });
    },
    { practice: migrating, timeoutMs: 600_000 },
  );
});

/** Fills in the input with the wrong value, which has the focus, and saves it for one finding or for all with the same value. */
async function enterCorrection(user: ScriptedUser, value: string, inBulk: boolean): Promise<void> {
  const { page } = user;
  const form = page.getByRole("form", { name: "Correction" });
  const input = form.locator(":focus");
  const kind = await input.evaluate((element) => element.tagName);
  if (kind === "SELECT") await user.choose(input, { label: value });
  else if (kind === "BUTTON") {
    await user.type(value);
    await user.click(page.getByRole("option", { name: value, exact: true }));
  } else await user.replaceText(value);
  if (inBulk) await user.click(form.getByRole("button", { name: /^Correct all/ }));
  else if (kind === "INPUT") await user.press("Enter");
  else await user.click(form.getByRole("button", { name: "Save correction" }));
  await expect(form).toHaveCount(0);
}
