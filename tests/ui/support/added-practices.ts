/** The practice whose Insurance Versioning a test switches. It and those below are last in every list. */
export const SWITCHED = "Zephyr Point Clinic";
/** The practice that turns Insurance Versioning on and converts an export in the tests of the daily tasks. */
export const MIGRATING = "Zinnia Valley Clinic";
/** The practice of the migration assistant's tests: a practice has one run in progress at a time. */
export const IMPORTING = "Zion Street Clinic";
/** The practice that converts corrected records, for the same reason. */
export const CORRECTING = "Zuni Mesa Clinic";
