// The scenarios of the demo: what can happen to a patient's insurance. Each is written to several charts.
import { systemClock } from "@/lib/platform/clock";
import type { Chart } from "./chart";
import { legacyEntry } from "./chart";

export interface Scenario {
  name: string;
  /** Number of patients with the scenario. */
  patients: number;
  age?: { from: number; to: number };
  write: (chart: Chart) => Promise<void>;
}

const two = (value: number) => String(value).padStart(2, "0");
/** Returns a random time in a month during office hours. */
const during = (chart: Chart, month: string) =>
  `${month}-${two(chart.dice.between(2, 26))}T${two(chart.dice.between(13, 20))}:${two(chart.dice.between(0, 59))}:00.000Z`;

/** Returns a time some hours before the demo is written, so that staff see changes from today and yesterday. */
const hoursAgo = (hours: number) => new Date(systemClock.now().getTime() - hours * 3_600_000).toISOString();

/** Scenarios of practices with Insurance Versioning, whose clients use the policy endpoints. */
export const VERSIONED: readonly Scenario[] = [
  { name: "uninsured", patients: 8, write: async () => {} },
  {
    name: "one policy, never touched",
    patients: 22,
    write: async (chart) => {
      const contract = chart.contract("2024-01-01");
      const policy = await chart.add(during(chart, "2024-02"), 1, contract);
      // Every fourth patient was verified, some of them more than 30 days ago.
      if (chart.patientId % 4 === 0) await chart.verify(hoursAgo(24 * (3 + chart.patientId)), policy);
    },
  },
  {
    name: "card on file",
    patients: 14,
    write: async (chart) => {
      const contract = chart.contract("2024-01-01");
      const policy = await chart.add(during(chart, "2024-03"), 1, contract);
      await chart.scan(during(chart, "2024-03"), policy, contract);
      await chart.verify(during(chart, "2025-03"), policy, "connector");
      await chart.verify(hoursAgo(24 * (1 + (chart.patientId % 28))), policy);
    },
  },
  {
    name: "renewed every year",
    patients: 14,
    write: async (chart) => {
      const policy = await chart.add(during(chart, "2023-01"), 1, chart.contract("2023-01-01"));
      await chart.change(during(chart, "2024-01"), policy, { copay: "25.00", start_date: "2024-01-01" });
      await chart.change(during(chart, "2025-01"), policy, { copay: "30.00", deductible: "750.00" });
      await chart.change(during(chart, "2025-04"), policy, { group_id: "G-20451" }, "desk", "Read from the new card");
      await chart.verify(hoursAgo(24 * 45), policy);
    },
  },
  {
    name: "Medicare with a supplement",
    patients: 12,
    age: { from: 66, to: 94 },
    write: async (chart) => {
      await chart.add(during(chart, "2023-06"), 1, chart.contract("2023-06-01", "Medicare"));
      await chart.add(during(chart, "2023-07"), 2, chart.contract("2023-07-01"));
    },
  },
  {
    name: "new job, new insurer",
    patients: 10,
    write: async (chart) => {
      const before = chart.contract("2022-05-01", "Northgate Assurance");
      const policy = await chart.add(during(chart, "2023-02"), 1, before);
      await chart.scan(during(chart, "2023-03"), policy, before);
      await chart.add(during(chart, "2024-09"), 1, chart.contract("2024-09-01", "Bluewater Health Plan"));
    },
  },
  {
    name: "insured through a parent",
    patients: 8,
    age: { from: 1, to: 17 },
    write: async (chart) => {
      const contract = chart.contract("2024-01-01");
      const insured = {
        relationship_to_insured: "Child" as const,
        insured_person_first_name: "Rosalba",
        insured_person_last_name: chart.person.last_name,
        insured_person_gender: "F",
        insured_person_dob: "1988-04-12",
      };
      await chart.add(during(chart, "2024-04"), 1, { ...contract, fields: { ...contract.fields, ...insured } });
    },
  },
  {
    name: "priorities traded",
    patients: 4,
    write: async (chart) => {
      const one = await chart.add(during(chart, "2024-01"), 1, chart.contract("2024-01-01", "Granite Coast Mutual"));
      const two = await chart.add(during(chart, "2024-02"), 2, chart.contract("2024-01-01", "Bluewater Health Plan"));
      const order = [
        { id: one, rank: 2 as const },
        { id: two, rank: 1 as const },
      ];
      await chart.reorder(during(chart, "2025-03"), order);
    },
  },
  {
    name: "three insurances",
    patients: 3,
    age: { from: 66, to: 90 },
    write: async (chart) => {
      await chart.add(during(chart, "2023-09"), 1, chart.contract("2023-09-01", "Medicare"));
      await chart.add(during(chart, "2023-10"), 2, chart.contract("2023-09-01"));
      await chart.add(during(chart, "2024-01"), 3, chart.contract("2024-01-01", "Medicaid"));
    },
  },
  {
    name: "coverage ended",
    patients: 7,
    write: async (chart) => {
      const policy = await chart.add(during(chart, "2023-03"), 1, chart.contract("2023-03-01"));
      await chart.change(during(chart, "2024-11"), policy, { end_date: "2024-12-31" });
      await chart.archive(during(chart, "2025-01"), policy, "desk", "Coverage ended with the year");
    },
  },
  {
    name: "archived by mistake",
    patients: 3,
    write: async (chart) => {
      const policy = await chart.add(during(chart, "2024-05"), 1, chart.contract("2024-05-01"));
      await chart.archive(during(chart, "2025-05"), policy, "desk", "Patient said it ended");
      await chart.restore(during(chart, "2025-06"), policy, "Insurer confirmed coverage by phone");
    },
  },
  {
    name: "card replaced",
    patients: 4,
    write: async (chart) => {
      const contract = chart.contract("2024-01-01");
      const policy = await chart.add(during(chart, "2024-01"), 1, contract);
      await chart.scan(during(chart, "2024-02"), policy, contract);
      const renewed = { ...contract, fields: { ...contract.fields, member_id: `${contract.fields.member_id}-02` } };
      await chart.change(during(chart, "2025-02"), policy, { member_id: renewed.fields.member_id });
      await chart.scan(during(chart, "2025-03"), policy, renewed, [1]);
    },
  },
  {
    name: "still written the legacy way, with ids",
    patients: 5,
    write: async (chart) => {
      const contract = chart.contract("2024-01-01");
      const [id = null] = await chart.write(during(chart, "2024-06"), { insurances: [legacyEntry(contract, 1)] });
      const dearer = { ...contract, fields: { ...contract.fields, copay: "35.00" } };
      await chart.write(during(chart, "2025-01"), { insurances: [legacyEntry(dearer, 1, id)] });
      const added = legacyEntry(chart.contract("2025-01-01", "Medicaid"), 2);
      await chart.write(during(chart, "2025-07"), { insurances: [legacyEntry(dearer, 1, id), added] });
    },
  },
  {
    name: "changed this week",
    patients: 6,
    write: async (chart) => {
      const contract = chart.contract("2025-01-01");
      const policy = await chart.add(during(chart, "2025-01"), 1, contract);
      await chart.change(hoursAgo(chart.dice.between(24, 90)), policy, { copay: "45.00" });
      await chart.scan(hoursAgo(chart.dice.between(2, 20)), policy, contract, [1]);
      await chart.verify(hoursAgo(2), policy);
      await chart.note(
        hoursAgo(1),
        policy,
        `Called ${contract.company.carrier}. The representative confirmed the new copay.`,
      );
    },
  },
  {
    name: "changed name",
    patients: 3,
    write: async (chart) => {
      await chart.add(during(chart, "2023-08"), 1, chart.contract("2023-08-01"));
      await chart.write(during(chart, "2024-10"), {
        last_name: "Fairweather-Lund",
        previous_last_name: chart.person.last_name,
      });
    },
  },
];

/** Scenarios of practices without it. Clients write the patient, and every write replaces the insurances. */
export const LEGACY: readonly Scenario[] = [
  { name: "uninsured", patients: 5, age: { from: 0, to: 17 }, write: async () => {} },
  {
    name: "one insurance",
    patients: 17,
    age: { from: 0, to: 17 },
    write: async (chart) => {
      await chart.write(during(chart, "2024-02"), { insurances: [legacyEntry(chart.contract("2024-01-01"), 1)] });
    },
  },
  {
    name: "replaced by every update",
    patients: 12,
    age: { from: 0, to: 17 },
    write: async (chart) => {
      const contract = chart.contract("2023-01-01");
      await chart.write(during(chart, "2023-02"), { insurances: [legacyEntry(contract, 1)] });
      const medicaid = chart.contract("2024-01-01", "Medicaid");
      await chart.write(during(chart, "2024-02"), {
        insurances: [legacyEntry(contract, 1), legacyEntry(medicaid, 2)],
      });
      await chart.write(during(chart, "2025-02"), { insurances: [legacyEntry(medicaid, 1)] });
    },
  },
  {
    name: "card by priority",
    patients: 9,
    age: { from: 0, to: 17 },
    write: async (chart) => {
      const contract = chart.contract("2024-01-01");
      await chart.write(during(chart, "2024-03"), { insurances: [legacyEntry(contract, 1)] });
      await chart.scanByPriority(during(chart, "2024-04"), 1, contract);
    },
  },
  {
    name: "emptied",
    patients: 4,
    age: { from: 0, to: 17 },
    write: async (chart) => {
      await chart.write(during(chart, "2024-05"), { insurances: [legacyEntry(chart.contract("2024-01-01"), 1)] });
      await chart.write(during(chart, "2025-05"), { insurances: [] });
    },
  },
];

/** Scenarios of the other organization. */
export const NEIGHBOUR: readonly Scenario[] = VERSIONED.filter(({ name }) =>
  ["one policy, never touched", "card on file", "renewed every year", "new job, new insurer"].includes(name),
).map((scenario) => ({ ...scenario, patients: scenario.name === "one policy, never touched" ? 9 : 2 }));
