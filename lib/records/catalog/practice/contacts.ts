import { z } from "zod";
import {
  createdDate,
  defaulted,
  deletedDate,
  integer,
  list,
  optional,
  practiceColumn,
  readOnly,
  required,
  text,
} from "@/lib/records/engine/fields";
import { searchWords } from "@/lib/records/engine/rules";
import { defineResource, defineVariant, OPERATIONS } from "@/lib/records/engine/schema";
import { allSpecialties, medicalSpecialty } from "@/lib/records/rules/medical-specialties";

/** A colleague or organization that a practice works with. */
export const contacts = defineResource({
  name: "contacts",
  title: "Contact",
  noun: "contact",
  owner: "practice",
  operations: OPERATIONS,
  fields: {
    accepting_insurance: optional(z.boolean()),
    accepting_new_patients: optional(z.boolean()),
    address: defaulted(text(200), ""),
    back_office_phone: defaulted(text(20), ""),
    cell_phone: defaulted(text(20), ""),
    city: defaulted(text(50), ""),
    contact_type: required(text(15)),
    created_date: createdDate,
    credentials: required(text(200)),
    deleted_date: deletedDate,
    direct_address: defaulted(text(500), ""),
    email: defaulted(text(), ""),
    fax: defaulted(text(15), ""),
    first_name: required(text(50)),
    is_elation_confirmed: optional(z.boolean()),
    is_verified: optional(z.boolean()),
    last_name: required(text(60)),
    middle_name: required(text(50)),
    npi: defaulted(text(), ""),
    org_name: optional(text(100)),
    other_specialties: defaulted(list(medicalSpecialty), []),
    phone: defaulted(text(20), ""),
    practice: practiceColumn,
    specialty: defaulted(medicalSpecialty),
    specialty_categories: defaulted(list(z.unknown()), []),
    state: defaulted(text(2), ""),
    suite: defaulted(text(20), ""),
    user: readOnly(integer()),
    zip: defaulted(text(10), ""),
  },
  filters: ["npi"],
  keys: {
    word: {
      schema: text(),
      value: ({ first_name, last_name, org_name, npi }) => searchWords(first_name, last_name, org_name, npi),
      label: "their names and `npi`",
    },
    city: { schema: text(), value: ({ city }) => city },
    state: { schema: text(), value: ({ state }) => state },
    specialty: {
      schema: text(),
      value: (data) => allSpecialties(data).flatMap((one) => searchWords(one.name, one.abbreviation)),
      label: "the names and abbreviations of their `specialties`",
    },
  },
});

/** The search for contacts, by the beginnings of words in their names, NPI and specialties, and by place. */
export const contactsSearch = defineVariant(contacts, {
  path: "contacts/search",
  title: "ContactsSearchResult",
  operations: ["list"],
  fields: {
    accepting_insurance: optional(z.boolean()),
    accepting_new_patients: optional(z.boolean()),
    address_line: readOnly(text(), ""),
    city: readOnly(text(), ""),
    contact_type: readOnly(text(), ""),
    direct_address: readOnly(text(), ""),
    fax: readOnly(text(), ""),
    is_elation_confirmed: optional(z.boolean()),
    is_verified: optional(z.boolean()),
    name: readOnly(text()),
    npi: readOnly(text(), ""),
    phone: readOnly(text(), ""),
    specialties: readOnly(list(medicalSpecialty), []),
    specialty_categories: defaulted(list(z.unknown()), []),
    state: readOnly(text(), ""),
  },
  filters: [
    ["city", "city"],
    ["q", "word__words"],
    ["specialties", "specialty__words"],
    ["state", "state"],
  ],
  serialize: (records) =>
    records.map(({ data }) => ({
      name: [data.first_name, data.middle_name, data.last_name].filter(Boolean).join(" ") || data.org_name || "",
      address_line: data.address,
      specialties: allSpecialties(data),
    })),
});
