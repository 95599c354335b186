import { z } from "zod";
import {
  createdDate,
  day,
  defaulted,
  defaultedPracticeColumn,
  deletedDate,
  integer,
  optional,
  optionalPatientColumn,
  readOnly,
  reference,
  refersTo,
  required,
  text,
  time,
  withResponse,
} from "@/lib/records/engine/fields";
import { defineResource, rangeFilters } from "@/lib/records/engine/schema";
import { withDocumentDates } from "@/lib/records/rules/documents";
import { alignThread } from "@/lib/records/rules/medication-threads";
import { medication } from "@/lib/records/rules/nested-schemas";
import { medications } from "./medications";

/** The discontinuation of a medication order. */
export const discontinuedMedications = defineResource({
  name: "discontinued_medications",
  title: "DiscontinueMedOrder",
  noun: "discontinued medication",
  owner: { field: "med_order" },
  operations: ["list", "create", "get", "delete"],
  fields: {
    chart_date: defaulted(time),
    created_date: createdDate,
    deleted_date: deletedDate,
    discontinue_date: defaulted(day),
    document_date: defaulted(time),
    documenting_personnel: refersTo(defaulted(reference), "users"),
    is_documented: defaulted(z.boolean(), false),
    last_medication_order: readOnly(integer().nullable(), null),
    med_order: refersTo(required(reference), "medications"),
    medication: defaulted(medication),
    patient: withResponse(optionalPatientColumn, reference),
    practice: defaultedPracticeColumn,
    prescribing_physician: refersTo(defaulted(reference), "physicians"),
    reason: optional(text()),
    signed_by: readOnly(reference),
    signed_date: optional(time),
    supervising_physician: refersTo(optional(reference), "physicians"),
    thread: defaulted(reference),
  },
  filters: [
    "discontinue_date__gte",
    "discontinue_date__lte",
    ...rangeFilters("document_date"),
    "patient",
    "permanent",
    "practice",
    "prescribing_physician",
  ],
  keys: {
    permanent: {
      schema: z.boolean(),
      value: ({ is_permanent }) => is_permanent,
      label: "`is_permanent`, as it was when the thread ended",
    },
  },
  stored: { is_permanent: z.boolean() },
  // What was not sent is copied from the order.
  beforeWrite: async (write) => {
    const data = withDocumentDates(write);
    const id = data.med_order;
    const order = (await write.reader.recordsById(medications, [id])).get(id)?.data;
    if (!order) throw new Error(`The medication order ${id} is referred to, but does not exist.`);
    return {
      ...data,
      discontinue_date: data.discontinue_date ?? write.now.slice(0, 10),
      medication: data.medication ?? order.medication,
      prescribing_physician: data.prescribing_physician ?? order.prescribing_physician,
      thread: order.thread.id,
      last_medication_order: id,
      is_permanent: order.thread.is_permanent,
    };
  },
  // The thread ends with its order, and continues if the discontinuation is deleted.
  effects: ({ record, reader }) => alignThread(medications, { reader, record, id: record.data.thread }),
});
