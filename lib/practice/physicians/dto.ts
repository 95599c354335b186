import type { AvailabilityRow, PhysicianRow } from "./schema";

/** Maps a physician to the contract's form. */
export function toPhysicianDto(row: PhysicianRow) {
  return {
    id: row.id,
    practice: row.practice_id,
    first_name: row.first_name,
    last_name: row.last_name,
    credentials: row.credentials,
    email: row.email,
    fax: row.fax,
    npi: row.npi,
    license: row.license,
    license_state: row.license_state,
    specialty: row.specialty,
    is_active: row.is_active,
    user_id: row.user_id,
    metadata: row.metadata,
  };
}

/** Maps a block of availability to the contract's form. Times are local to the practice's `timezone`. */
export function toAvailabilityDto(row: AvailabilityRow, timezone: string) {
  return {
    id: row.id,
    provider_id: row.physician_id,
    weekday: row.weekday,
    start_time: row.start_time,
    end_time: row.end_time,
    service_location_id: row.service_location_id,
    timezone,
    use_service_location_timezone: false,
  };
}
