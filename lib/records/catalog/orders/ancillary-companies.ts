import { z } from "zod";
import { list, text } from "@/lib/records/engine/field-types";
import { required } from "@/lib/records/engine/fields";
import { defineResource } from "@/lib/records/engine/schema";

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
      label: "`type`, what the company does, which answers do not show",
    },
  },
  bulkLoad: { key: "name", stored: ["types"] },
});
