import type { NextConfig } from "next";

const NOT_GUESSED = { key: "X-Content-Type-Options", value: "nosniff" };

/** What is posted to by programs, and passes `proxy.ts` by. */
const POSTED_TO = ["/api/v1/reminders", "/api/v1/notices", "/api/v1/shipments/events"];

/** JSON for programs: shown by nothing, framed by nothing. */
const FOR_PROGRAMS = [
  NOT_GUESSED,
  { key: "Content-Security-Policy", value: "default-src 'none'; object-src 'none'; frame-ancestors 'none'" },
  { key: "X-Frame-Options", value: "DENY" },
  { key: "Referrer-Policy", value: "same-origin" },
];

const nextConfig: NextConfig = {
  // These talk to the network or to node: modules and gain nothing from bundling; inngest is left to the bundler,
  // because its route handler must share one copy of the client with the pages.
  serverExternalPackages: [
    "postgres",
    "twilio",
    "web-push",
    "@opentelemetry/sdk-node",
    "@opentelemetry/sdk-trace",
  ],
  // The stack prints http://127.0.0.1 addresses; Next itself expects localhost.
  allowedDevOrigins: ["127.0.0.1"],
  // Commands own this working tree: the dev server writes no files into it besides .next.
  agentRules: false,
  poweredByHeader: false,
  // No page shows a picture that wants making smaller, and what makes them is asked by anybody.
  images: { unoptimized: true },
  // Twice what the largest handler reads, and all that `proxy.ts` keeps of a body: 10 MB each, times two hundred, is a
  // process without memory.
  experimental: { proxyClientMaxBodySize: "2mb" },
  // The engine calls for each parcel and gets a few hundred bytes back: compressing them costs more than they weigh.
  // What `proxy.ts` passes by is still not to be guessed at by a browser.
  headers: async () => [
    {
      source: "/api/inngest",
      headers: [{ key: "Cache-Control", value: "no-store, no-transform" }, NOT_GUESSED],
    },
    { source: "/_next/:path*", headers: [NOT_GUESSED] },
    ...POSTED_TO.map((source) => ({ source, headers: FOR_PROGRAMS })),
  ],
};

export default nextConfig;
