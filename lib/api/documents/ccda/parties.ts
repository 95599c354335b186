import type { ChartOwner } from "@/lib/api/documents/chart/schema";
import type { PhysicianRow } from "@/lib/practice/physicians/schema";
import type { Making, Xml } from "./schema";
import { absent, idOf, npiOf } from "./values";

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

/** A US Realm Address; unknown where there is nothing of it. */
export function addressOf({ line1, line2, city, state, zip }: Address, use: Use): Xml {
  const lines = [line1, line2].filter((line): line is string => Boolean(line?.trim()));
  if (lines.length === 0 && !city) return absent();
  return {
    "@use": use,
    streetAddressLine: lines.length > 0 ? lines : absent(),
    city: city || absent(),
    state: state || absent(),
    postalCode: zip || absent(),
    country: "US",
  };
}

/** A telephone number as a URI; unknown where there is none. */
export function phoneOf(phone: Text, use: Use): Xml {
  const digits = (phone ?? "").replace(/[^\d+]/g, "");
  if (digits === "") return absent();
  const tel = /^\d{10}$/.test(digits) ? `+1-${digits.slice(0, 3)}-${digits.slice(3, 6)}-${digits.slice(6)}` : digits;
  return { "@use": use, "@value": `tel:${tel}` };
}

/** A name of its given ones and, last, the family's. */
export function personNameOf(parts: readonly Text[], suffix?: Text): Xml {
  const given = parts.slice(0, -1).filter((part): part is string => Boolean(part));
  const family = parts.at(-1);
  if (given.length === 0 && !family) return absent();
  return { given: given.length > 0 ? given : absent(), family: family || absent(), suffix: suffix || undefined };
}

type Practice = ChartOwner["practice"];

const practiceAddressOf = (practice: Practice) =>
  addressOf({ ...practice, line1: practice.address_line1, line2: practice.address_line2 }, "WP");

/** The practice, as custodian, provider or author's organisation. */
export function organisationOf(practice: Practice, making: Making): Xml {
  return {
    id: idOf(making.roots.practices, practice.id),
    name: practice.name,
    telecom: phoneOf(practice.phone, "WP"),
    addr: practiceAddressOf(practice),
  };
}

/** A physician, in the form of an assigned entity. */
export function physicianEntityOf(physician: PhysicianRow, { practice }: ChartOwner): Xml {
  return {
    id: npiOf(physician.npi),
    addr: practiceAddressOf(practice),
    telecom: phoneOf(practice.phone, "WP"),
    assignedPerson: { name: physicianNameOf(physician) },
  };
}

export function physicianNameOf({ first_name, last_name, credentials }: PhysicianRow): Xml {
  return personNameOf([first_name, last_name], credentials);
}

/** The physician as author. */
export function physicianAuthorOf(physician: PhysicianRow, owner: ChartOwner, making: Making): Xml {
  const { id, addr, telecom, assignedPerson } = physicianEntityOf(physician, owner);
  return { id, addr, telecom, assignedPerson, representedOrganization: organisationOf(owner.practice, making) };
}

/** This server as author: it made the document, and nobody looked it through. */
export function serverAuthorOf({ practice }: ChartOwner, making: Making): Xml {
  return {
    id: idOf(making.roots.software, "crosswalk"),
    addr: practiceAddressOf(practice),
    telecom: phoneOf(practice.phone, "WP"),
    assignedAuthoringDevice: { manufacturerModelName: "Crosswalk", softwareName: "Crosswalk" },
    representedOrganization: organisationOf(practice, making),
  };
}
