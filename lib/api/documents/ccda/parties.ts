import type { ChartOwner } from "@/lib/api/documents/chart/schema";
import type { PatientRow } from "@/lib/insurance/patients/schema";
import type { PhysicianRow } from "@/lib/practice/physicians/schema";
import type { RenderContext, Xml } from "./schema";
import { instanceId, npiId, nullFlavor } from "./xml";

type Text = string | null | undefined;
/** HP home, WP work, MC mobile. */
type Use = "HP" | "WP" | "MC";

interface Address {
  line1?: Text;
  line2?: Text;
  city?: Text;
  state?: Text;
  zip?: Text;
}

/** Returns a US Realm Address; unknown if it has no street and no city. */
export function usAddress({ line1, line2, city, state, zip }: Address, use: Use): Xml {
  const lines = [line1, line2].filter((line): line is string => Boolean(line?.trim()));
  if (lines.length === 0 && !city) return nullFlavor();
  return {
    "@use": use,
    streetAddressLine: lines.length > 0 ? lines : nullFlavor(),
    city: city || nullFlavor(),
    state: state || nullFlavor(),
    postalCode: zip || nullFlavor(),
    country: "US",
  };
}

/** Returns the patient's address, or the null flavor for unknown. */
export function homeAddress({ details: { address } }: PatientRow): Xml {
  return usAddress({ ...address, line1: address?.address_line1, line2: address?.address_line2 }, "HP");
}

/** Returns a telephone number as a URI, or the null flavor for unknown. */
export function telecom(phone: Text, use: Use): Xml {
  const digits = (phone ?? "").replace(/[^\d+]/g, "");
  if (digits === "") return nullFlavor();
  const tel = /^\d{10}$/.test(digits) ? `+1-${digits.slice(0, 3)}-${digits.slice(3, 6)}-${digits.slice(6)}` : digits;
  return { "@use": use, "@value": `tel:${tel}` };
}

/** Returns a person's name: given names, and the family name last. */
export function personName(parts: readonly Text[], suffix?: Text): Xml {
  const given = parts.slice(0, -1).filter((part): part is string => Boolean(part));
  const family = parts.at(-1);
  if (given.length === 0 && !family) return nullFlavor();
  return {
    given: given.length > 0 ? given : nullFlavor(),
    family: family || nullFlavor(),
    suffix: suffix || undefined,
  };
}

type Practice = ChartOwner["practice"];

const practiceAddress = (practice: Practice) =>
  usAddress({ ...practice, line1: practice.address_line1, line2: practice.address_line2 }, "WP");

/** Returns the practice as an organization, for example the custodian. */
export function organization(practice: Practice, context: RenderContext): Xml {
  return {
    id: instanceId(context.roots.practices, practice.id),
    name: practice.name,
    telecom: telecom(practice.phone, "WP"),
    addr: practiceAddress(practice),
  };
}

/** Returns a physician as an assigned entity. */
export function assignedEntity(physician: PhysicianRow, { practice }: ChartOwner): Xml {
  return {
    id: npiId(physician.npi),
    addr: practiceAddress(practice),
    telecom: telecom(practice.phone, "WP"),
    assignedPerson: { name: physicianName(physician) },
  };
}

export function physicianName({ first_name, last_name, credentials }: PhysicianRow): Xml {
  return personName([first_name, last_name], credentials);
}

/** Returns a physician as an author. */
export function physicianAuthor(physician: PhysicianRow, owner: ChartOwner, context: RenderContext): Xml {
  const { id, addr, telecom, assignedPerson } = assignedEntity(physician, owner);
  return { id, addr, telecom, assignedPerson, representedOrganization: organization(owner.practice, context) };
}

/** Returns this software as an author, because no person has reviewed the document. */
export function softwareAuthor({ practice }: ChartOwner, context: RenderContext): Xml {
  return {
    id: instanceId(context.roots.software, "crosswalk"),
    addr: practiceAddress(practice),
    telecom: telecom(practice.phone, "WP"),
    assignedAuthoringDevice: { manufacturerModelName: "Crosswalk", softwareName: "Crosswalk" },
    representedOrganization: organization(practice, context),
  };
}
