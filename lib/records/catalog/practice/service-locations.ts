import { z } from "zod";
import {
  createdDate,
  defaulted,
  deletedDate,
  email,
  integer,
  optional,
  practiceColumn,
  readOnly,
  required,
  text,
  timezone,
} from "@/lib/records/engine/fields";
import { defineResource, OPERATIONS } from "@/lib/records/engine/schema";
import { serviceLocationPlaceOfService, serviceLocationStatus } from "@/lib/records/rules/nested-schemas";

/** A location where a practice sees patients. */
export const serviceLocations = defineResource({
  name: "service_locations",
  title: "ServiceLocation",
  noun: "service location",
  owner: "practice",
  operations: OPERATIONS,
  fields: {
    address_line1: required(text()),
    address_line2: defaulted(text(), ""),
    city: defaulted(text(50), ""),
    created_date: createdDate,
    deleted_date: deletedDate,
    email: optional(email),
    fax: optional(text(20)),
    is_primary: defaulted(z.boolean(), false),
    name: required(text(200)),
    phone: optional(text(20)),
    place_of_service: defaulted(serviceLocationPlaceOfService),
    place_of_service_code: defaulted(integer()),
    practice: practiceColumn,
    state: required(text()),
    status: readOnly(serviceLocationStatus),
    timezone: optional(timezone),
    zip: defaulted(text(10), ""),
  },
  filters: [],
  beforeWrite: ({ data }) => ({ ...data, status: data.status ?? ("active" as const) }),
});
