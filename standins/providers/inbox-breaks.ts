import type { ProviderName } from "./answer";
import { type Markup, markup } from "./markup";
import type { Settings } from "./settings";

/** One way to break a provider by a press of a button. */
export type BreakButton = {
  name: string;
  label: string;
  /** What a person should see afterwards, in a client that keeps its promises. */
  expect: string;
  change: Partial<Settings>;
};

/** Long enough to watch, short enough to wait for. */
const THROTTLE_SECONDS = 15;
/** More than one call, so that the second try meets it as well. */
const THROTTLED_CALLS = 2;

const COLLECTED = {
  resend: "A receipt settles it, or the email is repeated under the same key; the inbox shows it once.",
  twilio:
    "SMS has no idempotency key: it is not sent again blindly. A receipt settles it, or it stands as “outcome unknown” for a person.",
  push: "The push is sent again and replaces the first on the device; it counts as a duplicate here.",
} as const;

const throttle: BreakButton = {
  name: "throttle",
  label: "Throttle",
  expect: `The next ${THROTTLED_CALLS} calls get 429 and are each told to wait ${THROTTLE_SECONDS} s. Expect “provider busy” in the story, no call before that time, then one message. Other channels go on.`,
  change: {
    fault: "throttle",
    faultCount: THROTTLED_CALLS,
    retryAfter: "seconds",
    retryAfterSeconds: THROTTLE_SECONDS,
  },
};

const reset: BreakButton = {
  name: "reset",
  label: "Reset",
  expect:
    "The next 2 calls lose their connection before anything is accepted. Expect a few seconds of waiting, or caution where nobody can know that nothing was accepted.",
  change: { fault: "reset", faultWhen: "before", faultCount: 2 },
};

const quota: BreakButton = {
  name: "quota",
  label: "Quota",
  expect:
    "The day’s quota is used up until you restore the defaults. Expect the channel to be parked with one careful try each half hour, operators told once, nothing lost.",
  change: { dailyQuota: 0 },
};

function hang(provider: ProviderName): BreakButton {
  const expect = `The next call is accepted and never answered. ${COLLECTED[provider]}`;
  return {
    name: "hang",
    label: "Hang",
    expect,
    change: { fault: "hang", faultWhen: "after", faultCount: 1 },
  };
}

const GONE: Record<ProviderName, BreakButton> = {
  resend: {
    name: "gone",
    label: "Reject",
    expect: "The next email is refused for good. Expect “could not be sent” with the reason; no second try.",
    change: { fault: "error:validation_error", faultCount: 1 },
  },
  twilio: {
    name: "gone",
    label: "Gone",
    expect:
      "The next number is said to have answered STOP (21610). Expect the story to say so and the number not to be used again.",
    change: { fault: "error:21610", faultCount: 1 },
  },
  push: {
    name: "gone",
    label: "Gone",
    expect:
      "The next device is said to be gone (410). Expect it to disappear from the settings; other devices and channels go on.",
    change: { fault: "gone", faultCount: 1 },
  },
};

/** The buttons of a provider, in order of harm. A push service has no quota. */
export function breakButtons(provider: ProviderName): BreakButton[] {
  const buttons = [throttle, hang(provider), reset, GONE[provider]];
  return provider === "push" ? buttons : [...buttons, quota];
}

/** The panel: a button that breaks something, beside what to expect then. Plain forms, so it works without scripts. */
export function breakPanel(provider: ProviderName): Markup {
  const rows = breakButtons(provider).map(({ name, label, expect }) => {
    const id = `${provider}-${name}-expect`;
    return markup`<li><button name="break" value="${name}" aria-describedby="${id}">${label}</button><p id="${id}">${expect}</p></li>`;
  });
  return markup`<form method="post" action="/control-form/${provider}">
<h4>Break it</h4>
<ul class="breaks">${rows}
<li><button class="first" name="restore" value="1" aria-describedby="${provider}-restore-expect">Restore</button><p id="${provider}-restore-expect">Back to the defaults. What waits goes on by itself at its next try; a parked channel goes on at once when an operator resumes it.</p></li></ul>
</form>`;
}
