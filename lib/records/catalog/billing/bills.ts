import { z } from "zod";
import { serviceLocations } from "@/lib/records/catalog/practice/service-locations";
import {
  createdDate,
  decimal,
  defaulted,
  type Field,
  idColumn,
  list,
  modifiedDate,
  optional,
  patientColumn,
  practiceColumn,
  readOnly,
  readOnlyPatientColumn,
  readOnlyPracticeColumn,
  reference,
  refersTo,
  required,
  text,
  time,
} from "@/lib/records/engine/fields";
import { toRecordDto } from "@/lib/records/engine/queries";
import { responseSchema } from "@/lib/records/engine/rules";
import { defineResource } from "@/lib/records/engine/schema";
import { listedCpt, placeOfService, referringProvider, sentCpt, toListedCpt } from "@/lib/records/rules/charges";
import { payment } from "@/lib/records/rules/nested-schemas";
import { billingCodes } from "./billing-codes";

const amount = decimal(8, 2);
const physicians = <F extends Field>(field: F) => refersTo(field, "physicians");

/** What POST and PATCH have in common. */
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

/** Lets clients clear a field. */
const clearable = <V>(field: Field<V, true, undefined>): Field<V | null, true, undefined> => ({
  ...field,
  schema: field.schema.nullable(),
});

const updated = {
  ...charges,
  billing_date: optional(time),
  billing_error: optional(text(200)),
  billing_raw_error: optional(text()),
  cpts: defaulted(list(sentCpt)),
  metadata: defaulted(z.record(z.string(), z.unknown())),
  notes: clearable(charges.notes),
  ordering_provider: clearable(charges.ordering_provider),
  place_of_service: optional(placeOfService),
  practice: { ...practiceColumn, required: false },
  ref_number: defaulted(text(50)),
  referring_provider: clearable(charges.referring_provider),
  service_location: refersTo(defaulted(reference), "service_locations"),
  visit_note: refersTo(defaulted(reference), "visit_notes"),
};

/** The current service location, or only its ID if it was deleted. */
const shownLocation = z.union([responseSchema(serviceLocations, "get"), z.strictObject({ id: reference })]);

const STATUSES = ["Unbilled", "Billed", "UnresolvedError", "ResolvedError"] as const;

/** What a bill copies from its visit note. The note's declaration can't be imported here: it imports this one. */
const signedNote = z.object({
  document_date: z.string(),
  signed_by: z.number().nullish(),
  signed_date: z.string().nullish(),
});

/** The charges of a visit. A bill copies the time of service and the signer from its visit note. */
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
  stored: {
    /** Whether the bill ever had an error. */
    had_error: z.boolean().optional(),
    note_deleted_date: time.nullable().optional(),
    signing_physician: reference.nullable().optional(),
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
  // A new bill locks its note, which can't be signed or deleted before the bill is stored and can follow it. A changed bill
  // does not: it is updated after its note.
  beforeWrite: async ({ data: sent, before, now, reader, lockingReader }) => {
    const data = { ...sent, had_error: Boolean(before?.had_error || before?.billing_error) };
    const found = await (before ? reader : lockingReader).recordsById({ name: "visit_notes" }, [sent.visit_note]);
    const note = found.get(sent.visit_note);
    if (!note) return { ...data, note_deleted_date: before?.note_deleted_date ?? now };
    const { document_date, signed_by = null, signed_date = null } = signedNote.parse(note.data);
    return {
      ...data,
      service_date: document_date,
      signing_physician: signed_by,
      visit_note_signed_date: signed_date,
      note_deleted_date: null,
    };
  },
  serialize: async (records, { view, reader }) => {
    if (view === "create" || view === "update") return [];
    const locations = await reader.recordsById(
      serviceLocations,
      records.map(({ data }) => data.service_location),
    );
    const codes = records.flatMap(({ data }) => data.cpts.map(({ cpt }) => cpt));
    const billed = await reader.recordsWhere(billingCodes, "code", codes);
    const descriptions = new Map(billed.map(({ data }) => [data.code, data.description]));
    const timezones = new Map<number | null, string | null>();
    for (const id of new Set(records.flatMap(({ practice_id }) => practice_id ?? [])))
      timezones.set(id, await reader.timezone(id));
    return records.map(({ id, data, practice_id, created_date }) => {
      const location = locations.get(data.service_location);
      return {
        billing_status: statusOf(data),
        cpts: data.cpts.map((cpt) => toListedCpt(cpt, descriptions.get(cpt.cpt) ?? null)),
        payment: {
          amount: data.payment_amount ?? "0.00",
          when_collected: created_date,
          bill: id,
          appointment: null,
        },
        service_date_timezone: timezones.get(practice_id) ?? "",
        service_location: location ? toRecordDto(serviceLocations, "get", location) : { id: data.service_location },
        visit_note_id: data.visit_note,
        visit_note_deleted_date: data.note_deleted_date ?? null,
      };
    });
  },
});

interface BillState {
  billing_error: string | null;
  billing_date: string | null;
  had_error?: boolean;
}

/** Returns the status of a bill: an error that was cleared is resolved. */
function statusOf({ billing_error, billing_date, had_error }: BillState): (typeof STATUSES)[number] {
  if (billing_error) return "UnresolvedError";
  if (billing_date) return "Billed";
  return had_error ? "ResolvedError" : "Unbilled";
}
