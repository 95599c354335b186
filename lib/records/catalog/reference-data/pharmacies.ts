import { optional, required, text, time } from "@/lib/records/engine/fields";
import { defineResource } from "@/lib/records/engine/schema";

/** A pharmacy that takes prescriptions, identified by its NCPDP provider ID. */
export const pharmacies = defineResource({
  name: "pharmacies",
  title: "Pharmacy",
  noun: "pharmacy",
  owner: "everyone",
  operations: ["list", "get"],
  pathField: "ncpdpid",
  fields: {
    active_end_time: required(time),
    active_start_time: required(time),
    address_line1: optional(text(105)),
    address_line2: optional(text(105)),
    city: optional(text(105)),
    fax: optional(text(75)),
    ncpdpid: required(text(21)),
    npi: optional(text(30)),
    phone_primary: optional(text(75)),
    specialty_types: optional(text(150)),
    state: optional(text(6)),
    store_name: optional(text(105)),
    zip: optional(text(33)),
  },
  filters: [
    ["active_end_time", "active_end_time__lte"],
    ["active_start_time", "active_start_time__gte"],
  ],
  bulkLoad: { key: "ncpdpid" },
});
