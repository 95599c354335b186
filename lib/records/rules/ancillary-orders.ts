import { z } from "zod";
import {
  createdDate,
  day,
  defaulted,
  deletedDate,
  type Fields,
  integer,
  list,
  optional,
  patientColumn,
  practiceColumn,
  reference,
  refersTo,
  required,
  text,
  time,
} from "@/lib/records/engine/fields";
import { defineResource, OPERATIONS, type Resource } from "@/lib/records/engine/schema";
import { withSignature } from "./documents";
import { documentResolutionState, icd10Code } from "./nested-schemas";

/** Kinds of orders that a center carries out. Their resources are declared alike. */
export type AncillaryKind = "cardiac" | "imaging" | "pulmonary" | "sleep";

const capitalize = (kind: AncillaryKind) => `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;

/** Declares the places where orders of a kind are carried out. */
export function defineCenters(kind: AncillaryKind): Resource {
  return defineResource({
    name: `${kind}_centers`,
    title: `${capitalize(kind)}Center`,
    noun: `${kind} center`,
    owner: "practice",
    operations: ["list", "get"],
    fields: {
      address_line1: required(text()),
      address_line2: required(text()),
      city: defaulted(text(50), ""),
      company: required(reference),
      company_name: required(text()),
      created_date: createdDate,
      deleted_date: deletedDate,
      fax: optional(text(20)),
      location_name: required(text()),
      phone: optional(text(20)),
      practice: practiceColumn,
      state: defaulted(text(2), ""),
      zip: defaulted(text(10), ""),
    },
    filters: ["company", "location_name", "practice"],
  });
}

/** Declares the tests that can be ordered from the centers of a kind. */
export function defineOrderTests(kind: AncillaryKind): Resource {
  return defineResource({
    name: `${kind}_order_tests`,
    title: `${capitalize(kind)}OrderTest`,
    noun: `${kind} order test`,
    owner: "practice",
    operations: ["list", "create", "get", "delete"],
    fields: {
      code: optional(text(50)),
      created_date: createdDate,
      deleted_date: deletedDate,
      name: required(text(255)),
      practice: practiceColumn,
    },
    filters: ["name", "practice"],
  });
}

/** The tests of an order. */
export const orderedTests = list(
  z.object({
    code: text(50).nullable().optional(),
    created_date: time.nullable().readonly().optional(),
    deleted_date: time.nullable().readonly().optional(),
    id: reference.readonly().optional(),
    name: text(255),
    practice: reference,
  }),
);

/** Declares a patient's orders of a kind. `own` adds or replaces fields for this kind. */
export function defineOrders(kind: AncillaryKind, own: Fields): Resource {
  return defineResource({
    name: `${kind}_orders`,
    title: `${capitalize(kind)}Order`,
    noun: `${kind} order`,
    owner: "patient",
    operations: OPERATIONS,
    fields: {
      ancillary_company: refersTo(required(reference), "ancillary_companies"),
      ccs: refersTo(defaulted(list(reference), []), "contacts"),
      chart_date: required(time),
      clinical_reason: required(text()),
      confidential: defaulted(z.boolean(), false),
      created_date: createdDate,
      deleted_date: deletedDate,
      document_date: required(time),
      follow_up_method: optional(text(100)),
      icd10_codes: defaulted(list(icd10Code), []),
      [`${kind}_center`]: refersTo(optional(reference), `${kind}_centers`),
      patient: patientColumn,
      practice: practiceColumn,
      prescribing_user: refersTo(required(integer()), "users"),
      resolution: defaulted(documentResolutionState),
      signed_by: refersTo(optional(reference), "physicians"),
      signed_date: optional(time),
      test_date: optional(day),
      tests: required(orderedTests),
      ...own,
    },
    filters: ["patient", "practice"],
    beforeWrite: withSignature,
  });
}
