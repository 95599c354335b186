import { z } from "zod";
import { absentRecords, ValidationError } from "@/lib/platform/errors";
import {
  createdDate,
  day,
  decimal,
  defaulted,
  deletedDate,
  email,
  integer,
  list,
  modifiedDate,
  optional,
  patientColumn,
  practiceColumn,
  readOnly,
  reference,
  refersTo,
  required,
  text,
  time,
  timezone,
} from "@/lib/records/engine/fields";
import { defineResource, rangeFilters } from "@/lib/records/engine/schema";
import { withDocumentDates } from "@/lib/records/rules/documents";
import { alignThread, orderThread } from "@/lib/records/rules/medication-threads";
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
  place_of_service_code: integer().optional(),
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

/** A patient's medication order. */
export const medications = defineResource({
  name: "medications",
  title: "MedOrder",
  noun: "medication order",
  owner: "patient",
  operations: ["list", "create", "get", "delete"],
  fields: {
    allow_substitutions: readOnly(z.boolean().nullable(), null),
    auth_refills: required(integer(0).nullable()),
    chart_date: readOnly(time),
    created_date: createdDate,
    days_supply: optional(integer(0, 65535)),
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
    // Empty if the unit is unknown.
    qty_units: required(z.enum([...qtyUnits.options, ""])),
    send_rx_reminder: readOnly(z.boolean(), false),
    show_in_chart_feed: defaulted(z.boolean(), false),
    signed_by: readOnly(reference.nullable(), null),
    signed_date: readOnly(time.nullable(), null),
    start_date: required(day),
    thread: required(orderThread),
  },
  filters: ["discontinued", ...rangeFilters("document_date"), "patient", "permanent", "practice", "thread"],
  sortFields: ["document_date"],
  keys: {
    thread: { schema: reference, value: ({ thread }) => thread.id, label: "`thread.id`" },
    permanent: { schema: z.boolean(), value: ({ thread }) => thread.is_permanent, label: "`thread.is_permanent`" },
    discontinued: {
      schema: z.boolean(),
      value: ({ thread }) => Boolean(thread.dc_date),
      label: "`discontinued`: whether `thread.dc_date` is set",
    },
  },
  // An order without a thread starts one that gets the order's ID.
  beforeWrite: async (write) => {
    const data = withDocumentDates(write);
    const id = data.thread.id ?? write.id;
    const joins = !write.before && id !== write.id;
    const orders = joins ? await write.lockingReader.recordsWhere(write.resource, "thread", [id]) : [];
    if (joins && !orders.some(({ patient_id }) => patient_id === write.patientId)) {
      throw new ValidationError({ thread: { id: absentRecords(id) } });
    }
    return { ...data, thread: { dc_date: null, ...data.thread, id } };
  },
  effects: ({ kind, record, resource, reader }) =>
    kind === "updated" ? [] : alignThread(resource, { reader, record, id: record.data.thread.id }),
});
