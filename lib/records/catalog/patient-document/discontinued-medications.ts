import { z } from "zod";
import { day, reference, text, time, whole } from "@/lib/records/engine/field-types";
import {
  type Change,
  createdDate,
  type Data,
  defaulted,
  defaultedPracticeColumn,
  defineResource,
  deletedDate,
  optional,
  optionalPatientColumn,
  rangeFilters,
  readOnly,
  refersTo,
  required,
  type Write,
  withResponse,
} from "@/lib/records/engine/schema";
import { withDocumentDates } from "@/lib/records/rules/document-dates";
import { alignThread } from "@/lib/records/rules/medication-threads";
import { medication } from "@/lib/records/rules/nested-schemas";
import { medications } from "./medications";

/** The end of a patient's medication order. */
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
    last_medication_order: readOnly(whole().nullable(), null),
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
      label: "`is_permanent` of the thread when it was ended",
    },
  },
  beforeWrite: describeOrder,
  // The order's thread ends with it, and goes on where the end is taken back.
  effects: ({ record, read }: Change) => alignThread(medications, { read, record, id: record.data.thread as number }),
});

interface Order {
  medication: unknown;
  prescribing_physician: number;
  thread: { id: number; is_permanent: boolean };
}

/** What the order says of the medication, where it was not sent with its end. */
async function describeOrder(write: Write): Promise<Data> {
  const id = write.data.med_order as number;
  const order = (await write.read.recordsById("medications", [id])).get(id)?.data as unknown as Order;
  const data = withDocumentDates(write);
  return {
    ...data,
    discontinue_date: data.discontinue_date ?? write.now.slice(0, 10),
    medication: data.medication ?? order.medication,
    prescribing_physician: data.prescribing_physician ?? order.prescribing_physician,
    thread: order.thread.id,
    last_medication_order: id,
    is_permanent: order.thread.is_permanent,
  };
}
