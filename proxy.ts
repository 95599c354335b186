import { type NextRequest, NextResponse } from "next/server";
import { toRequestId } from "@/lib/platform/http/request";

/**
 * Scripts and styles run by a nonce that is new with each page (design §9): nothing that got into a page can run in it. The
 * request id is as decent as the API's, under `next dev`, too: it goes into the audit.
 */
export function proxy(request: NextRequest): NextResponse {
  const nonce = btoa(crypto.randomUUID());
  const policy = [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${DEVELOPING ? " 'unsafe-eval'" : ""}`,
    `style-src 'self' ${DEVELOPING ? "'unsafe-inline'" : `'nonce-${nonce}'`}`,
    // Where a menu stands is computed: React writes it into the style attribute.
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' blob: data:",
    "font-src 'self'",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
  const headers = new Headers(request.headers);
  const requestId = toRequestId(request.headers.get("x-request-id"));
  headers.set("x-request-id", requestId);
  headers.set("x-nonce", nonce);
  headers.set("content-security-policy", policy);
  headers.set("x-path", request.nextUrl.pathname + request.nextUrl.search);
  const response = NextResponse.next({ request: { headers } });
  response.headers.set("content-security-policy", policy);
  response.headers.set("x-request-id", requestId);
  return response;
}

const DEVELOPING = process.env.NODE_ENV === "development";

export const config = {
  matcher: ["/((?!api/|viewer/swagger-ui|_next/static|_next/image|favicon\\.ico$|icon\\.svg$).*)"],
};
