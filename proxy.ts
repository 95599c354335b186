import { type NextRequest, NextResponse } from "next/server";
import { toRequestId } from "@/lib/platform/http/request";

/**
 * Sets the Content Security Policy and the request ID of a page. Scripts and styles need a nonce that is new for each page
 *, so injected code can't run. The audit log stores the request ID.
 */
export function proxy(request: NextRequest): NextResponse {
  const nonce = btoa(crypto.randomUUID());
  const policy = [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${DEVELOPING ? " 'unsafe-eval'" : ""}`,
    `style-src 'self' ${DEVELOPING ? "'unsafe-inline'" : `'nonce-${nonce}'`}`,
    // React writes the computed position of a menu into the style attribute.
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
