import type { Resolver } from "react-hook-form";
import type { Policy, PolicyField } from "./fields";
import type { PatientIdentity, PolicyForm } from "./form-values";
import { payerFields as text } from "./messages/payers";

type Problems = Partial<Record<PolicyField, string>>;

const importChecks = () => import("./form-problems").catch(() => null);

/** Loads the validation before the user leaves the first field. */
export function preloadChecks(): void {
  void importChecks();
}

/**
 * Creates a resolver that validates with the API's own schema, which loads after the page. Submitted values are normalized the
 * way the server stores them. If the schema can't be loaded, the server validates.
 */
export function createResolver(
  patient: PatientIdentity,
  stored: Policy | null,
  requireCarrier: boolean,
): Resolver<PolicyForm> {
  return async (values) => {
    const checks = await importChecks();
    const problems: Problems = checks?.formProblems(values, patient, stored) ?? {};
    if (requireCarrier && values.carrier.trim() === "") problems.carrier = text.payerRequired;
    const entries = Object.entries(problems).map(([name, message]) => [name, { type: "check", message }]);
    if (entries.length > 0) return { values: {}, errors: Object.fromEntries(entries) };
    return { values: checks?.asStored(values, stored) ?? values, errors: {} };
  };
}
