import { z } from "zod";
import { defaulted, list, optional, required, text } from "@/lib/records/engine/fields";
import { defineResource } from "@/lib/records/engine/schema";
import { defineCenters, defineOrders, defineOrderTests, orderedTests } from "@/lib/records/rules/ancillary-orders";

const type = z.enum(["cardiac", "imaging", "pulmonary", "sleep"]);

/** A company that carries out orders. Lists are filtered by the kinds of orders, which responses do not show. */
export const ancillaryCompanies = defineResource({
  name: "ancillary_companies",
  title: "AncillaryCompany",
  noun: "ancillary company",
  owner: "practice",
  shared: true,
  operations: ["list", "get"],
  fields: { name: required(text(200)) },
  stored: { types: list(type).min(1) },
  filters: ["name", "type"],
  keys: {
    type: {
      schema: type,
      value: ({ types }) => types,
      label: "`type`, the kind of orders the company carries out, which responses do not show",
    },
  },
  bulkLoad: { key: "name", stored: ["types"] },
});

/** Places that carry out cardiac orders. */
export const cardiacCenters = defineCenters("cardiac");

/** Tests that can be ordered from cardiac centers. */
export const cardiacOrderTests = defineOrderTests("cardiac");

/** A patient's cardiac orders. */
export const cardiacOrders = defineOrders("cardiac", { medications: optional(text(400)) });

/** Places that carry out imaging orders. */
export const imagingCenters = defineCenters("imaging");

/** Tests that can be ordered from imaging centers. */
export const imagingOrderTests = defineOrderTests("imaging");

/** A patient's imaging orders. */
export const imagingOrders = defineOrders("imaging", { statmethod: optional(text(100)) });

/** Places that carry out pulmonary orders. */
export const pulmonaryCenters = defineCenters("pulmonary");

/** Tests that can be ordered from pulmonary centers. */
export const pulmonaryOrderTests = defineOrderTests("pulmonary");

/** A patient's pulmonary orders. */
export const pulmonaryOrders = defineOrders("pulmonary", {
  allergies: required(text().nullable()),
  tests: defaulted(orderedTests, []),
});

/** Places that carry out sleep orders. */
export const sleepCenters = defineCenters("sleep");

/** Tests that can be ordered from sleep centers. */
export const sleepOrderTests = defineOrderTests("sleep");

/** A patient's sleep orders. */
export const sleepOrders = defineOrders("sleep", {});
