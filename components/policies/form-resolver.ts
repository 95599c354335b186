import type { Resolver } from "react-hook-form";
import { labelOf, type Policy, type PolicyField } from "./fields";
import type { Holder, PolicyForm } from "./form-values";

type Problems = Partial<Record<PolicyField, string>>;

const formProblems = () => import("./form-problems").catch(() => null);

/** So that the checks are there when the first field is left. */
export function fetchChecks(): void {
  void formProblems();
}

/** The API's own schema, fetched beside the page, and what only a browser can tell: a date that is begun and not finished. */
export function resolverFor(holder: Holder, stored: Policy | null, requireCarrier: boolean): Resolver<PolicyForm> {
  return async (values, _context, { fields }) => {
    const problems = await problemsOf(values, holder, stored);
    if (requireCarrier && values.carrier.trim() === "") problems.carrier = "Pick a carrier, or type its name.";
    for (const [name, field] of Object.entries(fields)) {
      const input = field?.ref as Partial<HTMLInputElement> | undefined;
      if (input?.validity?.badInput)
        problems[name as PolicyField] = `Finish the ${labelOf(name).toLowerCase()}, or clear it.`;
    }
    const entries = Object.entries(problems).map(([name, message]) => [name, { type: "check", message }]);
    return entries.length === 0 ? { values, errors: {} } : { values: {}, errors: Object.fromEntries(entries) };
  };
}

/** Where the schema can't be had, the server is the one to refuse. */
async function problemsOf(values: PolicyForm, holder: Holder, stored: Policy | null): Promise<Problems> {
  return (await formProblems())?.formProblems(values, holder, stored) ?? {};
}
