// The migration assistant in the browser, from an export to the report.
import { createHash } from "node:crypto";
import fs from "node:fs";
import { expect, type Page } from "@playwright/test";
import { api, base, newPatient, newPolicy, practices } from "./support/demo";
import { findSampleFile, writeExport } from "./support/exports";
import { takePicture } from "./support/screens";
import { chooseFile, enterAs, goByKeys, signIn, test } from "./support/test";

const { importing: practice } = practices();
const migrationPath = `/practices/${practice}/migration`;

interface Files {
  patients: string;
  companies: string;
}

/** Starts a run in the browser and waits until its export is checked. */
async function startRun(page: Page, { patients, companies }: Files): Promise<void> {
  await page.goto(`${migrationPath}/new`);
  await chooseFile(page.getByLabel("Legacy export"), patients);
  await chooseFile(page.getByLabel("Payer list"), companies);
  await page.getByLabel("Check as of").fill("2025-10-01");
  await page.getByRole("button", { name: "Upload and check" }).click();
  await page.waitForURL(/\/migration\/\d+/);
  await expect(page.getByText("Checked, ready for review").first()).toBeVisible({ timeout: 60_000 });
}

const openStep = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Run steps" }).getByRole("link", { name }).click();
const readCount = async (page: Page, bar: string, part: string) => {
  const text = await page
    .getByRole("figure", { name: bar })
    .getByRole("listitem")
    .filter({ hasText: part })
    .textContent();
  return Number(text?.replace(/\D/g, ""));
};

/** Reads the IDs of the patients that a run has converted. */
async function readConvertedPatients(page: Page, run: string): Promise<number[]> {
  const records = await page.request.get(`/api/staff/practices/${practice}/migrations/${run}/records?limit=100`);
  const { results } = (await records.json()) as { results: { patient_id: number | null }[] };
  return results.flatMap(({ patient_id }) => patient_id ?? []);
}

test("an export goes through upload, review, fixes, conversion and verification to the report, and is rolled back", async ({
  page,
}) => {
  test.setTimeout(240_000);
  const files = findSampleFile() ?? (await writeExport({ insurances: 150, faults: 0.2 }));
  await signIn(page, "admin");
  await page.goto(`/practices/${practice}`);
  await goByKeys(page, "m");
  await page.getByRole("link", { name: "New run" }).first().click();
  await startRun(page, files);

  await openStep(page, "Check");
  const verdicts = ["Create", "Update", "Unchanged", "Import as history", "Not converted"];
  for (const bar of ["Patients", "Insurance records"]) {
    const parts = await Promise.all(verdicts.map((part) => readCount(page, bar, part)));
    const total = Number(
      (await page.getByRole("figure", { name: bar }).locator("figcaption").textContent())?.replace(/\D/g, ""),
    );
    expect(parts.reduce((sum, part) => sum + part, 0)).toBe(total);
  }
  const rejected = await readCount(page, "Patients", "Not converted");
  expect(rejected).toBeGreaterThan(0);
  const run = /migration\/(\d+)/.exec(page.url())?.[1] as string;
  expect(await readConvertedPatients(page, run), "a check writes nothing").toEqual([]);

  // A single fix, with the record next to its policy.
  await page.getByRole("link", { name: "Unknown rank" }).click();
  await expect(page).toHaveURL(/code=rank_unknown/);
  await page.getByLabel("Fix", { exact: true }).selectOption("Proposed");
  const rows = page.getByRole("table", { name: "Findings" }).locator("tbody tr");
  await expect(rows.filter({ hasNot: page.locator(".text-good") })).toHaveCount(0);
  await rows.first().getByRole("link").first().click();
  await page.waitForURL(/\/records\/\d+$/);
  await page.getByRole("button", { name: "Accept fix" }).first().click();
  await page.getByRole("dialog").getByRole("button", { name: "Accept fixes for 1 finding" }).click();
  await expect(page.getByText("Fix accepted").first()).toBeVisible();

  // Another one from the list.
  await openStep(page, "Review");
  await page.getByLabel("Fix", { exact: true }).selectOption("Proposed");
  await page
    .getByRole("button", { name: /^Accept fix: “/ })
    .first()
    .click();
  await page.getByRole("dialog").getByRole("button", { name: "Accept fixes for 1 finding" }).click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.getByLabel("Decision").selectOption("Fix accepted");
  await expect(page.getByRole("table", { name: "Findings" }).locator("tbody tr")).toHaveCount(2);

  // All other fixes together. Records without a fix are skipped with a reason.
  await openStep(page, "Review");
  await page.getByRole("button", { name: "Accept all matching fixes" }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^Accept fixes for/ })
    .click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page.getByText(/finding(s)? fixed\./).first()).toBeVisible();
  await page.goto(`${migrationPath}/${run}?step=convert`);
  await expect(page.getByRole("button", { name: /^Convert/ })).toBeDisabled();
  await page.getByRole("link", { name: "Review errors" }).click();
  await page.getByRole("button", { name: "Skip all matching" }).click();
  await page.getByRole("dialog").getByLabel("Reason").fill("Entered by hand from the paper record");
  await page.getByRole("dialog").getByRole("button", { name: /^Skip/ }).click();
  await expect(page.getByText(/skipped\./).first()).toBeVisible();

  await openStep(page, "Convert");
  await page.getByRole("button", { name: /^Convert \d+ patients/ }).click();
  await page.getByRole("dialog").getByLabel("Reason").fill("Go-live of the practice");
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^Convert/ })
    .click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.reload();
  await expect(page.getByText("Converted, ready to verify").first()).toBeVisible({ timeout: 90_000 });
  const [patient = 0] = await readConvertedPatients(page, run);
  expect((await api("GET", `patients/${patient}`)).insurances).not.toEqual([]);

  await openStep(page, "Verify");
  await page.getByRole("button", { name: "Verify" }).click();
  await expect(page.getByText("No differences")).toBeVisible({ timeout: 60_000 });

  await page.goto(`${migrationPath}/readiness`);
  await expect(page.getByRole("heading", { name: "Records to review or convert" })).toBeVisible();
  await expect(page.getByText("Entered by hand from the paper record").first()).toBeVisible();
  await page.getByRole("button", { name: "Sign off" }).click();
  await page.getByRole("radio", { name: /^Go/ }).check();
  await page.getByLabel("Basis for the decision").fill("All but those on paper");
  await page.getByRole("button", { name: "Sign off as Go" }).click();
  await expect(page.getByText("All but those on paper")).toBeVisible();

  await page.goto(`${migrationPath}/${run}?step=convert`);
  await page.getByRole("button", { name: "Roll back run" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Reason").fill("Only a trial");
  await dialog.getByLabel("Type ROLL BACK to confirm").fill("roll back");
  await dialog.getByRole("button", { name: /^Roll back \d+ patients/ }).click();
  await expect(page.getByText("Rolled back", { exact: true }).first()).toBeVisible({ timeout: 90_000 });
  await expect(page.getByText("Rolling back")).toHaveCount(0);
  await expect(api("GET", `patients/${patient}`)).rejects.toThrow(/: 4(04|10) /);
});

test.describe("a lost connection during an upload", () => {
  test.use({ expectedErrors: /ERR_INTERNET_DISCONNECTED/ });

  test("delays the upload, which then completes; the run can be canceled afterwards", async ({ page, context }) => {
    const files = await writeExport({ insurances: 20_000, faults: 0 });
    await enterAs(page, "staff");
    await page.goto(`${migrationPath}/new`);
    let parts = 0;
    await page.route(/\/parts\/\d+/, async (route) => {
      parts += 1;
      if (parts !== 2) return route.continue();
      await context.setOffline(true);
      return route.abort("internetdisconnected");
    });
    await chooseFile(page.getByLabel("Legacy export"), files.patients);
    await chooseFile(page.getByLabel("Payer list"), files.companies);
    await page.getByRole("button", { name: "Upload and check" }).click();
    await expect(page.getByText("Connection lost. Trying again…")).toBeVisible();
    await context.setOffline(false);
    await expect(page.getByText(/Reading the file|Checking|Checked, ready for review/).first()).toBeVisible({
      timeout: 30_000,
    });
    await page.getByRole("button", { name: "Cancel run" }).click();
    const confirm = page.getByRole("dialog", { name: /^Cancel run \d+\?$/ });
    await expect(confirm).toContainText("No patient records were changed.");
    await confirm.getByRole("button", { name: "Keep run" }).click();
    await expect(confirm).toHaveCount(0);
    await expect(page.getByText("Canceled")).toHaveCount(0);
    await page.getByRole("button", { name: "Cancel run" }).click();
    await confirm.getByRole("button", { name: "Cancel run" }).click();
    await expect(page.getByText("Canceled").first()).toBeVisible();
  });
});

test.describe("an upload that is resumed", () => {
  test.use({ expectedErrors: /ERR_INTERNET_DISCONNECTED|409/ });
  const SECOND_PART = /\/parts\/2\?/;

  test("in another tab ends that of the first one, which says so", async ({ page, context }) => {
    const files = await writeExport({ insurances: 20_000, faults: 0 });
    await enterAs(page, "staff");
    await page.goto(`${migrationPath}/new`);
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(SECOND_PART, async (route) => {
      await released;
      await route.continue();
    });
    await chooseFile(page.getByLabel("Legacy export"), files.patients);
    await chooseFile(page.getByLabel("Payer list"), files.companies);
    const second = page.waitForRequest(SECOND_PART);
    await page.getByRole("button", { name: "Upload and check" }).click();
    await second;

    const other = await context.newPage();
    await other.route(SECOND_PART, (route) => route.abort("internetdisconnected"));
    await other.goto(page.url());
    await chooseFile(other.getByLabel("Choose file"), files.patients);
    await expect(other.getByText("Connection lost. Trying again…")).toBeVisible();
    release();
    const failed = page.getByText("The file of this run is now being uploaded from another tab or computer.");
    await expect(failed).toBeVisible();
    await other.unroute(SECOND_PART);
    await expect(other.getByText(/Reading the file|Checking|Checked, ready for review/).first()).toBeVisible({
      timeout: 30_000,
    });
    await other.getByRole("button", { name: "Cancel run" }).click();
    await other.getByRole("dialog").getByRole("button", { name: "Cancel run" }).click();
    await expect(other.getByText("Canceled").first()).toBeVisible();
  });

  test("after a reload replaces uploaded parts if the file was corrected without a change of its size", async ({
    page,
  }) => {
    const files = await writeExport({ insurances: 20_000, faults: 0 });
    await enterAs(page, "staff");
    await page.goto(`${migrationPath}/new`);
    await page.route(SECOND_PART, (route) => route.abort("internetdisconnected"));
    await chooseFile(page.getByLabel("Legacy export"), files.patients);
    await chooseFile(page.getByLabel("Payer list"), files.companies);
    await page.getByRole("button", { name: "Upload and check" }).click();
    await expect(page.getByText("Connection lost. Trying again…")).toBeVisible();
    await page.reload();
    await expect(page.getByText(/% of the file is uploaded\./)).toBeVisible();

    const text = fs.readFileSync(files.patients, "utf8");
    const corrected = text.replace(
      /("member_id":"M)(\d)/,
      (_all, before: string, digit: string) => `${before}${(Number(digit) + 1) % 10}`,
    );
    expect([corrected.length, corrected === text]).toEqual([text.length, false]);
    fs.writeFileSync(files.patients, corrected);
    const run = /migration\/(\d+)/.exec(page.url())?.[1] as string;
    const runCall = `/api/staff/practices/${practice}/migrations/${run}`;
    const { upload } = await (await page.request.get(runCall)).json();
    const hashFirstPart = async () => {
      const { results } = await (await page.request.get(`${runCall}/parts`)).json();
      return (results as { part: number; sha256: string }[]).find(({ part }) => part === 1)?.sha256;
    };
    const firstPart = (content: string) => Buffer.from(content).subarray(0, upload.part_bytes);
    const sha256 = (content: string) => createHash("sha256").update(firstPart(content)).digest("hex");
    expect(await hashFirstPart()).toBe(sha256(text));

    // Holds the first missing part, so that the page still shows the upload.
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.unroute(SECOND_PART);
    await page.route(SECOND_PART, async (route) => {
      await released;
      await route.continue();
    });
    await chooseFile(page.getByLabel("Choose file"), files.patients);
    await expect(page.getByText("This file differs from the one uploaded before.")).toBeVisible();
    await expect.poll(hashFirstPart).toBe(sha256(corrected));
    release();
    await expect(page.getByText(/Reading the file|Checking|Checked, ready for review/).first()).toBeVisible({
      timeout: 30_000,
    });
    await page.getByRole("button", { name: "Cancel run" }).click();
    const confirm = page.getByRole("dialog", { name: /^Cancel run \d+\?$/ });
    await confirm.getByRole("button", { name: "Cancel run" }).click();
    await expect(page.getByText("Canceled").first()).toBeVisible();
  });
});

test("Preview write shows the effect of a legacy write with both settings, before and after the deadline, and the calls that replace it", async ({
  page,
}) => {
  const patient = await newPatient(practice);
  const { id, version } = await newPolicy(patient, { carrier: "Acme Health" });
  const { insurances } = await api("GET", `patients/${patient.id}`);
  await enterAs(page, "staff");
  await page.goto(migrationPath);
  await page.getByRole("link", { name: "Preview legacy write" }).click();
  await page.getByLabel("Patient ID").fill(String(patient.id));
  const body = { insurances: [{ id: insurances[0].id, rank: "primary", carrier: "Acme Health", member_id: "ACM-7" }] };
  await page.getByLabel("PUT or PATCH body").fill(`${JSON.stringify(body)},`);
  await page.getByRole("button", { name: "Preview write" }).click();
  await expect(page.getByText("The body is not valid JSON")).toBeVisible();
  await page.getByLabel("PUT or PATCH body").fill(JSON.stringify(body));
  await page.getByRole("button", { name: "Preview write" }).click();
  const on = page.getByRole("article", { name: "Insurance Versioning on, before the deadline" });
  await expect(on).toContainText(`Policy ${id}, primary: updated (member ID)`);
  const off = page.getByRole("article", { name: "Insurance Versioning off, before the deadline" });
  await expect(off).toContainText(`Policy ${id}, primary: archived`);
  await expect(off).toContainText("New policy, primary: created");
  for (const setting of ["on", "off"]) {
    const after = page.getByRole("article", { name: `Insurance Versioning ${setting}, after the enforced deadline` });
    await expect(after).toContainText("Rejected with 422");
  }
  await expect(page.getByText(`curl -X PATCH '${base()}/api/2.0/patients/${patient.id}/policies/${id}'`)).toBeVisible();
  await takePicture(page, "migration-what-if-response", { fullPage: true });
  await page.getByLabel("PUT or PATCH body").fill('{"insurances": []}');
  await expect(on, "an outdated response").toHaveCount(0);
  expect((await api("GET", `patients/${patient.id}/policies/${id}`)).version).toBe(version);

  const har = {
    log: {
      entries: [
        {
          request: {
            method: "PUT",
            url: `https://pm.example.org/api/2.0/patients/${patient.id}/`,
            postData: { text: '{"insurances":[]}' },
          },
        },
      ],
    },
  };
  const calls = { name: "calls.har", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(har)) };
  await chooseFile(page.getByLabel("Recorded calls"), calls);
  await expect(page.getByLabel("1 legacy write with a body")).toBeVisible();
  await expect(page.getByLabel("PUT or PATCH body")).toHaveValue(/"insurances": \[\]/);

  const line =
    '10.0.0.9 - - [01/Oct/2025:10:00:00 +0000] "GET /api/2.0/patients/ HTTP/1.1" 200 91 "-" "Nightly sync"\n';
  const log = { name: "access.log", mimeType: "text/plain", buffer: Buffer.from(line.repeat(20_000)) };
  await chooseFile(page.getByLabel("Recorded calls"), log);
  const uses = page.getByRole("list", { name: "Legacy insurance usage" });
  await expect(uses).toContainText("patients.list by Nightly sync20,000");
  await expect(uses).toContainText("Use instead: GET /api/2.0/patients/{patient}/policies");
  await takePicture(page, "migration-what-if-log", { fullPage: true });
});

test("viewers can read runs, but can't start or change them", async ({ page }) => {
  await enterAs(page, "viewer");
  await page.goto(migrationPath);
  await expect(page.getByRole("heading", { name: "Migration" })).toBeVisible();
  await expect(page.getByRole("link", { name: "New run" })).toHaveCount(0);
  expect((await page.request.get(`${migrationPath}/new`)).status()).toBe(403);
});
