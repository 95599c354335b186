import { z } from "zod";
import { ValidationError } from "@/lib/platform/errors";
import { day, decimal, email, list, reference, text, time, timezone, whole } from "@/lib/records/engine/field-types";
import {
  type Change,
  createdDate,
  type Data,
  defaulted,
  defineResource,
  deletedDate,
  modifiedDate,
  optional,
  patientColumn,
  practiceColumn,
  rangeFilters,
  readOnly,
  refersTo,
  required,
  type Write,
} from "@/lib/records/engine/schema";
import { withDocumentDates } from "@/lib/records/rules/document-dates";
import { alignThread } from "@/lib/records/rules/medication-threads";
import {
  icd10Code,
  medication,
  qtyUnits,
  serviceLocationPlaceOfService,
  serviceLocationStatus,
} from "@/lib/records/rules/nested-schemas";

const serviceLocation = z.object({
  address_line1: text(),
  address_line2: text().optional(),
  city: text(50).optional(),
  created_date: time.nullable().readonly().optional(),
  deleted_date: time.nullable().readonly().optional(),
  email: email.nullable().optional(),
  fax: text(20).nullable().optional(),
  id: reference.readonly().optional(),
  is_primary: z.boolean().optional(),
  name: text(200),
  phone: text(20).nullable().optional(),
  place_of_service: serviceLocationPlaceOfService.optional(),
  place_of_service_code: whole().optional(),
  practice: reference,
  state: text(),
  status: serviceLocationStatus.readonly().optional(),
  timezone: timezone.nullable().optional(),
  zip: text(10).optional(),
});

const fulfillmentType = z.enum([
  "surescripts",
  "surescripts_cancel",
  "surescripts_change",
  "surescripts_nonfillable",
  "paper",
  "paper_nonfillable",
  "fax",
  "phone",
  "mdtoolboxepcs",
]);

const fulfillment = z.object({
  detail: text().nullable().optional(),
  pharmacy_ncpdpid: text(21).nullable().optional(),
  service_location: serviceLocation,
  state: text(128).optional(),
  time_completed: time,
  type: fulfillmentType,
});

const thread = z.object({
  dc_date: day.nullable().readonly().optional(),
  id: reference.optional(),
  is_permanent: z.boolean(),
});

/** The orders of one medication that follow each other. */
type Thread = z.output<typeof thread>;

const threadOf = ({ thread }: Data) => thread as Thread;

/** A medication order of a patient. */
export const medications = defineResource({
  name: "medications",
  title: "MedOrder",
  noun: "medication order",
  owner: "patient",
  operations: ["list", "create", "get", "delete"],
  fields: {
    allow_substitutions: readOnly(z.boolean().nullable(), null),
    auth_refills: required(whole(0).nullable()),
    chart_date: readOnly(time),
    created_date: createdDate,
    days_supply: optional(whole(0, 65535)),
    deleted_date: deletedDate,
    directions: optional(text(1_000)),
    document_date: defaulted(time),
    documenting_personnel: refersTo(optional(reference), "users"),
    fulfillment: readOnly(fulfillment.nullable(), null),
    icd10_codes: required(list(icd10Code)),
    is_doc_med: required(z.boolean()),
    last_modified: modifiedDate,
    medication: required(medication),
    medication_type: required(z.enum(["otc", "prescription"])),
    notes: optional(text()),
    num_samples: optional(text(50)),
    order_type: required(z.enum(["New", "Refill", "DoseChange"])),
    patient: patientColumn,
    pharmacy_instructions: optional(text()),
    practice: practiceColumn,
    prescribing_physician: refersTo(required(reference), "physicians"),
    qty: required(decimal(18, 9).nullable()),
    qty_units: required(qtyUnits),
    send_rx_reminder: readOnly(z.boolean(), false),
    show_in_chart_feed: defaulted(z.boolean(), false),
    signed_by: readOnly(reference.nullable(), null),
    signed_date: readOnly(time.nullable(), null),
    start_date: required(day),
    thread: required(thread),
  },
  filters: ["discontinued", ...rangeFilters("document_date"), "patient", "permanent", "practice", "thread"],
  sortFields: ["document_date"],
  keys: {
    thread: { schema: reference, value: (data) => threadOf(data).id, label: "`thread.id`" },
    permanent: { schema: z.boolean(), value: (data) => threadOf(data).is_permanent, label: "`thread.is_permanent`" },
    discontinued: {
      schema: z.boolean(),
      value: (data) => Boolean(threadOf(data).dc_date),
      label: "`discontinued`: whether `thread.dc_date` is set",
    },
  },
  beforeWrite: followThread,
  effects: ({ kind, record, read }: Change) =>
    kind === "updated" ? [] : alignThread(medications, { read, record, id: threadOf(record.data).id as number }),
});

/** An order that follows no other begins a thread, which is called as the order. @throws ValidationError */
async function followThread(write: Write): Promise<Data> {
  const data = withDocumentDates(write);
  const sent = threadOf(data);
  const id = sent.id ?? write.id;
  const isNew = !write.before && id !== write.id;
  const followed = isNew ? await write.hold.recordsWhere("medications", "thread", [id]) : [];
  if (isNew && !followed.some(({ patient_id }) => patient_id === write.patientId)) {
    throw new ValidationError({ thread: { id: ["No such thread of this patient's medications."] } });
  }
  return { ...data, thread: { dc_date: null, ...sent, id } };
}
