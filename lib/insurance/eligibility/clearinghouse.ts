import { Agent, request } from "undici";
import { type TargetPolicy, targetProblem } from "@/lib/events/webhooks/addresses";
import { connectToAddresses, createResolver, guardedConnector } from "@/lib/events/webhooks/connect";
import { describeFailure, statusProblem } from "@/lib/events/webhooks/failures";
import { log } from "@/lib/platform/log";
import { property } from "@/lib/platform/objects";
import { readAnswer, toRequest } from "./clearinghouse-format";
import { type EligibilityAnswer, type EligibilityInquiry, type EligibilityProvider, failedAnswer } from "./provider";

/** A full report takes 20 to 200 kB. */
const MAX_RESPONSE_BYTES = 2 * 1024 * 1024;
const CONNECTIONS = 16;
type RequestId = string | null | undefined;
/** Wrong or missing credentials, and too many requests. Their errors come from the clearinghouse, not from a payer. */
const OWN_FAULTS: readonly number[] = [401, 403, 429];

/**
 * Creates the provider that asks a clearinghouse over HTTP. It connects only to addresses that webhooks may use, and does not follow
 * redirects. The timeout covers everything from the DNS lookup to the last byte.
 */
export function clearinghouse(settings: {
  url: string;
  token: string | undefined;
  timeoutMs: number;
  policy: TargetPolicy;
}): EligibilityProvider {
  const { url, token, timeoutMs, policy } = settings;
  const agent = new Agent({
    connect: guardedConnector({
      timeoutMs,
      policy,
      resolve: createResolver(policy),
      connect: connectToAddresses,
      opening: new Set(),
    }),
    connections: CONNECTIONS,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxResponseSize: MAX_RESPONSE_BYTES,
  });
  const exchange = async (inquiry: EligibilityInquiry, requestId: RequestId): Promise<EligibilityAnswer> => {
    const problem = targetProblem(url, policy);
    // The problem may name an internal host, and callers see the message.
    if (problem) return unavailable(requestId, problem, "The server's settings don't allow its address.");
    const { statusCode, body } = await request(url, {
      method: "POST",
      dispatcher: agent,
      signal: AbortSignal.timeout(timeoutMs),
      headers: {
        accept: "application/json",
        "content-type": "application/json",
        "user-agent": "Crosswalk-Eligibility/1",
        ...(token && { authorization: token }),
      },
      body: JSON.stringify(toRequest(inquiry)),
    });
    const answer = parseJson(await body.text());
    const problemOfStatus = statusProblem(statusCode);
    // Clearinghouses report a payer's rejection as a 4xx with the same body.
    const isAnswered = statusCode < 500 && !OWN_FAULTS.includes(statusCode) && hasErrors(answer);
    if (problemOfStatus === null || isAnswered) return readAnswer(answer);
    return unavailable(requestId, problemOfStatus);
  };
  return {
    name: "clearinghouse",
    ask: (inquiry, requestId) =>
      exchange(inquiry, requestId).catch((error: unknown) => {
        const tooLong = property(error, "code") === "UND_ERR_RES_EXCEEDED_MAX_SIZE";
        const reason = tooLong ? "The response is too long." : describeFailure(error, { status: null, timeoutMs });
        return unavailable(requestId, reason);
      }),
  };
}

/**
 * Logs why a clearinghouse could not be asked, without patient data, and returns the answer of a failed check.
 *
 * @param shown what callers see of the reason
 */
function unavailable(requestId: RequestId, reason: string, shown = reason): EligibilityAnswer {
  log.warn({ reason, request: requestId }, "the clearinghouse could not check eligibility");
  return failedAnswer("provider_unavailable", `The clearinghouse could not check eligibility. ${shown}`);
}

const hasErrors = (answer: unknown) => {
  const errors = property(answer, "errors");
  return Array.isArray(errors) && errors.length > 0;
};

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
