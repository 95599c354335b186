import { z } from "zod";
import { serviceLocations } from "@/lib/records/catalog/practice/service-locations";
import { toRecordDto } from "@/lib/records/engine/dto";
import { decimal, list, reference, text, time } from "@/lib/records/engine/field-types";
import { responseSchema } from "@/lib/records/engine/rules";
import {
  createdDate,
  type Data,
  defaulted,
  defineResource,
  type Field,
  idColumn,
  modifiedDate,
  optional,
  patientColumn,
  practiceColumn,
  type RecordRow,
  readOnly,
  readOnlyPatientColumn,
  readOnlyPracticeColumn,
  refersTo,
  required,
  type SerializeContext,
  type Write,
} from "@/lib/records/engine/schema";
import { listedCpt, placeOfService, referringProvider, sentCpt, toListedCpt } from "@/lib/records/rules/charges";
import { payment } from "@/lib/records/rules/nested-schemas";

const amount = decimal(8, 2);
const physicians = (field: Field) => refersTo(field, "physicians");

/** What POST and PATCH have in common, where it can be emptied. */
const charges = {
  billing_provider: physicians(optional(reference)),
  notes: defaulted(text(1_000), ""),
  ordering_provider: defaulted(referringProvider),
  payment_amount: { ...optional(amount), initial: "0.00" },
  prior_authorization: optional(text(50)),
  referring_provider: defaulted(referringProvider),
  rendering_provider: physicians(optional(reference)),
  supervising_provider: physicians(optional(reference)),
};

const created = {
  ...charges,
  cpts: required(list(sentCpt)),
  patient: patientColumn,
  payment: defaulted(reference),
  physician: physicians(required(reference)),
  practice: practiceColumn,
  service_location: refersTo(required(reference), "service_locations"),
  show_dual_coding: { ...optional(z.boolean()), initial: false },
  visit_note: refersTo(required(reference), "visit_notes"),
};

const emptied = (field: Field): Field => ({ ...field, schema: field.schema.nullable() });
const updated = {
  ...charges,
  billing_date: optional(time),
  billing_error: optional(text(200)),
  billing_raw_error: optional(text()),
  cpts: defaulted(list(sentCpt)),
  metadata: defaulted(z.record(z.string(), z.unknown())),
  notes: emptied(charges.notes),
  ordering_provider: emptied(charges.ordering_provider),
  place_of_service: optional(placeOfService),
  practice: { ...practiceColumn, required: false },
  ref_number: defaulted(text(50)),
  referring_provider: emptied(charges.referring_provider),
  service_location: refersTo(defaulted(reference), "service_locations"),
  visit_note: refersTo(defaulted(reference), "visit_notes"),
};

/** The place as it is now; of one that was deleted, its id alone. */
const shownLocation = z.union([responseSchema(serviceLocations, "get"), z.strictObject({ id: reference })]);

const STATUSES = ["Unbilled", "Billed", "UnresolvedError", "ResolvedError"] as const;

/** What a visit is charged. The bill follows its visit note: when the service was, and who signed for it. */
export const bills = defineResource({
  name: "bills",
  title: "Bill",
  noun: "bill",
  owner: "patient",
  operations: ["list", "create", "get", "update"],
  fields: {
    billing_date: readOnly(time.nullable(), null),
    billing_error: readOnly(text(200).nullable(), null),
    billing_provider: readOnly(reference.nullable(), null),
    billing_raw_error: readOnly(text().nullable(), null),
    billing_status: readOnly(z.enum(STATUSES), "Unbilled"),
    cpts: readOnly(list(listedCpt), []),
    created_date: createdDate,
    deferred_bill: readOnly(z.boolean(), false),
    last_modified_date: modifiedDate,
    metadata: readOnly(z.record(z.string(), z.unknown()).nullable(), null),
    notes: readOnly(text().nullable(), null),
    ordering_provider: readOnly(referringProvider.nullable(), null),
    patient: readOnlyPatientColumn,
    payment: readOnly(payment),
    physician: readOnly(reference),
    practice: readOnlyPracticeColumn,
    prior_authorization: readOnly(text(50).nullable(), null),
    ref_number: readOnly(text(50).nullable(), null),
    referring_provider: readOnly(referringProvider.nullable(), null),
    rendering_provider: readOnly(reference.nullable(), null),
    service_date: readOnly(time),
    service_date_timezone: readOnly(text(), ""),
    service_location: readOnly(shownLocation),
    supervising_provider: readOnly(reference.nullable(), null),
    visit_note_deleted_date: readOnly(time.nullable(), null),
    visit_note_id: readOnly(reference),
    visit_note_signed_date: readOnly(time.nullable(), null),
  },
  views: {
    create: { title: "BillSingleInstance", fields: { id: idColumn, ...created } },
    update: { title: "BillUpdate", fields: updated },
  },
  filters: [
    ["assigned_physician", "physician"],
    ["bill_id", "id"],
    ["from_service_date", "service_date__gte"],
    "patient",
    "practice",
    "signing_physician",
    ["to_service_date", "service_date__lte"],
    "visit_note_id",
  ],
  sortFields: ["service_date"],
  keys: {
    signing_physician: { schema: reference, value: ({ signing_physician }) => signing_physician },
    visit_note_id: { schema: reference, value: ({ visit_note }) => visit_note },
  },
  beforeWrite: followNote,
  serialize: showBills,
});

/**
 * A new bill holds its note, which is not signed or deleted until the bill is there to be brought up to date with it. A bill
 * that changes does not: who signs the note comes to the bill after it.
 */
async function followNote({ data: sent, before, now, read, hold }: Write): Promise<Data> {
  const data = { ...sent, had_error: Boolean(before?.had_error || before?.billing_error) };
  const note = (await (before ? read : hold).recordsById("visit_notes", [sent.visit_note as number])).get(
    sent.visit_note as number,
  );
  if (!note) return { ...data, note_deleted_date: before?.note_deleted_date ?? now };
  const { document_date: service_date, signed_by: signing_physician = null, signed_date = null } = note.data;
  return { ...data, service_date, signing_physician, visit_note_signed_date: signed_date, note_deleted_date: null };
}

async function showBills(records: readonly RecordRow[], { view, read }: SerializeContext): Promise<Data[]> {
  if (view === "create" || view === "update") return [];
  const wanted = (name: string) => records.map(({ data }) => data[name] as number);
  const locations = await read.recordsById("service_locations", wanted("service_location"));
  const codes = records.flatMap(({ data }) => (data.cpts as z.output<typeof sentCpt>[]).map(({ cpt }) => cpt));
  const described = await read.recordsWhere("billing_codes", "code", codes);
  const descriptions = new Map(described.map(({ data }) => [data.code as string, data.description as string]));
  const zones = new Map<number, string>();
  for (const id of new Set(records.map(({ practice_id }) => practice_id as number)))
    zones.set(id, (await read.timezone(id)) ?? "");
  return records.map(({ id, data, practice_id, created_date }) => {
    const location = locations.get(data.service_location as number);
    return {
      billing_status: statusOf(data),
      cpts: (data.cpts as z.output<typeof sentCpt>[]).map((cpt) => toListedCpt(cpt, descriptions.get(cpt.cpt) ?? null)),
      payment: { amount: data.payment_amount ?? "0.00", when_collected: created_date, bill: id, appointment: null },
      service_date_timezone: zones.get(practice_id as number),
      service_location: location ? toRecordDto(serviceLocations, "get", location) : { id: data.service_location },
      visit_note_id: data.visit_note,
      visit_note_deleted_date: data.note_deleted_date ?? null,
    };
  });
}

/** An error that was taken back after it stood is resolved. */
function statusOf({ billing_error, billing_date, had_error }: Data): (typeof STATUSES)[number] {
  if (billing_error) return "UnresolvedError";
  if (billing_date) return "Billed";
  return had_error ? "ResolvedError" : "Unbilled";
}
