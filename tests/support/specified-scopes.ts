// The specification's list of scopes (Authentication 5-10), written out here so that tests compare the API with the
// specification and not with the API's own table.

const READ_AND_WRITE = [
  // Patient profile
  "allergies",
  "allergy_documentation",
  "drug_intolerances",
  "family_histories",
  "histories",
  "immunizations",
  "patients",
  "patient-provider-team-members",
  "problems",
  "vaccine",
  // Patient document
  "ccda",
  "clinical_documents",
  "discontinued_medications",
  "document_tags",
  "incoming_files",
  "injections",
  "letters",
  "medication_history_download_fills",
  "medication_history_downloads",
  "medication_refills",
  "medications",
  "non_visit_notes",
  "patient_form_requests",
  "patient_form_submissions",
  "patient_forms",
  "report_types",
  "reports",
  "visit_note_templates",
  "visit_note_types",
  "visit_notes",
  "vitals",
  // Orders
  "ancillary_companies",
  "cardiac_centers",
  "cardiac_order_tests",
  "cardiac_orders",
  "imaging_centers",
  "imaging_order_tests",
  "imaging_orders",
  "lab_facility_identifiers",
  "lab_order_compendiums",
  "lab_order_sets",
  "lab_order_tests",
  "lab_orders",
  "lab_vendor_integrations",
  "lab_vendor_patient_sites",
  "lab_vendors",
  "pulmonary_centers",
  "pulmonary_order_tests",
  "pulmonary_orders",
  "sleep_centers",
  "sleep_order_tests",
  "sleep_orders",
  // Messaging
  "message_threads",
  "thread_members",
  "thread_messages",
  // Scheduling
  "appointment_types",
  "appointments",
  "recurring_event_groups",
  // Insurance
  "insurance_companies",
  "insurance_plans",
  // Billing
  "billing_codes",
  "bills",
  // Practice
  "contacts",
  "delegate_permissions",
  "handouts",
  "medication_order_templates",
  "office_staff",
  "physicians",
  "practice_medications",
  "practices",
  "print_headers",
  "service_locations",
  "staff_groups",
];

/** Reference data: constants that belong to no practice. */
export const REFERENCE_DATA = [
  "languages",
  "packaged_medication_labelers",
  "packaged_medications",
  "pharmacies",
  "reference_medications",
];

/** The 78 resources that scopes name. */
export const SPECIFIED_RESOURCES = [...READ_AND_WRITE, ...REFERENCE_DATA];

/** The 151 scopes besides the global one. */
export const SPECIFIED_SCOPES = SPECIFIED_RESOURCES.flatMap((resource) =>
  REFERENCE_DATA.includes(resource)
    ? [`system/${resource}.read`]
    : [`system/${resource}.read`, `system/${resource}.write`],
);

/**
 * Returns the scope that an operation requires: nested paths follow the resource they begin with, and other paths take
 * `apiv2`.
 */
export function specifiedScope(method: string, path: string): string {
  const resource = path.split("/")[0] ?? "";
  if (!SPECIFIED_RESOURCES.includes(resource)) return "apiv2";
  return `system/${resource}.${method === "GET" ? "read" : "write"}`;
}
