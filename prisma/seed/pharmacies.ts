// Fictional pharmacies and companies of the demo, which are the same on every machine.
import { Dice, STREETS, TOWNS } from "./people";

const PHARMACIES = 400;
const CHAINS = ["Harborlight Pharmacy", "Pinetree Drug", "Granite State Apothecary", "Tidewater Rx", "Meadow Pharmacy"];
const SPECIALTIES = [
  "Retail",
  "Retail",
  "Retail",
  "Retail~Compounding",
  "MailOrder",
  "Retail~24hr",
  "LongTermCarePharmacy",
];
/** The first two digits of NCPDP IDs, and their states. */
const STATES = [
  ["20", "ME"],
  ["30", "NH"],
  ["22", "MA"],
  ["47", "VT"],
] as const;

/** Returns the rows of `pharmacies`. */
export function inventPharmacies(): Record<string, unknown>[] {
  const dice = new Dice(7_100);
  return Array.from({ length: PHARMACIES }, (_, at) => {
    const [prefix, state] = dice.pick(STATES);
    const [city, zip] = dice.pick(TOWNS);
    const chain = dice.pick(CHAINS);
    const opened = 2005 + dice.between(0, 16);
    return {
      ncpdpid: `${prefix}${String(10_000 + 13 * at)}`,
      npi: `1${dice.digits(9)}`,
      store_name: `${chain} #${100 + at}`,
      address_line1: `${dice.between(1, 400)} ${dice.pick(STREETS)}`,
      address_line2: null,
      city,
      state,
      zip,
      phone_primary: `207-555-${dice.digits(4)}`,
      fax: `207-555-${dice.digits(4)}`,
      specialty_types: dice.pick(SPECIALTIES),
      active_start_time: `${opened}-01-01T00:00:00.000Z`,
      active_end_time: dice.roll() < 0.95 ? "2099-12-31T00:00:00.000Z" : `${opened + 2}-06-30T00:00:00.000Z`,
    };
  });
}

/** The rows of `ancillary_companies`. */
export const ANCILLARY_COMPANIES: readonly { name: string; types: string[] }[] = [
  { name: "Casco Bay Imaging", types: ["imaging"] },
  { name: "Penobscot Radiology Partners", types: ["imaging"] },
  { name: "Coastal Heart Diagnostics", types: ["cardiac"] },
  { name: "Midcoast Cardiology Testing", types: ["cardiac", "imaging"] },
  { name: "Northern Lung Function", types: ["pulmonary"] },
  { name: "Kennebec Breathing Center", types: ["pulmonary", "sleep"] },
  { name: "Quiet Harbor Sleep", types: ["sleep"] },
  { name: "Lighthouse Sleep Medicine", types: ["sleep"] },
];
