import type { PolicyRow } from "@/lib/insurance/policies/schema";
import { homeAddress, personName, telecom, usAddress } from "./parties";
import type { CcdaInput, SectionContent, Xml } from "./schema";
import { ccdaTemplateId, coded, instanceId, nullFlavor, timeInterval, timePoint } from "./xml";

const RANKS = { 1: "Primary", 2: "Secondary", 3: "Tertiary" } as const;

/** Returns the active policies. */
export function payersContent({ chart, context }: CcdaInput): SectionContent | null {
  const { policies } = chart;
  if (policies.length === 0) return null;
  const rows = policies.map((policy) => ({
    id: `policy-${policy.id}`,
    cells: [
      policy.rank ? RANKS[policy.rank] : "",
      policy.carrier,
      policy.plan,
      policy.member_id,
      policy.group_id,
      insuredName(policy),
      policy.start_date,
      policy.end_date,
      policy.payment_program,
    ],
  }));
  const columns = ["Rank", "Payer", "Plan", "Member", "Group", "Insured", "From", "To", "Program"];
  return {
    tables: [{ columns, rows }],
    entries: policies.map((policy) => coverageActivity(policy, { chart, context })),
  };
}

/** Returns the subscriber: the patient, unless someone else is insured. */
function insuredName(policy: PolicyRow): string {
  if (!isDependent(policy)) return "Self";
  const name = [policy.insured_person_first_name, policy.insured_person_last_name].filter(Boolean).join(" ");
  return [name, policy.relationship_to_insured && `(patient is ${policy.relationship_to_insured.toLowerCase()})`]
    .filter(Boolean)
    .join(" ");
}

const isDependent = ({ relationship_to_insured }: PolicyRow) => relationship_to_insured !== null;

function coverageActivity(policy: PolicyRow, input: CcdaInput): Xml {
  const root = input.context.roots.policies;
  return {
    act: {
      "@classCode": "ACT",
      "@moodCode": "EVN",
      templateId: ccdaTemplateId("4.60", "2015-08-01"),
      id: instanceId(root, `${policy.id}-coverage`),
      code: coded("LOINC", "48768-6", "Payment sources Document"),
      statusCode: { "@code": "completed" },
      entryRelationship: {
        "@typeCode": "COMP",
        sequenceNumber: policy.rank ? { "@value": policy.rank } : undefined,
        act: policyActivity(policy, input, root),
      },
    },
  };
}

/** Returns a Policy Activity: payer, guarantor, covered party and subscriber. */
function policyActivity(policy: PolicyRow, input: CcdaInput, root: string): Xml {
  const holder = isDependent(policy) ? policyHolder(policy) : [];
  return {
    "@classCode": "ACT",
    "@moodCode": "EVN",
    templateId: ccdaTemplateId("4.61", "2015-08-01"),
    id: policy.group_id ? instanceId(root, policy.group_id) : instanceId(root, policy.id),
    code: { ...nullFlavor(), originalText: policy.payment_program ?? undefined, translation: payerType(policy) },
    statusCode: { "@code": "completed" },
    performer: [payerPerformer(policy, input), guarantorPerformer(policy, input)],
    participant: [coveredParty(policy, input), ...holder],
    entryRelationship: { "@typeCode": "REFR", act: planReference(policy, root) },
  };
}

/** Payer types in the Source of Payment Typology. */
const PROGRAMS: Readonly<Record<NonNullable<PolicyRow["payment_program"]>, readonly [code: string, name: string]>> = {
  "Commercial - HMSA": ["5", "Private health insurance"],
  "Commercial - Other": ["5", "Private health insurance"],
  "Commercial - SFHP": ["5", "Private health insurance"],
  Medicaid: ["2", "Medicaid"],
  "Medicare Advantage": ["11", "Medicare (Managed Care)"],
  "Medicare Part B": ["12", "Medicare (Non-managed Care)"],
  "Worker's Compensation": ["95", "Worker's Compensation"],
};

function payerType({ payment_program: program }: PolicyRow): Xml {
  return program ? coded("Source of Payment Typology", ...PROGRAMS[program]) : nullFlavor();
}

function payerPerformer(policy: PolicyRow, { context }: CcdaInput): Xml {
  const { insurance_company: company, carrier } = policy;
  return {
    "@typeCode": "PRF",
    templateId: ccdaTemplateId("4.87"),
    assignedEntity: {
      id: company ? instanceId(context.roots.insurance_companies, company) : nullFlavor(),
      code: coded("RoleCode", "PAYOR", "invoice payor"),
      addr: usAddress({ ...policy, line1: policy.address, line2: policy.suite }, "WP"),
      telecom: telecom(policy.phone, "WP"),
      representedOrganization: carrier ? { name: carrier } : undefined,
    },
  };
}

/** Returns the guarantor, which is the patient unless someone else is named. */
function guarantorPerformer(policy: PolicyRow, { chart, context }: CcdaInput): Xml {
  const { patient } = chart;
  const { guarantor } = patient.details;
  const isNamed = Boolean(guarantor?.last_name);
  return {
    "@typeCode": "PRF",
    templateId: ccdaTemplateId("4.88"),
    time: timeInterval(policy.start_date, policy.end_date),
    assignedEntity: {
      id: isNamed ? nullFlavor() : instanceId(context.roots.patients, patient.id),
      code: coded("RoleCode", "GUAR", "guarantor"),
      addr: usAddress({ ...guarantor, line1: guarantor?.address }, "HP"),
      telecom: telecom(guarantor?.phone, "HP"),
      assignedPerson: {
        name: personName(
          isNamed ? [guarantor?.first_name, guarantor?.last_name] : [patient.first_name, patient.last_name],
        ),
      },
    },
  };
}

const RELATIONS = { Child: "CHILD", Spouse: "SPS", Other: "FAMDEP" } as const;

function coveredParty(policy: PolicyRow, { chart, context }: CcdaInput): Xml {
  const { relationship_to_insured: relation, member_id } = policy;
  const { patient } = chart;
  return {
    "@typeCode": "COV",
    templateId: ccdaTemplateId("4.89", "2015-08-01"),
    time: { low: timePoint(policy.start_date), high: timePoint(policy.end_date) },
    participantRole: {
      "@classCode": "PAT",
      id: member_id ? instanceId(context.roots.members, member_id) : nullFlavor(),
      code: relation ? coded("RoleCode", RELATIONS[relation], relation) : coded("RoleCode", "SELF", "self"),
      // The template's rules allow no country here.
      addr: { ...homeAddress(patient), country: undefined },
      playingEntity: {
        name: personName([patient.first_name, patient.last_name]),
        "sdtc:birthTime": timePoint(patient.dob),
      },
    },
  };
}

function policyHolder(policy: PolicyRow): Xml[] {
  const { insured_person_address: line1, insured_person_city: city } = policy;
  const { insured_person_state: state, insured_person_zip: zip } = policy;
  const address = usAddress({ line1, city, state, zip }, "HP");
  return [
    {
      "@typeCode": "HLD",
      templateId: ccdaTemplateId("4.90", "2015-08-01"),
      participantRole: {
        id: nullFlavor(),
        addr: "@nullFlavor" in address ? undefined : address,
        playingEntity: { name: personName([policy.insured_person_first_name, policy.insured_person_last_name]) },
      },
    },
  ];
}

function planReference(policy: PolicyRow, root: string): Xml {
  return {
    "@classCode": "ACT",
    "@moodCode": "DEF",
    id: instanceId(root, `${policy.id}-plan`),
    code: nullFlavor("NA"),
    text: policy.plan ?? policy.carrier ?? "Plan without a name",
  };
}
