import { z } from "zod";
import { absentRecords, ValidationError } from "@/lib/platform/errors";
import { contacts } from "@/lib/records/catalog/practice/contacts";
import {
  createdDate,
  defaulted,
  deletedDate,
  integer,
  list,
  optional,
  patientColumn,
  practiceColumn,
  readOnly,
  reference,
  refersTo,
  required,
  text,
  time,
} from "@/lib/records/engine/fields";
import { defineResource, rangeFilters } from "@/lib/records/engine/schema";
import { signOn } from "@/lib/records/rules/documents";
import { letterAttachment } from "@/lib/records/rules/letter-attachments";
import { allSpecialties } from "@/lib/records/rules/medical-specialties";

const MAX_NPI_CHARACTERS = 20;

const sendToContact = z.object({
  first_name: text(50).optional(),
  id: reference,
  last_name: text(60).optional(),
  middle_name: text(50).optional(),
  npi: text(MAX_NPI_CHARACTERS).nullable().optional(),
  org_name: text(100).nullable().optional(),
  specialties: list(z.unknown()).optional(),
});

/** A letter about a patient to a contact. */
export const letters = defineResource({
  name: "letters",
  title: "Letter",
  noun: "letter",
  owner: "patient",
  operations: ["list", "create", "get", "replace", "update"],
  fields: {
    attachments: defaulted(list(letterAttachment), []),
    body: defaulted(text(), ""),
    created_date: createdDate,
    deleted_date: deletedDate,
    delivery_date: optional(time),
    delivery_method: defaulted(z.enum(["direct", "email", "emr", "fax", "passport", "printed"])),
    direct_message_status: readOnly(text().nullable(), null),
    direct_message_to: optional(text(200)),
    display_to: readOnly(text().nullable(), null),
    document_date: defaulted(time),
    email_to: optional(text(200)),
    failure_unacknowledged: defaulted(text(), ""),
    fax_attachments: defaulted(z.boolean(), false),
    fax_status: readOnly(text(), ""),
    fax_to: optional(text(20)),
    is_processed: readOnly(z.boolean(), false),
    letter_type: readOnly(text(), ""),
    patient: patientColumn,
    practice: practiceColumn,
    referral_order: refersTo(optional(reference), "referral_orders"),
    send_out: defaulted(z.boolean(), false),
    send_to_contact: required(sendToContact),
    send_to_elation_user: readOnly(integer()),
    send_to_name: optional(text(200)),
    sign_date: optional(time),
    signed_by: refersTo(optional(reference), "physicians"),
    subject: defaulted(text(200), ""),
    tags: refersTo(defaulted(list(reference), []), "document_tags"),
    to_number: readOnly(text().nullable(), null),
    viewed_at: optional(time),
    with_archive: defaulted(z.boolean(), false),
  },
  filters: [...rangeFilters("document_date"), "patient", "practice", "recipient_id", "recipient_name"],
  sortFields: ["document_date"],
  keys: {
    recipient_id: { schema: reference, value: (data) => data.send_to_contact.id, label: "the recipient's id" },
    recipient_name: {
      schema: text(),
      value: (data) => recipientNames(data.send_to_contact),
      label: "the recipient's names",
    },
    referral_order: { schema: reference, value: (data) => data.referral_order ?? [] },
  },
  nestedReferences: { attachments: { handout: "handouts" } },
  // A letter goes to a contact of the practice, and keeps the name it was sent to.
  beforeWrite: async (write) => {
    const data = signOn("sign_date", write);
    const { id } = data.send_to_contact;
    const contact = (await write.reader.recordsById(contacts, [id])).get(id)?.data;
    const before = write.before?.send_to_contact;
    const known = contact ?? (before?.id === id ? before : undefined);
    if (!known) throw new ValidationError({ send_to_contact: { id: absentRecords(id) } });
    const { first_name, last_name, middle_name, org_name } = known;
    // The contract limits it in letters but not in contacts.
    const npi = known.npi && known.npi.length <= MAX_NPI_CHARACTERS ? known.npi : null;
    const specialties = contact ? allSpecialties(contact) : before?.specialties;
    const recipient = { first_name, last_name, middle_name, org_name, npi, specialties };
    const send_to_contact = { ...recipient, ...data.send_to_contact };
    return {
      ...data,
      send_to_contact,
      delivery_method: data.delivery_method ?? deliveryMethod(data),
      display_to: data.send_to_name ?? recipientNames(send_to_contact)[0] ?? null,
      document_date: data.document_date ?? write.now,
      letter_type: data.referral_order === null ? "provider" : "referral",
      to_number: data.fax_to,
    };
  },
});

type Address = "fax_to" | "direct_message_to" | "email_to";

/** Returns how a letter is delivered unless the client says so: to the address that it has, or on paper. */
function deliveryMethod(letter: Record<Address, string | null>) {
  if (letter.fax_to) return "fax";
  if (letter.direct_message_to) return "direct";
  return letter.email_to ? "email" : "printed";
}

type Recipient = Pick<z.output<typeof sendToContact>, "first_name" | "last_name" | "org_name">;

/** Returns the names of a recipient that are not empty: the person's, and the organization's. */
function recipientNames({ first_name, last_name, org_name }: Recipient): string[] {
  return [[first_name, last_name].filter(Boolean).join(" "), org_name ?? ""].filter((name) => name !== "");
}
