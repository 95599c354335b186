import type { Resolver } from "react-hook-form";
import { fieldLabel, type Policy, type PolicyField } from "./fields";
import type { PatientIdentity, PolicyForm } from "./form-values";

type Problems = Partial<Record<PolicyField, string>>;

const formProblems = () => import("./form-problems").catch(() => null);

/** So that the checks are there when the first field is left. */
export function preloadChecks(): void {
  void formProblems();
}

/**
 * Validates with the API's own schema, which loads after the page, and reports dates that were left half typed.
 * Submitted values are normalized the way the server stores them. If the schema can't load, validation is left to the server.
 */
export function createResolver(
  holder: PatientIdentity,
  stored: Policy | null,
  requireCarrier: boolean,
): Resolver<PolicyForm> {
  return async (values, _context, { fields }) => {
    const checks = await formProblems();
    const problems: Problems = checks?.formProblems(values, holder, stored) ?? {};
    if (requireCarrier && values.carrier.trim() === "") problems.carrier = "Pick a carrier, or type its name.";
    for (const [name, field] of Object.entries(fields)) {
      const input = field?.ref as Partial<HTMLInputElement> | undefined;
      if (input?.validity?.badInput)
        problems[name as PolicyField] = `Finish the ${fieldLabel(name).toLowerCase()}, or clear it.`;
    }
    const entries = Object.entries(problems).map(([name, message]) => [name, { type: "check", message }]);
    if (entries.length > 0) return { values: {}, errors: Object.fromEntries(entries) };
    return { values: checks?.asStored(values, stored) ?? values, errors: {} };
  };
}
