/** @type {import("next").NextConfig} */
export default {
  // The production server routes API calls itself (`scripts/server.ts`), so the build leaves out `route.ts`. `next dev` serves them. What Next
  // always serves ends in `.tsx`.
  pageExtensions: process.env.NODE_ENV === "production" ? ["tsx"] : ["tsx", "ts"],
  poweredByHeader: false,
  reactStrictMode: true,
  // No page uses Next's image optimizer, and it would decode images in the server's own process for anybody who asks.
  images: { unoptimized: true },
  // The server compresses pages, with Brotli (`scripts/server.ts`).
  compress: false,
  // Paths answer with and without a trailing slash; a redirect would lose the body of a POST in some clients.
  skipTrailingSlashRedirect: true,
  serverExternalPackages: ["pg", "@prisma/client", "pino", "sharp", "@aws-sdk/client-s3"],
  outputFileTracingRoot: import.meta.dirname,
  turbopack: { root: import.meta.dirname },
  experimental: {
    // `forbidden()`: a page that the user's role may not open responds with 403.
    authInterrupts: true,
    // Tests start many servers that show few pages or none.
    preloadEntriesOnStart: process.env.CROSSWALK_PRELOAD_PAGES !== "false",
    // Avoids waiting for a style sheet before the first paint. `proxy.tsx` allows the inlined styles.
    inlineCss: true,
    turbopackCjsTreeShaking: true,
    turbopackCjsScopeHoisting: true,
    // A page loads its scripts over a few connections, each with a round trip: fewer, larger chunks are interactive sooner.
    turbopackChunking: {
      requestCost: 2_000_000,
      minChunkSize: 600_000,
      maxChunkCountPerGroup: 6,
      maxMergeChunkSize: 2_000_000,
    },
  },
  headers: async () => [
    {
      source: "/:path*",
      headers: [
        { key: "x-content-type-options", value: "nosniff" },
        { key: "x-frame-options", value: "DENY" },
        { key: "referrer-policy", value: "same-origin" },
        { key: "permissions-policy", value: "camera=(self), microphone=(), geolocation=(), payment=()" },
        { key: "strict-transport-security", value: "max-age=31536000" },
        { key: "cross-origin-opener-policy", value: "same-origin" },
      ],
    },
    {
      // As lib/platform/http/response.ts has it: under `next dev` the API is Next's, and sign-in always is.
      source: "/api/:path*",
      headers: [
        { key: "content-security-policy", value: "default-src 'none'; frame-ancestors 'none'" },
        { key: "referrer-policy", value: "no-referrer" },
      ],
    },
  ],
  // `npm test` checks types; a user who only wants to start need not wait for it.
  typescript: { ignoreBuildErrors: true },
};
