// Writes the demo: reference data, organizations, practices, payers and about 200 patients with their history.

import { createClient } from "@/lib/access/clients/commands";
import { type Access, mintAccess, systemOrigin } from "@/lib/access/identity/access";
import { createOrganization, renameOrganizations } from "@/lib/access/tenancy/organizations";
import { createPatient } from "@/lib/insurance/commands/write-patient";
import { createCompany } from "@/lib/insurance/payers/commands/write-company";
import { createPlan } from "@/lib/insurance/payers/commands/write-plan";
import { setClock } from "@/lib/platform/clock";
import { createPhysician } from "@/lib/practice/physicians/commands";
import { createPractice } from "@/lib/practice/practices/commands";
import { Chart, type SeededCompany, travelTo } from "./chart";
import { seedEvents, seedLegacyUse } from "./events";
import { seedImported } from "./imported";
import { Dice, inventPerson } from "./people";
import { COMPANIES, type DemoOrganization, type DemoPractice, ORGANIZATIONS } from "./practices";
import { seedRecords } from "./records";
import { seedReferenceData } from "./reference-data";
import { LEGACY, NEIGHBOUR, type Scenario, VERSIONED } from "./scenarios";

/** When the practices of the demo started to use the system. */
const OPENING = "2022-11-01T14:00:00.000Z";
/** Marks the names of the organizations while the demo is being written. */
const DRAFT = " (being written)";

const SCENARIOS: Record<DemoPractice["key"], readonly Scenario[]> = {
  family: VERSIONED,
  pediatrics: LEGACY,
  juniper: NEIGHBOUR,
};
const IMPORTED = { family: 24, pediatrics: 8, juniper: 3 } as const;

const SEED = systemOrigin({ name: "Demo", source: "seed", operation: "demo.seed" });

/** An API client of the demo, with its secret. */
export interface DemoClient {
  clientId: string;
  clientSecret: string;
}

/** Writes the demo. If a run is interrupted, its organizations keep the marked names, and the next run starts again. */
export async function writeDemo(): Promise<DemoClient[]> {
  const clients: DemoClient[] = [];
  const names = new Map<number, string>();
  try {
    travelTo(OPENING);
    await seedReferenceData();
    for (const [at, organization] of ORGANIZATIONS.entries()) {
      travelTo(OPENING);
      const id = await createOrganization(organization.name + DRAFT);
      names.set(id, organization.name);
      clients.push(...(await writeOrganization(id, organization, 100 * (at + 1))));
    }
  } finally {
    setClock();
  }
  await renameOrganizations(names);
  return clients;
}

async function writeOrganization(id: number, organization: DemoOrganization, seed: number): Promise<DemoClient[]> {
  const practices: { id: number; practice: DemoPractice }[] = [];
  for (const practice of organization.practices) {
    const { key: _key, physicians: _physicians, ...fields } = practice;
    practices.push({ id: (await createPractice(id, fields, SEED)).id, practice });
  }
  const ids = practices.map((practice) => practice.id);
  const clients = [];
  for (const { name, scopedTokens } of organization.clients) {
    clients.push({ name, ...(await createClient({ name, organizationId: id, practices: ids, scopedTokens })) });
  }
  const [writer] = clients;
  const actor = { type: "client" as const, id: writer?.id ?? null, name: writer?.name ?? "" };
  const access = mintAccess({ practices: ids, actor });
  const patients: number[] = [];
  for (const [at, { id: practiceId, practice }] of practices.entries()) {
    patients.push(...(await writePractice(access, practiceId, practice, seed + 10 * at)));
  }
  setClock();
  const second = clients[1];
  if (second) {
    const listener = { ...second, organizationId: id, practices: ids };
    await seedEvents(listener, access, patients.slice(0, 13));
    for (const practice of ids) await seedLegacyUse(listener, access, practice);
  }
  return clients;
}

/** Writes a practice and returns the IDs of the patients that were not imported. */
async function writePractice(access: Access, id: number, practice: DemoPractice, seed: number): Promise<number[]> {
  travelTo(OPENING);
  const patients: number[] = [];
  const physicians: number[] = [];
  for (const { first_name, last_name, ...rest } of practice.physicians) {
    const email = `${first_name}.${last_name}@example.org`.toLowerCase();
    const license = `${practice.state}-${rest.npi.slice(-5)}`;
    const input = { first_name, last_name, email, license, license_state: practice.state, ...rest };
    physicians.push((await createPhysician(id, input, SEED)).id);
  }
  const companies = await writeCompanies(access, id);
  const dice = new Dice(seed);
  for (const scenario of SCENARIOS[practice.key]) {
    for (let count = 0; count < scenario.patients; count++) {
      travelTo(`2022-12-${String(1 + (count % 28)).padStart(2, "0")}T15:00:00.000Z`);
      const person = inventPerson(dice, scenario.age ?? { from: 19, to: 64 });
      const input = { ...person, caregiver_practice: id, primary_physician: dice.pick(physicians) };
      const { result } = await createPatient(
        { access, origin: { ...SEED, actor: access.actor, source: "api" } },
        input,
        { allowsDuplicate: true },
      );
      patients.push(result.patient.id);
      await scenario.write(new Chart({ dice, person, companies, patientId: result.patient.id, access }));
    }
  }
  if (practice.key !== "juniper") await seedRecords({ id, practice, access, origin: SEED, physicians }, patients);
  const age = practice.key === "pediatrics" ? { from: 4, to: 17 } : { from: 30, to: 80 };
  await seedImported(
    { id, physicians, companies },
    { count: IMPORTED[practice.key], seed: seed + 1, age, now: OPENING },
  );
  return patients;
}

/** Writes the payers of the demo and their plans to a practice. */
export async function writeCompanies(access: Access, practice: number): Promise<SeededCompany[]> {
  const companies: SeededCompany[] = [];
  for (const company of COMPANIES) {
    const { plans, prefix: _prefix, color: _color, ...fields } = company;
    const { id } = await createCompany({ access, origin: SEED }, { ...fields, practice });
    const planIds: SeededCompany["planIds"] = [];
    for (const name of plans) {
      const plan = await createPlan({ access, origin: SEED }, { practice, insurance_company: id, name });
      planIds.push({ id: plan.id, name });
    }
    companies.push({ ...company, id, planIds });
  }
  return companies;
}
