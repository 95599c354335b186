/** The practice whose Insurance Versioning a test switches. It and the next are last in every list. */
export const SWITCHED = "Zephyr Point Clinic";
/** The practice that turns Insurance Versioning on and converts an export in the tests of the daily tasks. */
export const MIGRATING = "Zinnia Valley Clinic";
