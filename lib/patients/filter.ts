import { z } from "zod";
import { wholeNumber } from "@/lib/http/pagination";
import { timeRange } from "@/lib/http/query";
import { calendarDate } from "@/lib/insurance/fields";
import { PATIENT_SEARCH_ORDERS } from "./staff-queries";

const text = z.string().max(200).optional();
const id = wholeNumber.optional();

/** The contract's filters of GET `patients`. */
export const patientFilter = {
  first_name: text,
  last_name: text,
  dob: calendarDate.optional(),
  sex: text,
  member_id: text,
  group_id: text,
  phone_number: text,
  insurance_company: id,
  insurance_plan: id,
  master: id,
  master_patient: id,
  practice: z.union([wholeNumber.transform((one) => [one]), z.array(wholeNumber).max(100)]).optional(),
  ...timeRange("last_modified"),
};

/** Query of DELETE `insurance_cards`: all sides of a rank, or one. `archive` is accepted: an ended card is always kept. */
export const cardQuery = {
  rank: wholeNumber.pipe(z.number().min(1).max(3)),
  side: wholeNumber.pipe(z.number().min(1).max(9)).optional(),
  archive: z.string().max(10).optional(),
};

const SEARCH_ORDERS: readonly string[] = PATIENT_SEARCH_ORDERS.flatMap((field) => [field, `-${field}`] as const);

/** Query of the staff's search. */
export const patientSearchQuery = {
  search: z.string().max(200).default(""),
  order: z
    .string()
    .refine((order) => SEARCH_ORDERS.includes(order), { error: `Must be one of ${SEARCH_ORDERS.join(", ")}.` })
    .default("last_name"),
  offset: wholeNumber.pipe(z.number().min(0).max(10_000_000)).default(0),
  limit: wholeNumber.pipe(z.number().min(1).max(100)).default(50),
};
