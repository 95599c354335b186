/** The reasons for intended differences from the contract, by resource and place. */
const REASONS: readonly { where: RegExp; why: string }[] = [
  {
    where: /timezone lacks /,
    why: "All time zones of the IANA database are accepted. The contract lists those of one release.",
  },
  {
    where: /response .*\[\] may be null in the contract$/,
    why: "Null entries of lists are accepted, but not stored.",
  },
  {
    where: /^(patients: body files|recurring_event_groups: body schedules) rejects \[\]$/,
    why: "Without files or schedules, nothing would be created.",
  },
  {
    where: /^appointments: body service_location rejects \{\}$/,
    why: "An ID names the location.",
  },
  {
    where: /^subscriptions: body resource rejects /,
    why: "The resource must exist.",
  },
  {
    where: /body (last_modified|id|files\[\]\.document|.*\.thread|consents) is missing$/,
    why: "Set by the server. Values in requests are ignored, like unknown fields.",
  },
  {
    where: /^ancillary_companies: \?type is not required$/,
    why: "Without it, companies of every type are listed.",
  },
  {
    where: /^users: body email (has at most 254|rejects )/,
    why: "Staff sign in with an email address, which has at most 254 characters (RFC 5321).",
  },
  {
    where: /^incoming_files: \?process_state also has pending$/,
    why: "Responses can have files that are pending, so requests can filter by this state.",
  },
  {
    where: /^thread_(members|messages): body thread is required$/,
    why: "A member or message belongs to a thread, so it is required.",
  },
  {
    where: /^clinical_documents: body xml_file(\.base64_content is required| rejects \{\})$/,
    why: "A document without content makes no sense.",
  },
  {
    where: /^(clinical_documents|patient_letters): response .*base64_content is missing$/,
    why: "`document` is the URL of the content. Lists of complete documents would be too large.",
  },
  {
    where: /^lab_order_compendiums: (body|response) .*practice_created is not in the contract$/,
    why: "The list is filtered by it. For a shared laboratory, a client of several practices must name one.",
  },
  {
    where: /^(appointments|appointment_types|recurring_event_groups): body .*duration is at (least 1|most 1440)$/,
    why: "Minutes in a calendar. Zero or more than a day is a mistake that appointments would copy.",
  },
  {
    where: /^patients: body (rank|side) is at (least 1|most \d)$/,
    why: "There are three ranks, and a card has at most two sides.",
  },
  {
    where: /^vaccine: (body|response) /,
    why: "In the contract, every field of a vaccine is read-only, so none could be added. Here, clients send name, code and practice.",
  },
  {
    where: /^(bills): response .* may be null, but not in the contract$/,
    why: "A bill that has not been submitted has no billing date or error, and need not name every provider.",
  },
  {
    where: /^(reports|visit_notes|lab_orders|physicians): body .*(is required|lacks 0|rejects)/,
    why: "Weekly availability needs days and times. Weekdays are numbers in a range.",
  },
  {
    where:
      /response .*(created_date|deleted_date|processed_date|last_fill_date|written_date) may be null, but not in the contract$/,
    why: "Null until it happens.",
  },
  {
    where: /response .*(practice|practice_created|patient) may be null, but not in the contract$/,
    why: "Null if a record is shared by all practices or belongs to none.",
  },
  {
    where:
      /response .*(practice|practice_created|created_date|id|employers|service_locations) may be null in the contract$/,
    why: "Never null, because every record has it.",
  },
  {
    where: /\.zip may be null, but not in the contract$|payment_program may be null, but not in the contract$/,
    why: "Null if it was never sent.",
  },
  {
    where: /^subscriptions: response signing_secret is not in the contract$/,
    why: "The secret of the symmetric webhook signatures. Only this response contains it.",
  },
  {
    where: /^(visit_notes|reports|lab_orders): response /,
    why: "The response is a PDF document.",
  },
];

/** Returns the reason for a difference, or null if it has none. */
export function reasonFor({ resource, at, problem }: { resource: string; at: string; problem: string }): string | null {
  const text = `${resource}: ${at} ${problem}`;
  return REASONS.find(({ where }) => where.test(text))?.why ?? null;
}
