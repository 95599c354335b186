import type { PracticeRow } from "@/lib/practice/practices/queries";
import { serviceLocations } from "@/lib/records/catalog/practice/service-locations";
import { toRecordDto } from "@/lib/records/engine/queries";

/** Converts a practice to the contract's `Practice`. Insurance Versioning, the deprecation clock and the organization stay private. */
export function toPracticeDto(row: PracticeRow) {
  const { id, name, address_line1, address_line2, city, state, zip, metadata, physicians, status, timezone } = row;
  return {
    id,
    name,
    address_line1,
    address_line2,
    city,
    state,
    zip,
    metadata,
    elation_root_oid: "",
    employers: [],
    physicians,
    service_locations: row.service_locations.map((location) => toRecordDto(serviceLocations, "get", location)),
    status,
    timezone,
  };
}
