import { NonRetriableError, RetryAfterError } from "inngest";
import { readEngineConcurrency } from "../../db/config";
import { effects } from "../../db/effects";
import { deliveryAdmittedV1 } from "../../db/rules/event-catalog";
import { inngest } from "../client";
import { deliverParcel } from "../deliver";

/** Engine attempts of one parcel. Rows outlive their run, so this bounds only how long one run follows a throttle. */
const RETRIES = 8;

/** The belt: above everything admission can have out at once, so that it never binds; the meter is the braces. */
const STARTS_PER_SECOND = 1_000;

/** An admission runs out after 30 s; a parcel that has not started by twice that is dropped, its rows are elsewhere. */
const START_TIMEOUT = "60s";

/** Urgent parcels are looked at this many seconds sooner than bulk ones when the engine has a queue. */
const PRIORITY = "event.data.lane == 'urgent' ? 120 : event.data.lane == 'standard' ? 60 : 0";

/**
 * One delivery function per channel, so that a throttled channel never stands in front of another (P2). One step per
 * parcel: reserve, wait, begin, call, settle (`deliverParcel`). A 429 is written to the ledger first; then the run throws
 * `RetryAfterError` with the instant and wakes for the rows it keeps. Otherwise it ends well whatever became of its
 * deliveries, and its output says what.
 *
 * The limit keys are registered expressions: changing one releases the engine's whole backlog at once, so a test pins
 * them. Limits may change: an engine's plan says what `ENGINE_CONCURRENCY` may be at most.
 */
function deliverFunction(channel: "email" | "sms" | "push") {
  return inngest.createFunction(
    {
      id: `deliver-${channel}`,
      triggers: [{ event: "delivery/admitted", if: `event.data.channel == '${channel}'` }],
      retries: RETRIES,
      concurrency: [{ limit: readEngineConcurrency(process.env), key: "event.data.partition" }],
      throttle: { limit: STARTS_PER_SECOND, period: "1s", key: "event.data.partition" },
      priority: { run: PRIORITY },
      timeouts: { start: START_TIMEOUT },
    },
    async ({ event, step, runId, attempt, maxAttempts }) => {
      const parsed = deliveryAdmittedV1.safeParse(event.data);
      if (!parsed.success) throw new NonRetriableError(`delivery/admitted: ${parsed.error.message}`);
      const { data } = parsed;
      return step.run("send-parcel", async () => {
        const outcome = await deliverParcel({
          data,
          runId,
          attempt,
          maxAttempts: maxAttempts ?? RETRIES + 1,
        });
        if (outcome.wakeInMs === null) return outcome;
        // A Date: a number would be truncated to whole seconds and could fire a second early.
        throw new RetryAfterError(
          `${data.partition} is throttled`,
          new Date(effects.wallMs() + Math.ceil(outcome.wakeInMs)),
        );
      });
    },
  );
}

export const deliverEmail = deliverFunction("email");
export const deliverSms = deliverFunction("sms");
export const deliverPush = deliverFunction("push");
