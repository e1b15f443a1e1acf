import type { ApiScope } from "../../../db/rules/api-scopes";

/**
 * Who may come in where, as data. `places.ts` lists every page, action and handler that the code has; one without a line
 * here fails the test, and so does a line without a place.
 */
export type Access =
  /** Everybody. */
  | "public"
  /** Whoever is signed in, for themselves. */
  | "signed in"
  /** The owner; to everybody else it is as absent as a missing one. */
  | "own"
  /** Operators and read-only operators; to shoppers it does not exist. */
  | "console"
  /** Operators; a read-only operator is told why not. */
  | "lever"
  /** A session; nobody is sent anywhere, and no key opens it. */
  | "session"
  /** The signed token of its address. */
  | "link"
  /** A provider's signature over the request. */
  | "signature"
  /** The bearer token of Prometheus. */
  | "metrics"
  /** The engine's signature, which production demands. */
  | "engine"
  /** An API key with this scope. */
  | `key:${ApiScope}`;

export const EXPECTED: Record<string, Access> = {
  // pages
  "app/page.tsx": "public",
  "app/sign-in/page.tsx": "public",
  "app/sign-in/code/page.tsx": "public",
  "app/r/[token]/page.tsx": "public",
  "app/(signed-in)/reminders/(list)/page.tsx": "signed in",
  "app/(signed-in)/reminders/calendar/page.tsx": "signed in",
  "app/(signed-in)/reminders/new/page.tsx": "signed in",
  "app/(signed-in)/settings/page.tsx": "signed in",
  "app/(signed-in)/settings/account/page.tsx": "signed in",
  "app/(signed-in)/settings/account/delete/page.tsx": "signed in",
  "app/(signed-in)/settings/channels/page.tsx": "signed in",
  "app/(signed-in)/shipments/[id]/page.tsx": "signed in",
  "app/(signed-in)/reminders/[id]/page.tsx": "own",
  "app/(signed-in)/reminders/[id]/edit/page.tsx": "own",
  "app/(signed-in)/reminders/[id]/cancel/page.tsx": "own",
  "app/ops/(lists)/page.tsx": "console",
  "app/ops/(lists)/audit/page.tsx": "console",
  "app/ops/(lists)/cleanup/page.tsx": "console",
  "app/ops/(lists)/dead-letters/page.tsx": "console",
  "app/ops/(lists)/dead-letters/list/page.tsx": "console",
  "app/ops/(lists)/deliveries/page.tsx": "console",
  "app/ops/(lists)/imports/page.tsx": "console",
  "app/ops/(lists)/outbox/page.tsx": "console",
  "app/ops/(lists)/promises/page.tsx": "console",
  "app/ops/(lists)/questions/page.tsx": "console",
  "app/ops/(lists)/redrives/page.tsx": "console",
  "app/ops/cleanup/switch/page.tsx": "console",
  "app/ops/dead-letters/dismiss/page.tsx": "console",
  "app/ops/deliveries/[reference]/page.tsx": "console",
  "app/ops/deliveries/[reference]/dismiss/page.tsx": "console",
  "app/ops/deliveries/[reference]/resolve/page.tsx": "console",
  "app/ops/partitions/[key]/page.tsx": "console",
  "app/ops/partitions/[key]/degrade/page.tsx": "console",
  "app/ops/partitions/[key]/limits/page.tsx": "console",
  "app/ops/partitions/[key]/pause/page.tsx": "console",
  "app/ops/partitions/[key]/resume/page.tsx": "console",
  "app/ops/partitions/[key]/weight/page.tsx": "console",
  "app/ops/redrives/[id]/page.tsx": "console",
  "app/ops/redrives/[id]/pause/page.tsx": "console",
  "app/ops/redrives/[id]/resume/page.tsx": "console",
  "app/ops/redrives/[id]/stop/page.tsx": "console",
  "app/ops/redrives/new/page.tsx": "console",
  // actions
  "app/sign-in/actions.ts sendCode": "public",
  "app/sign-in/actions.ts resendCode": "public",
  "app/sign-in/actions.ts confirmCode": "public",
  "app/sign-in/actions.ts signOut": "public",
  "app/r/[token]/actions.ts act": "public",
  "app/_time/actions.ts adoptZone": "signed in",
  "app/(signed-in)/reminders/new/actions.ts createReminder": "signed in",
  "app/(signed-in)/settings/actions.ts saveSettings": "signed in",
  "app/(signed-in)/settings/actions.ts savePause": "signed in",
  "app/(signed-in)/settings/account/actions.ts signOutEverywhere": "signed in",
  "app/(signed-in)/settings/account/actions.ts deleteAccount": "signed in",
  "app/(signed-in)/settings/channels/actions.ts addPhone": "signed in",
  "app/(signed-in)/settings/channels/actions.ts saveSmsHours": "signed in",
  "app/(signed-in)/settings/channels/actions.ts describe": "signed in",
  "app/(signed-in)/settings/channels/actions.ts testDevice": "signed in",
  "app/(signed-in)/settings/channels/actions.ts confirmPhone": "signed in",
  "app/(signed-in)/settings/channels/actions.ts removeDestination": "signed in",
  "app/(signed-in)/settings/channels/actions.ts wantChannel": "signed in",
  "app/(signed-in)/shipments/[id]/actions.ts changeFollowing": "signed in",
  "app/(signed-in)/reminders/[id]/actions.ts opened": "signed in",
  "app/(signed-in)/reminders/[id]/actions.ts snooze": "own",
  "app/(signed-in)/reminders/[id]/actions.ts change": "own",
  "app/(signed-in)/reminders/[id]/actions.ts cancel": "own",
  "app/(signed-in)/reminders/[id]/edit/actions.ts saveReminder": "own",
  "app/ops/cleanup/switch/actions.ts flip": "lever",
  "app/ops/dead-letters/actions.ts dismiss": "lever",
  "app/ops/dead-letters/actions.ts restore": "lever",
  "app/ops/dead-letters/actions.ts resolve": "lever",
  "app/ops/partitions/[key]/actions.ts pause": "lever",
  "app/ops/partitions/[key]/actions.ts resume": "lever",
  "app/ops/partitions/[key]/actions.ts limit": "lever",
  "app/ops/partitions/[key]/actions.ts relieve": "lever",
  "app/ops/partitions/[key]/actions.ts weigh": "lever",
  "app/ops/redrives/actions.ts preview": "lever",
  "app/ops/redrives/actions.ts start": "lever",
  "app/ops/redrives/actions.ts pause": "lever",
  "app/ops/redrives/actions.ts resume": "lever",
  "app/ops/redrives/actions.ts stop": "lever",
  // handlers
  "app/api/alive/route.ts GET": "public",
  "app/api/health/route.ts GET": "public",
  "app/api/v1/openapi.json/route.ts GET": "public",
  "app/api/auth/[...all]/route.ts GET": "public",
  "app/api/auth/[...all]/route.ts POST": "public",
  "app/api/answers/[token]/route.ts POST": "link",
  "app/api/unsubscribe/[token]/route.ts GET": "link",
  "app/api/unsubscribe/[token]/route.ts POST": "link",
  "app/api/devices/route.ts POST": "session",
  "app/(signed-in)/settings/account/data/route.ts GET": "session",
  "app/api/metrics/route.ts GET": "metrics",
  "app/api/inngest/route.ts GET": "engine",
  "app/api/inngest/route.ts POST": "engine",
  "app/api/inngest/route.ts PUT": "engine",
  "app/api/webhooks/resend/route.ts POST": "signature",
  "app/api/webhooks/twilio/route.ts POST": "signature",
  "app/api/v1/notices/route.ts POST": "key:notices",
  "app/api/v1/reminders/route.ts GET": "key:reminders",
  "app/api/v1/reminders/route.ts POST": "key:reminders",
  "app/api/v1/reminders/[id]/route.ts GET": "key:reminders",
  "app/api/v1/reminders/[id]/route.ts PATCH": "key:reminders",
  "app/api/v1/reminders/[id]/route.ts DELETE": "key:reminders",
  "app/api/v1/reminders/[id]/snooze/route.ts POST": "key:reminders",
  "app/api/v1/reminders/[id]/deliveries/route.ts GET": "key:reminders",
  "app/api/v1/shipments/events/route.ts POST": "key:shipments",
  "app/api/v1/shipments/[id]/route.ts GET": "key:shipments",
  "app/api/v1/shipments/[id]/followers/[subscriber]/route.ts PUT": "key:shipments",
  "app/api/v1/shipments/[id]/followers/[subscriber]/route.ts DELETE": "key:shipments",
  "app/api/v1/subscribers/[externalId]/route.ts GET": "key:subscribers",
  "app/api/v1/subscribers/[externalId]/route.ts PUT": "key:subscribers",
  "app/api/v1/subscribers/[externalId]/route.ts DELETE": "key:privacy",
  "app/api/v1/subscribers/[externalId]/export/route.ts GET": "key:privacy",
};
