/** Why something differs from the contract on purpose, by the resource and the place where it does. */
const REASONS: readonly { where: RegExp; why: string }[] = [
  {
    where: /timezone lacks /,
    why: "Any name of the IANA database is a time zone; the contract lists those of one of its releases.",
  },
  {
    where: /\[\] may be null there$/,
    why: "An entry of a list of ids that is null says nothing: it is refused, and never answered.",
  },
  {
    where: /body (last_modified|id|files\[\]\.document|.*\.thread|consents) is missing$/,
    why: "Set by the server: what is sent for it is ignored, as unknown fields are.",
  },
  {
    where: /^ancillary_companies: \?type is not required$/,
    why: "Left out, companies of every type are listed.",
  },
  {
    where: /^(patients|insurance_cards): \?side is not required$/,
    why: "Left out, the cards of every side of the rank are deleted.",
  },
  {
    where: /^incoming_files: \?process_state has besides pending$/,
    why: "A file of an answer may be pending: what answers say can be asked for.",
  },
  {
    where: /^thread_(members|messages): body thread is required$/,
    why: "Whose a member or message is says its thread: without it there is nothing to add it to.",
  },
  {
    where: /^clinical_documents: body xml_file\.base64_content is required$/,
    why: "A document without its bytes is none.",
  },
  {
    where: /^clinical_documents: answer .*base64_content is missing$/,
    why: "The bytes are where `document` says: lists of whole documents would be of no use.",
  },
  {
    where: /^lab_order_compendiums: (body|answer) .*practice_created is not there$/,
    why: "The list is filtered by it. Under a laboratory of everybody's, a client of several practices has to name one.",
  },
  {
    where: /^(appointments|appointment_types|recurring_event_groups): body .*duration is at (least 1|most 1440)$/,
    why: "Minutes of a calendar: what lasts no time, or longer than a day, is a slip, and would be handed on to appointments.",
  },
  {
    where: /^patients: body (rank|side) is at (least 1|most \d)$/,
    why: "There are three ranks, and a card has so many sides at most.",
  },
  {
    where: /^vaccine: (body|answer) /,
    why: "The contract has every field of a vaccine read only, so none could be added: name, code and practice are sent.",
  },
  {
    where: /^(bills): answer .* may be null here$/,
    why: "A bill that was not billed has no billing date or error, and need not name every provider.",
  },
  {
    where: /^(reports|visit_notes|lab_orders|physicians): body .*(is required|lacks 0)/,
    why: "A week of availabilities needs its days and times; the numbers of weekdays are a range.",
  },
  {
    where: /answer .*(created_date|deleted_date|processed_date|last_fill_date|written_date) may be null here$/,
    why: "Null until it happens.",
  },
  {
    where: /answer .*(practice|practice_created|patient) may be null here$/,
    why: "Null where a record is every practice's, or nobody's.",
  },
  {
    where: /answer .*(practice|practice_created|created_date|id|employers|service_locations) may be null there$/,
    why: "Never null here: every record has it.",
  },
  { where: /\.zip may be null here$|payment_program may be null here$/, why: "Null where it was never sent." },
  {
    where:
      /answer .*(emails\[\]\.(created|deleted)_date|emergency_contact\.id|guarantor\.id|employer\.(name|description)|last_status_change) is missing$/,
    why: "Parts of a patient's record are kept with it, not as records of their own with ids and dates.",
  },
  {
    where: /^(visit_notes|reports|lab_orders): /,
    why: "The response is a PDF document, which the path is for.",
  },
];

/** The reason of a difference; null where nobody gave one. */
export function reasonFor({ resource, at, problem }: { resource: string; at: string; problem: string }): string | null {
  const text = `${resource}: ${at} ${problem}`;
  return REASONS.find(({ where }) => where.test(text))?.why ?? null;
}
