import { config } from "@/lib/platform/config";
import { processWide } from "@/lib/platform/objects";
import { clearinghouse } from "./clearinghouse";
import type { EligibilityProvider } from "./provider";
import { simulator } from "./simulator";

/** Returns the provider of the settings: the clearinghouse at ELIGIBILITY_URL, or the simulator. */
export function configuredProvider(): EligibilityProvider {
  const { ELIGIBILITY_URL: url } = config();
  if (url === undefined) return simulator;
  return processWide("crosswalkClearinghouse", () => {
    const {
      ELIGIBILITY_TOKEN: token,
      ELIGIBILITY_TIMEOUT_MS: timeoutMs,
      WEBHOOK_ALLOW_PRIVATE: allowPrivate,
    } = config();
    return clearinghouse({ url, token, timeoutMs, policy: { allowPrivate } });
  });
}
