// The names of the faults: scripts/faults.mjs shows and checks them without loading the tests.

/** What fails in each run of the tests. */
export const USUAL_FAULTS = /** @type {const} */ ([
  "a server is killed",
  "a worker is killed",
  "the primary database is killed",
  "the primary is cut off from the network",
  "the primary is switched on request",
  "the database has no connections left",
  "a lock blocks all connections of the pools",
  "the disk of the primary is full",
  "the disk of the image store is full",
  "the image store refuses connections",
  "the image store is slow",
  "webhooks are rejected",
  "webhooks are answered too late",
  "webhooks lose their connections",
  "the clock of a server is an hour ahead",
  "the clock of a server is an hour behind",
  "the clock of a worker is an hour ahead",
  "the clock of a worker is an hour behind",
  "the clock of a server passes the deadline of a practice",
  "the deadline of a practice passes",
  "both workers are killed during a conversion",
  "two versions run side by side",
]);

/** What fails besides with `npm run faults`. */
export const OTHER_FAULTS = /** @type {const} */ ([
  "the image store hangs for 5 s",
  "a server is replaced",
  "both servers are killed",
  "both workers are killed",
  "the primary database is killed during a conversion",
  "HAProxy is killed",
  "Redis hangs for 5 s",
  "Patroni of the primary is killed",
  "the machine of the primary is lost",
  "the machine of the primary hangs",
  "the primary is cut off from etcd and the standbys",
  "the synchronous standby is killed",
  "the synchronous standby hangs",
  "the leader of etcd hangs",
  "the image store answers too late",
  "retries fail while the clock of a worker is an hour ahead",
  "retries fail while the clock of a worker is an hour behind",
]);

/** @typedef {(typeof USUAL_FAULTS)[number] | (typeof OTHER_FAULTS)[number]} FaultName */

/**
 * Returns the faults whose names contain one of several texts. A full name selects only that fault.
 *
 * @param {string} list separated by commas
 * @returns {FaultName[]} none if a text is in no name
 */
export function findFaults(list) {
  const names = [...USUAL_FAULTS, ...OTHER_FAULTS];
  const texts = list.split(",").map((text) => text.trim());
  const found = texts.map((text) => {
    const whole = names.filter((name) => name === text);
    return whole.length > 0 ? whole : names.filter((name) => name.includes(text));
  });
  return found.every((of) => of.length > 0) ? names.filter((name) => found.some((of) => of.includes(name))) : [];
}
