import { z } from "zod";
import { config } from "../../../db/config";
import { parseBody, pushSubscriptionBody } from "../../../db/rules/api-schemas";
import { invalid, type Problem, type Result, toProblemJson } from "../../../db/rules/errors";
import { closedObject } from "../../../db/rules/parse-body";
import { pushHost } from "../../../db/rules/push-endpoint";
import { isStorable } from "../../../db/rules/text";
import { registerDevice } from "../../../db/shoppers";
import { actingShopper } from "../../_auth/session";
import { deviceName } from "../../_devices/device-name";
import { answered } from "../../_shell/answered";
import { readText } from "../v1/body";
import { parseJson } from "../v1/http";

/** A subscription is about 500 characters; twenty times that is no subscription. */
const BODY_BYTES_MAX = 10_000;

const deviceBody = closedObject({
  subscription: pushSubscriptionBody,
  /** The endpoint that this one takes the place of, when the browser has changed it by itself. */
  replaces: z
    .string({ error: "an endpoint, or null" })
    .max(2000)
    .refine(isStorable, { error: "an endpoint, or null" })
    .nullish(),
});

/**
 * Registers the browser that asks as a device of whoever is signed in there. A route and no action, because the service
 * worker calls it too, when the browser changes its subscription without a page being open.
 */
export function POST(request: Request): Promise<Response> {
  return answered("devices", () => register(request));
}

async function register(request: Request): Promise<Response> {
  const shopper = await actingShopper();
  if (shopper === null) return problem({ code: "unauthorised", why: "Sign in first." });
  if (!isOurOwn(request)) return problem({ code: "forbidden", why: "This is for our own pages only." });
  const body = await readJson(request);
  const parsed = body.ok ? parseBody(deviceBody, body.value) : body;
  if (!parsed.ok) return problem(parsed.problem);
  const { subscription, replaces } = parsed.value;
  const settings = config().webPush;
  if (settings === null) return problem({ code: "conflict", why: "Push is not set up here." });
  if (pushHost(subscription.endpoint, settings.extraHosts) === null) {
    const refused = invalid(
      "subscription.endpoint",
      "(not shown)",
      "an address at a push service that browsers use",
    );
    return problem(refused.problem);
  }
  const added = await registerDevice(shopper.subscriberId, {
    endpoint: subscription.endpoint,
    keys: subscription.keys,
    label: deviceName(request.headers.get("user-agent") ?? ""),
    replaces: replaces ?? null,
  });
  return added.ok ? Response.json(added.value, { status: 201 }) : problem(added.problem);
}

/** A browser names the site that a request comes from; only ours may add devices in somebody's name. */
function isOurOwn(request: Request): boolean {
  const origin = request.headers.get("origin");
  const host = request.headers.get("x-forwarded-host") ?? request.headers.get("host");
  return origin !== null && URL.canParse(origin) && new URL(origin).host === host;
}

async function readJson(request: Request): Promise<Result<unknown>> {
  const text = await readText(request, BODY_BYTES_MAX);
  return text.ok ? parseJson(text.value) : text;
}

function problem(value: Problem): Response {
  const json = toProblemJson(value);
  return Response.json(json, {
    status: json.status,
    headers: { "content-type": "application/problem+json" },
  });
}
