// Writes the chart of one demo patient. Each step runs a command of the domain at a time in the past.

import type { Access, Actor, ChangeSource, Origin } from "@/lib/access/identity/access";
import { archivePolicy } from "@/lib/insurance/commands/archive-policy";
import { addCardImage } from "@/lib/insurance/commands/card-images";
import { createPolicy } from "@/lib/insurance/commands/create-policy";
import { putLegacyCard } from "@/lib/insurance/commands/legacy-cards";
import { reorderPolicies } from "@/lib/insurance/commands/reorder-policies";
import { restorePolicy } from "@/lib/insurance/commands/restore-policy";
import { updatePolicy } from "@/lib/insurance/commands/update-policy";
import { updatePatient } from "@/lib/insurance/commands/write-patient";
import { checkPolicy } from "@/lib/insurance/eligibility/commands";
import { simulator } from "@/lib/insurance/eligibility/simulator";
import { RANK_WORDS, type Rank } from "@/lib/insurance/fields/limits";
import type { PolicyPatch } from "@/lib/insurance/fields/policy-fields";
import { addNote } from "@/lib/insurance/notes/commands";
import type { InsuranceInput, PatientPatch } from "@/lib/insurance/patients/schema";
import { setClock } from "@/lib/platform/clock";
import { withStoredImage } from "@/lib/platform/storage/process-image";
import { drawBack, drawFront } from "./card-art";
import type { Dice, Person } from "./people";
import type { DemoCompany } from "./practices";

/** A stored payer of a practice with its plans. */
export interface SeededCompany extends DemoCompany {
  id: number;
  planIds: { id: number; name: string }[];
}

/** The coverage that policies and legacy insurances are written from. */
export interface Contract {
  company: SeededCompany;
  plan: string;
  fields: Omit<PolicyPatch, "rank">;
}

/** Who writes: an API client through the policy or legacy endpoints, or the front desk. */
export type Author = "connector" | "legacy" | "desk";

const SOURCES: Record<Author, ChangeSource> = { connector: "policies_api", legacy: "legacy_api", desk: "staff" };
const DESK: Actor = { type: "staff", id: null, name: "Front desk" };

/** Sets the clock (ISO 8601). */
export function travelTo(time: string): void {
  setClock({ now: () => new Date(time) });
}

export class Chart {
  readonly dice: Dice;
  readonly person: Person;
  readonly companies: readonly SeededCompany[];
  readonly patientId: number;
  readonly #access: Access;
  #time = "";

  constructor(chart: {
    dice: Dice;
    person: Person;
    companies: readonly SeededCompany[];
    patientId: number;
    access: Access;
  }) {
    this.dice = chart.dice;
    this.person = chart.person;
    this.companies = chart.companies;
    this.patientId = chart.patientId;
    this.#access = chart.access;
  }

  /** Returns coverage by the payer with this name, or by a random commercial one. */
  contract(start: string, carrier?: string): Contract {
    const wanted = (company: SeededCompany) =>
      carrier ? company.carrier === carrier : company.insurance_type === "Commercial";
    return inventContract(this.dice, this.companies.filter(wanted), start);
  }

  /** Steps of a chart never go back in time, even if their random times do. */
  #goTo(time: string): string {
    this.#time = time > this.#time ? time : new Date(Date.parse(this.#time) + 600_000).toISOString();
    travelTo(this.#time);
    return this.#time;
  }

  #request(by: Author, reason: string | null) {
    const actor = by === "desk" ? DESK : this.#access.actor;
    const origin: Origin = {
      actor,
      source: SOURCES[by],
      reason,
      requestId: null,
      operation: "demo.seed",
      path: null,
      address: null,
    };
    return { access: this.#access, patientId: this.patientId, origin };
  }

  /** Adds a policy and returns its ID. It supersedes the policy that has the rank. */
  async add(at: string, rank: Rank | null, contract: Contract, by: Author = "connector"): Promise<number> {
    this.#goTo(at);
    const { first_name, last_name, dob } = this.person;
    const identity = { patient_first_name: first_name, patient_last_name: last_name, patient_dob: dob };
    const { result } = await createPolicy(this.#request(by, null), { ...contract.fields, ...identity, rank });
    return result.id;
  }

  async change(at: string, policyId: number, patch: PolicyPatch, by: Author = "connector", reason = ""): Promise<void> {
    this.#goTo(at);
    await updatePolicy(this.#request(by, reason || null), policyId, patch, null);
  }

  async archive(at: string, policyId: number, by: Author = "connector", reason = ""): Promise<void> {
    this.#goTo(at);
    await archivePolicy(this.#request(by, reason || null), policyId, null);
  }

  async restore(at: string, policyId: number, reason: string): Promise<void> {
    this.#goTo(at);
    await restorePolicy(this.#request("desk", reason), policyId, null);
  }

  async reorder(at: string, order: { id: number; rank: Rank | null }[]): Promise<void> {
    this.#goTo(at);
    await reorderPolicies(this.#request("desk", "Coordination of benefits"), order);
  }

  /** Checks the eligibility of a policy with the simulator, whatever the settings say. */
  async verify(at: string, policyId: number, by: Author = "desk"): Promise<void> {
    this.#goTo(at);
    const request = this.#request(by, null);
    await checkPolicy(request, { patientId: this.patientId, policyId }, {}, simulator);
  }

  /** Writes a note on a policy. */
  async note(at: string, policyId: number, text: string): Promise<void> {
    this.#goTo(at);
    await addNote({ ...this.#request("desk", null), policyId }, { text });
  }

  /** Uploads the front of the card of a policy, and optionally its back. */
  async scan(at: string, policyId: number, contract: Contract, sides: readonly (1 | 2)[] = [1, 2]): Promise<void> {
    const createdDate = this.#goTo(at);
    for (const side of sides) {
      await withStoredImage(await this.#draw(contract, side), { createdDate }, (image) =>
        addCardImage(this.#request("connector", null), policyId, { image, imageRank: side, ifMatch: null }),
      );
    }
  }

  /** Uploads the card by priority, as practices without Insurance Versioning do. */
  async scanByPriority(at: string, rank: Rank, contract: Contract): Promise<void> {
    const createdDate = this.#goTo(at);
    for (const side of [1, 2] as const) {
      await withStoredImage(await this.#draw(contract, side), { createdDate }, (image) =>
        putLegacyCard(this.#request("legacy", null), { rank, side, image }),
      );
    }
  }

  /** Writes the patient through the legacy endpoint, and returns the IDs of the current insurances by rank. */
  async write(at: string, patch: PatientPatch): Promise<number[]> {
    this.#goTo(at);
    const { result } = await updatePatient(this.#request("legacy", null), patch, null);
    const current = (result.insurances ?? []).filter(({ deleted_date }) => deleted_date === null);
    return current.map(({ id }) => id);
  }

  #draw({ company, plan, fields }: Contract, side: 1 | 2) {
    const member = `${this.person.first_name} ${this.person.last_name}`;
    const { member_id: memberId, group_id: group, copay } = fields;
    const front = { company, plan, member, memberId: memberId ?? "", group: group ?? "", copay: copay ?? "0.00" };
    return side === 1 ? drawFront(front) : drawBack(company);
  }
}

/** Returns an entry of `insurances`. With an ID, it updates that insurance. */
export function legacyEntry(contract: Contract, rank: Rank, id: number | null = null): InsuranceInput {
  const fields = contract.fields as Partial<InsuranceInput>;
  return { ...fields, id, rank: RANK_WORDS[rank - 1] as (typeof RANK_WORDS)[number] };
}

/** Returns coverage by one of these payers. */
export function inventContract(dice: Dice, companies: readonly SeededCompany[], start: string): Contract {
  const company = dice.pick(companies);
  const plan = dice.pick(company.planIds);
  const { carrier, address, city, state, zip, phone, prefix } = company;
  return {
    company,
    plan: plan.name,
    fields: {
      carrier,
      insurance_company: company.id,
      plan: plan.name,
      insurance_plan: plan.id,
      address,
      city,
      state,
      zip,
      phone,
      member_id: `${prefix}-${dice.digits(4)}-${dice.digits(4)}`,
      group_id: company.insurance_type === "Commercial" ? `G-${dice.digits(5)}` : null,
      copay: dice.pick(["10.00", "15.00", "20.00", "25.00", "40.00"]),
      deductible: dice.pick(["0.00", "250.00", "500.00", "1000.00", "2500.00"]),
      start_date: start,
    },
  };
}
