import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { type NextRequest, NextResponse } from "next/server";
import { toRequestId } from "@/lib/platform/http/request";

const DEVELOPING = process.env.NODE_ENV === "development";
const STYLES = path.join(process.cwd(), ".next/static/chunks");

/**
 * Returns the hashes that let inlined styles pass the policy; React puts the nonce only on scripts. When a page has two style sheets,
 * React joins them into one element, so each pair is hashed too.
 */
function hashStyles(): string {
  const files = fs.readdirSync(STYLES).filter((name) => name.endsWith(".css"));
  const sheets = files.map((name) => fs.readFileSync(path.join(STYLES, name), "utf8"));
  const pairs = sheets.flatMap((sheet) => sheets.filter((other) => other !== sheet).map((other) => sheet + other));
  const hashes = [...sheets, ...pairs].map((text) => createHash("sha256").update(text).digest("base64"));
  return hashes.map((hash) => ` 'sha256-${hash}'`).join("");
}

let styleHashes: string | undefined;

/**
 * Sets the Content Security Policy and the request ID of a page. Scripts need a nonce that changes with each page, and styles need that
 * nonce or the hash of a built style sheet, so injected code can't run. The audit log stores the request ID.
 */
export function proxy(request: NextRequest): NextResponse {
  const nonce = btoa(crypto.randomUUID());
  if (!DEVELOPING) styleHashes ??= hashStyles();
  const policy = [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${DEVELOPING ? " 'unsafe-eval'" : ""}`,
    `style-src 'self' ${DEVELOPING ? "'unsafe-inline'" : `'nonce-${nonce}'${styleHashes}`}`,
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

export const config = {
  matcher: ["/((?!api/|viewer/swagger-ui|_next/static|_next/image|favicon\\.ico$|icon\\.svg$).*)"],
};
