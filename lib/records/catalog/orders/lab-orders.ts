import { z } from "zod";
import {
  createdDate,
  day,
  defaulted,
  deletedDate,
  integer,
  list,
  optional,
  patientColumn,
  practiceColumn,
  reference,
  refersTo,
  required,
  sparse,
  text,
  time,
} from "@/lib/records/engine/fields";
import { defineResource, OPERATIONS, rangeFilters } from "@/lib/records/engine/schema";
import { withDocumentDates, withSignature } from "@/lib/records/rules/documents";
import {
  biDiLabConnection,
  documentResolutionState,
  labOrderContent,
  labVendorIdName,
} from "@/lib/records/rules/nested-schemas";

const labOrderAoeAnswer = z.object({
  created_date: time.nullable().readonly().optional(),
  deleted_date: time.nullable().readonly().optional(),
  id: reference.readonly().optional(),
  question: reference,
  test: reference.nullable().optional(),
  value: text().nullable().optional(),
});

const facilityIdentifier = z.object({
  active: z.boolean(),
  bidi_connection: biDiLabConnection.nullable().readonly().optional(),
  compendium: reference.nullable().optional(),
  created_date: time.nullable().readonly().optional(),
  deleted_date: time.nullable().readonly().optional(),
  description: text(255).nullable().optional(),
  id: reference.readonly().optional(),
  lab_connection: integer().nullable().optional(),
  lab_facility: text(50),
  practice: reference,
  practice_facility: text(50),
  practice_secondary_id: text().nullable().optional(),
  user_facing: z.boolean().optional(),
  vendor: z.object({ display_name: text().optional(), id: reference.optional(), name: text().optional() }),
});

const labVendorPatientSite = z.object({
  address: text(200).optional(),
  city: text(50).optional(),
  created_date: time.nullable().readonly().optional(),
  deleted_date: time.nullable().readonly().optional(),
  fax: text(20).nullable().optional(),
  id: reference.readonly().optional(),
  name: text(200),
  phone: text(20).nullable().optional(),
  practice_created: reference.nullable().optional(),
  state: text(2).optional(),
  suite: text(40).nullable().optional(),
  vendor: labVendorIdName.optional(),
  zip: text(10).optional(),
});

const practiceSpecialInsuranceCodeName = z.object({ code: text(5), name: text(64) });

const bodySite = z.object({ code: text(16), deleted_date: time.nullable().readonly().optional(), text: text(64) });

const bodySiteCodeModifier = z.object({
  code: text(3),
  deleted_date: time.nullable().readonly().optional(),
  text: text(64),
});

const labOrderSpecimenModifier = z.object({
  deleted_date: time.nullable().readonly().optional(),
  modifier: bodySiteCodeModifier,
  sequence: integer(0, 65535),
  specimen: reference,
});

const labOrderSpecimen = z.object({
  body_site: bodySite,
  container_id: text(2),
  description: text(100).nullable().optional(),
  id: reference.readonly().optional(),
  lab_order: reference.readonly().optional(),
  modifiers: list(labOrderSpecimenModifier),
  test: reference,
});

const labOrderSubmission = z.object({
  id: reference.readonly().optional(),
  lab_order: reference.readonly().optional(),
  state: text(20).optional(),
  state_metadata: text(1_500).nullable().optional(),
  time_acknowledged: time.nullable().optional(),
  time_submitted: time,
});

/** An order for laboratory tests. */
export const labOrders = defineResource({
  name: "lab_orders",
  title: "LabOrder",
  noun: "lab order",
  owner: "patient",
  operations: OPERATIONS,
  fields: {
    answers: optional(list(labOrderAoeAnswer)),
    bill_type: optional(z.enum(["thirdparty", "patient", "client", "workerscomp", "specialbilling"])),
    ccs: refersTo(sparse(reference), "contacts"),
    chart_date: defaulted(time),
    confidential: defaulted(z.boolean(), false),
    content: defaulted(labOrderContent),
    created_date: createdDate,
    deleted_date: deletedDate,
    document_date: required(time),
    facility: optional(facilityIdentifier),
    follow_up_method: optional(text()),
    ordering_physician: refersTo(required(reference), "physicians"),
    patient: patientColumn,
    practice: practiceColumn,
    printable_view: defaulted(text(), ""),
    requisition: defaulted(integer()),
    resolution: optional(documentResolutionState),
    signed_by: refersTo(optional(reference), "physicians"),
    signed_date: optional(time),
    site: optional(labVendorPatientSite),
    special_insurance: optional(practiceSpecialInsuranceCodeName),
    specimens: optional(list(labOrderSpecimen)),
    submissions: optional(list(labOrderSubmission)),
    tags: refersTo(sparse(reference), "document_tags"),
    test_date: optional(day),
    vendor: refersTo(optional(reference), "lab_vendors"),
  },
  filters: [
    ...rangeFilters("document_date"),
    ["from_signed_date", "signed_date__gte"],
    "patient",
    "practice",
    ["to_signed_date", "signed_date__lte"],
    ["unsigned", "signed_date__isnull"],
  ],
  beforeWrite: (write) => withSignature({ ...write, data: withDocumentDates(write) }),
  serialize: (records, { link }) =>
    records.map(({ id, data }) => ({
      printable_view: data.printable_view || link(`lab_orders/${id}/printable/`),
    })),
});
