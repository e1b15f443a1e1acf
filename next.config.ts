import type { NextConfig } from "next";

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
  // The engine calls for each parcel and gets a few hundred bytes back: compressing them costs more than they weigh.
  headers: async () => [
    { source: "/api/inngest", headers: [{ key: "Cache-Control", value: "no-store, no-transform" }] },
  ],
};

export default nextConfig;
