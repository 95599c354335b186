import type { PolicyRow } from "@/lib/insurance/policies/schema";
import { addressOf, personNameOf, phoneOf } from "./parties";
import type { Content, Subject, Xml } from "./schema";
import { absent, coded, consolidated, idOf, point, stretch } from "./values";

const RANKS = { 1: "Primary", 2: "Secondary", 3: "Tertiary" } as const;

/** The active policies, each as one coverage. */
export function payersContent({ chart, making }: Subject): Content | null {
  const { policies } = chart;
  if (policies.length === 0) return null;
  const rows = policies.map((policy) => ({
    id: `policy-${policy.id}`,
    cells: [
      ...[policy.rank ? RANKS[policy.rank] : "", policy.carrier, policy.plan, policy.member_id, policy.group_id],
      ...[insuredNameOf(policy), policy.start_date, policy.end_date, policy.payment_program],
    ],
  }));
  const columns = ["Rank", "Payer", "Plan", "Member", "Group", "Insured", "From", "To", "Program"];
  return {
    tables: [{ columns, rows }],
    entries: policies.map((policy) => coverageOf(policy, { chart, making })),
  };
}

/** Who holds the policy: the patient, unless somebody else is insured. */
function insuredNameOf(policy: PolicyRow): string {
  if (!isDependent(policy)) return "Self";
  const name = [policy.insured_person_first_name, policy.insured_person_last_name].filter(Boolean).join(" ");
  return [name, policy.relationship_to_insured && `(patient is ${policy.relationship_to_insured.toLowerCase()})`]
    .filter(Boolean)
    .join(" ");
}

const isDependent = ({ relationship_to_insured }: PolicyRow) => relationship_to_insured !== null;

function coverageOf(policy: PolicyRow, subject: Subject): Xml {
  const root = subject.making.roots.policies;
  return {
    act: {
      "@classCode": "ACT",
      "@moodCode": "EVN",
      templateId: consolidated("4.60", "2015-08-01"),
      id: idOf(root, `${policy.id}-coverage`),
      code: coded("LOINC", "48768-6", "Payment sources Document"),
      statusCode: { "@code": "completed" },
      entryRelationship: {
        "@typeCode": "COMP",
        sequenceNumber: policy.rank ? { "@value": policy.rank } : undefined,
        act: policyOf(policy, subject, root),
      },
    },
  };
}

/** Policy Activity: payer, guarantor, who is covered, and who holds it. */
function policyOf(policy: PolicyRow, subject: Subject, root: string): Xml {
  const holder = isDependent(policy) ? holderOf(policy) : [];
  return {
    "@classCode": "ACT",
    "@moodCode": "EVN",
    templateId: consolidated("4.61", "2015-08-01"),
    id: policy.group_id ? idOf(root, policy.group_id) : idOf(root, policy.id),
    code: { ...absent(), originalText: policy.payment_program ?? undefined, translation: programOf(policy) },
    statusCode: { "@code": "completed" },
    performer: [payerOf(policy, subject), guarantorOf(policy, subject)],
    participant: [coveredOf(policy, subject), ...holder],
    entryRelationship: { "@typeCode": "REFR", act: planOf(policy, root) },
  };
}

/** Kinds of payers, by the Source of Payment Typology. */
const PROGRAMS: Readonly<Record<NonNullable<PolicyRow["payment_program"]>, readonly [code: string, name: string]>> = {
  "Commercial - HMSA": ["5", "Private health insurance"],
  "Commercial - Other": ["5", "Private health insurance"],
  "Commercial - SFHP": ["5", "Private health insurance"],
  Medicaid: ["2", "Medicaid"],
  "Medicare Advantage": ["11", "Medicare (Managed Care)"],
  "Medicare Part B": ["12", "Medicare (Non-managed Care)"],
  "Worker's Compensation": ["95", "Worker's Compensation"],
};

function programOf({ payment_program: program }: PolicyRow): Xml {
  return program ? coded("Source of Payment Typology", ...PROGRAMS[program]) : absent();
}

function payerOf(policy: PolicyRow, { making }: Subject): Xml {
  const { insurance_company: company, carrier } = policy;
  return {
    "@typeCode": "PRF",
    templateId: consolidated("4.87"),
    assignedEntity: {
      id: company ? idOf(making.roots.insurance_companies, company) : absent(),
      code: coded("RoleCode", "PAYOR", "invoice payor"),
      addr: addressOf({ ...policy, line1: policy.address, line2: policy.suite }, "WP"),
      telecom: phoneOf(policy.phone, "WP"),
      representedOrganization: carrier ? { name: carrier } : undefined,
    },
  };
}

/** The patient, where nobody else was named. */
function guarantorOf(policy: PolicyRow, { chart, making }: Subject): Xml {
  const own = (chart.patient.details.guarantor ?? {}) as Record<string, string | null | undefined>;
  const named = Boolean(own.last_name);
  const { patient } = chart;
  return {
    "@typeCode": "PRF",
    templateId: consolidated("4.88"),
    time: stretch(policy.start_date, policy.end_date),
    assignedEntity: {
      id: named ? absent() : idOf(making.roots.patients, patient.id),
      code: coded("RoleCode", "GUAR", "guarantor"),
      addr: addressOf({ ...own, line1: own.address }, "HP"),
      telecom: phoneOf(own.phone, "HP"),
      assignedPerson: {
        name: personNameOf(named ? [own.first_name, own.last_name] : [patient.first_name, patient.last_name]),
      },
    },
  };
}

const RELATIONS = { Child: "CHILD", Spouse: "SPS", Other: "FAMDEP" } as const;

function coveredOf(policy: PolicyRow, { chart, making }: Subject): Xml {
  const { relationship_to_insured: relation, member_id } = policy;
  const { patient } = chart;
  return {
    "@typeCode": "COV",
    templateId: consolidated("4.89", "2015-08-01"),
    time: { low: point(policy.start_date), high: point(policy.end_date) },
    participantRole: {
      "@classCode": "PAT",
      id: member_id ? idOf(making.roots.members, member_id) : absent(),
      code: relation ? coded("RoleCode", RELATIONS[relation], relation) : coded("RoleCode", "SELF", "self"),
      addr: homeOf(patient),
      playingEntity: {
        name: personNameOf([patient.first_name, patient.last_name]),
        "sdtc:birthTime": point(patient.dob),
      },
    },
  };
}

/** The covered patient's address; the rules for this place expect none with a country. */
function homeOf({ details }: Subject["chart"]["patient"]): Xml {
  const address = (details.address ?? {}) as Record<string, string | null | undefined>;
  return {
    ...addressOf({ ...address, line1: address.address_line1, line2: address.address_line2 }, "HP"),
    country: undefined,
  };
}

function holderOf(policy: PolicyRow): Xml[] {
  const { insured_person_address: line1, insured_person_city: city } = policy;
  const { insured_person_state: state, insured_person_zip: zip } = policy;
  const address = addressOf({ line1, city, state, zip }, "HP");
  return [
    {
      "@typeCode": "HLD",
      templateId: consolidated("4.90", "2015-08-01"),
      participantRole: {
        id: absent(),
        addr: "@nullFlavor" in address ? undefined : address,
        playingEntity: { name: personNameOf([policy.insured_person_first_name, policy.insured_person_last_name]) },
      },
    },
  ];
}

function planOf(policy: PolicyRow, root: string): Xml {
  return {
    "@classCode": "ACT",
    "@moodCode": "DEF",
    id: idOf(root, `${policy.id}-plan`),
    code: absent("NA"),
    text: policy.plan ?? policy.carrier ?? "Plan without a name",
  };
}
