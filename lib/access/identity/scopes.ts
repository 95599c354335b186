import { keysOf } from "@/lib/platform/objects";

/** The scope table of the specification (Authentication). Token requests, endpoints, the scope picker and the API description use it. */
export const SCOPE_TABLE = {
  "Patient profile": {
    readOnly: false,
    resources: [
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
    ],
  },
  "Patient document": {
    readOnly: false,
    resources: [
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
    ],
  },
  Orders: {
    readOnly: false,
    resources: [
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
    ],
  },
  Messaging: { readOnly: false, resources: ["message_threads", "thread_members", "thread_messages"] },
  Scheduling: { readOnly: false, resources: ["appointment_types", "appointments", "recurring_event_groups"] },
  Insurance: { readOnly: false, resources: ["insurance_companies", "insurance_plans"] },
  Billing: { readOnly: false, resources: ["billing_codes", "bills"] },
  Practice: {
    readOnly: false,
    resources: [
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
    ],
  },
  "Reference data": {
    readOnly: true,
    resources: [
      "languages",
      "packaged_medication_labelers",
      "packaged_medications",
      "pharmacies",
      "reference_medications",
    ],
  },
} as const;

/** The other resources that are served from declarations, with their group. They have no scopes, so they need the global one. */
export const UNSCOPED_RESOURCES = {
  patient_letter_categories: "Patient document",
  patient_letters: "Patient document",
  prescription_fills: "Patient document",
  referral_orders: "Orders",
} as const satisfies Record<string, keyof typeof SCOPE_TABLE>;
export type UnscopedResource = keyof typeof UNSCOPED_RESOURCES;

type Table = typeof SCOPE_TABLE;
export type ScopeGroup = keyof Table;
export type ScopeResource = Table[ScopeGroup]["resources"][number];
type ReadOnlyResource = Table["Reference data"]["resources"][number];
export type Permission = "read" | "write";
export type SpecificScope = `system/${ScopeResource}.read` | `system/${Exclude<ScopeResource, ReadOnlyResource>}.write`;

/** The global scope, which allows everything. It is the default of token requests. */
export const GLOBAL_SCOPE = "apiv2";
export type Scope = SpecificScope | typeof GLOBAL_SCOPE;

/** The scope for signing any document, in addition to the document's scope (specification, Authentication 8). */
export const SIGNING_SCOPE = "system/visit_notes.write" satisfies SpecificScope;

const RESOURCES = new Map<string, { group: ScopeGroup; readOnly: boolean }>(
  keysOf(SCOPE_TABLE).flatMap((group) =>
    SCOPE_TABLE[group].resources.map(
      (resource) => [resource, { group, readOnly: SCOPE_TABLE[group].readOnly }] as const,
    ),
  ),
);

/** Returns whether a name is a resource of the table. */
export function isScopeResource(name: string): name is ScopeResource {
  return RESOURCES.has(name);
}

/** Returns whether a name is a resource that only the global scope opens. */
export function isUnscopedResource(name: string): name is UnscopedResource {
  return Object.hasOwn(UNSCOPED_RESOURCES, name);
}

/** The resources in the order of the table. */
export const SCOPE_RESOURCES: readonly ScopeResource[] = [...RESOURCES.keys()].filter(isScopeResource);

/** All specific scopes. Reference data has no scopes for writing. */
export const SPECIFIC_SCOPES: readonly SpecificScope[] = SCOPE_RESOURCES.flatMap((resource) => [
  `system/${resource}.read`,
  `system/${resource}.write`,
]).filter(isSpecificScope);

/** Returns whether the table has this scope. */
export function isSpecificScope(scope: string): scope is SpecificScope {
  return scope !== GLOBAL_SCOPE && scopeProblem(scope) === null;
}

/** Returns whether granted scopes include the needed one. The global scope includes all. */
export function allows(granted: readonly string[], needed: Scope): boolean {
  return granted.includes(GLOBAL_SCOPE) || granted.includes(needed);
}

/** Returns why a scope is invalid, or null if it is valid. */
export function scopeProblem(scope: string): string | null {
  if (scope === GLOBAL_SCOPE) return null;
  const match = /^system\/([a-z0-9_-]+)\.(read|write)$/.exec(scope);
  if (!match) return `"${scope}" is not a scope. Use apiv2, system/<resource>.read or system/<resource>.write.`;
  const resource = RESOURCES.get(match[1] ?? "");
  if (!resource) return `"${scope}": this API has no such resource.`;
  if (resource.readOnly && match[2] === "write") return `"${scope}": reference data can only be read.`;
  return null;
}
