/** The practice whose Insurance Versioning a test switches; last in every list. */
export const SWITCHED = "Zephyr Point Clinic";
