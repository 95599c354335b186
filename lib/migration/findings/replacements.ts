/** The policy calls that replace each legacy endpoint. */
const REPLACEMENTS: Readonly<Record<string, string>> = {
  "patients.list": "GET /api/2.0/patients/{patient}/policies for each patient, and published events of policies",
  "patients.get": "GET /api/2.0/patients/{patient}/policies?status=active",
  "patients.create": "POST /api/2.0/patients/ without insurances, then POST /api/2.0/patients/{patient}/policies",
  "patients.update":
    "POST, PATCH or DELETE /api/2.0/patients/{patient}/policies[/{policy}]: one call for each insurance that changes",
  "patients.replace":
    "POST, PUT or DELETE /api/2.0/patients/{patient}/policies[/{policy}]: one call for each insurance that changes",
  "insurance_cards.list": "GET /api/2.0/patients/{patient}/policies/{policy}/card-images",
  "insurance_cards.create": "POST /api/2.0/patients/{patient}/policies/{policy}/card-images",
  "insurance_cards.delete": "DELETE /api/2.0/patients/{patient}/policies/{policy}/card-images/{image_rank}",
};

/** Returns the call that replaces a legacy endpoint. */
export function findReplacement(endpoint: string): string {
  return REPLACEMENTS[endpoint] ?? "The calls below /api/2.0/patients/{patient}/policies";
}
