import { countInsured, type InsuredCount } from "@/lib/insurance/patients/queries";
import { countPolicies, type PolicyCount } from "@/lib/insurance/policies/queries";
import { rehearseInsuranceVersioning, type SwitchRehearsal } from "@/lib/practice/practices/commands";

/** What the Insurance Versioning switch would affect if it were flipped now. */
export type SwitchEffect = SwitchRehearsal & InsuredCount & PolicyCount;

/**
 * Reports what flipping the practice's Insurance Versioning switch would affect, and changes nothing.
 *
 * @throws NotFoundError
 */
export async function rehearseVersioningSwitch(
  setting: Parameters<typeof rehearseInsuranceVersioning>[0],
): Promise<SwitchEffect> {
  return rehearseInsuranceVersioning(setting, async (tx, practiceId) => ({
    ...(await countInsured(tx, practiceId)),
    ...(await countPolicies(tx, practiceId)),
  }));
}
