// GET, POST auth/…: sign-in, sign-out and the OpenID callback, handled by next-auth.

import { NextRequest } from "next/server";
import nextAuth from "next-auth";
import { replyToSignIn, signInOptions } from "@/lib/access/staff/sign-in";
import type { SignInOutcome } from "@/lib/access/staff/sign-in-commands";
import { readBytes } from "@/lib/platform/http/body";
import { PayloadTooLargeError, replyToError } from "@/lib/platform/http/errors";
import { jsonResponse, toResponse } from "@/lib/platform/http/response";
import { PAGE_BODY_BYTES } from "@/lib/platform/http/server-limits";

type Context = { params: Promise<{ nextauth: string[] }> };

async function handle(request: NextRequest, context: Context): Promise<Response> {
  const limited = await withLimitedBody(request);
  if (limited instanceof Response) return limited;
  let outcome: SignInOutcome | null = null;
  const failures: unknown[] = [];
  const options = signInOptions(
    request,
    (found) => {
      outcome = found;
    },
    (error) => failures.push(error),
  );
  const response = await nextAuth(limited as never, context as never, options);
  // The browser keeps its cookie, because the session is still open.
  for (const error of failures) return replyTo(error);
  return replyToSignIn(request, response, outcome);
}

/** Limits the body size. Only needed under `next dev`, as the production server has already checked it. */
async function withLimitedBody(request: NextRequest): Promise<NextRequest | Response> {
  if (!request.body) return request;
  try {
    const body = await readBytes(request, { limitBytes: PAGE_BODY_BYTES });
    return new NextRequest(request.url, { method: request.method, headers: request.headers, body: body as BodyInit });
  } catch (error) {
    if (error instanceof PayloadTooLargeError) return replyTo(error);
    throw error;
  }
}

/** @throws the error if it is unexpected */
function replyTo(error: unknown): Response {
  const reply = replyToError(error);
  if (!reply) throw error;
  return toResponse(jsonResponse(reply.status, reply.body, reply.headers));
}

export { handle as GET, handle as POST };
