import { policyName } from "@/components/policies/fields";
import { pagePath } from "@/components/policies/paths";
import { ButtonLink } from "@/components/ui/button-link";
import { policyCard as text } from "./messages/policies";
import type { ShownPolicy } from "./use-patient";

/** Offers to replace a policy whose coverage has ended, at its rank. */
export function ReplaceLink({ practice, policy }: { practice: number; policy: ShownPolicy }) {
  return (
    <ButtonLink
      size="small"
      className="screen-only"
      href={`${pagePath(practice, policy.patient, "policies", "new")}?replaces=${policy.id}`}
      aria-label={text.replacePolicy(policyName(policy))}
    >
      {text.replace}
    </ButtonLink>
  );
}
