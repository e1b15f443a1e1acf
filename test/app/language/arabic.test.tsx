import { AppRouterContext } from "next/dist/shared/lib/app-router-context.shared-runtime";
import type { ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { GiveWords } from "../../../app/_language/give-words";
import { ComposerWords } from "../../../app/_reminders/composer-words";
import { emptyFields } from "../../../app/_reminders/form-fields";
import { ReminderForm } from "../../../app/_reminders/reminder-form";
import { ReminderList } from "../../../app/_reminders/reminder-list";
import { fieldsOfRepeat } from "../../../app/_reminders/repeat-input";
import { SnoozeMenu } from "../../../app/_reminders/snooze-menu";
import type { StoryEntry } from "../../../app/_reminders/story";
import { StoryList } from "../../../app/_reminders/story-list";
import { FollowForm } from "../../../app/_shipments/follow-form";
import { ListFilters } from "../../../app/(signed-in)/reminders/(list)/list-filters";
import { Done } from "../../../app/(signed-in)/reminders/[id]/done";
import { SmsHours } from "../../../app/(signed-in)/settings/channels/choices";
import { AddPhoneForm, ConfirmPhoneForm } from "../../../app/(signed-in)/settings/channels/phone-forms";
import { TestDevice } from "../../../app/(signed-in)/settings/channels/test-device";
import { PauseForm } from "../../../app/(signed-in)/settings/pause-form";
import { SettingsForm } from "../../../app/(signed-in)/settings/settings-form";
import { CodeForm } from "../../../app/sign-in/code/code-form";
import { SignInForm } from "../../../app/sign-in/sign-in-form";
import type { ReminderOverview } from "../../../db/reminders/overview";
import { CHANNELS } from "../../../db/rules/api-schemas";
import { languageOf } from "../../../db/rules/languages";
import {
  DEAD_REASONS,
  DELIVERY_STATES,
  type DeliveryState,
  EXPIRED_REASONS,
  WAIT_CLASSES,
} from "../../../db/rules/lifecycle";
import { tellAttempt } from "../../../db/rules/occurrence-words";
import type { Channel } from "../../../db/rules/outcome";
import { MILESTONES } from "../../../db/rules/shipment-status";
import { tellDelivery } from "../../../db/rules/words";

const ARABIC = languageOf("ar");
const { frame, failure, zone } = ARABIC.words;
const NOW_MS = Date.parse("2026-11-30T11:00:00Z");
const ZONES = ["Europe/Berlin", "UTC"];

const router = {
  back() {},
  forward() {},
  refresh() {},
  hmrRefresh() {},
  push() {},
  replace() {},
  prefetch() {},
} as unknown as Parameters<typeof AppRouterContext.Provider>[0]["value"];

/** What a page of this language sends to the browser, with the words that its frame gives. */
function drawn(children: ReactNode, words: Partial<typeof ARABIC.words> = {}): string {
  return renderToStaticMarkup(
    <AppRouterContext.Provider value={router}>
      <GiveWords tag="ar" words={{ frame, failure, zone, ...words }}>
        {children}
      </GiveWords>
    </AppRouterContext.Provider>,
  );
}

/** The words that a person reads or hears, without what has a direction of its own. */
function read(html: string): string {
  const labels = [...html.matchAll(/(?:aria-label|placeholder|title)="([^"]*)"/g)].map(([, text]) => text);
  const text = html
    .replace(/<(bdi|select|script)\b.*?<\/\1>/gs, " ")
    .replace(/<[^>]*>/g, " ")
    .replace(/\u2068[^\u2069]*\u2069/g, " ");
  return [text, ...labels]
    .join(" ")
    .replace(/Punctual|tomorrow 9am|https:\/\/|\(?Europe\/Berlin, GMT[+]1\)?/g, "");
}

const action = async () => ({ values: {}, errors: {}, message: null, answer: 1 });

const VIEW = {
  state: "waiting",
  dueAt: new Date(NOW_MS + 3 * 86_400_000).toISOString(),
  timeZone: "Europe/Berlin",
};
const OVERVIEW = {
  ...VIEW,
  id: "r",
  title: "موعد",
  channels: ["email", "sms", "push"],
  repeat: "FREQ=WEEKLY;BYDAY=MO,FR;UNTIL=20271231",
  status: "active",
  occurrence: { id: "o", number: 1, state: "waiting", dueAt: VIEW.dueAt },
  counts: { live: 0, held: 0, delivered: 0, unknown: 0, dead: 0, unsent: 0, capped: 0, dropped: 0 },
} as unknown as ReminderOverview;

/** A story in which everything happens that can be told. */
function everything(): StoryEntry[] {
  const facts = {
    receipt: null,
    scheduledAtMs: NOW_MS,
    expiresAtMs: NOW_MS,
    attempts: 3,
    classes: ["throttled"],
  };
  const times = {
    expectedAtMs: null,
    nextEligibleAtMs: null,
    latestAttemptAtMs: NOW_MS + 100_000,
    finishedAtMs: NOW_MS,
  };
  const told = (channel: Channel, state: DeliveryState, reason: string | null, lastClass: string | null) =>
    tellDelivery({ ...facts, ...times, channel, state, reason, lastClass }, ARABIC);
  const lines = CHANNELS.flatMap((channel) => [
    ...DELIVERY_STATES.map((state) => told(channel, state, null, null)),
    ...WAIT_CLASSES.flatMap((name) => [
      told(channel, "scheduled", null, name),
      told(channel, "deferred", null, name),
    ]),
    ...DEAD_REASONS.map((reason) => told(channel, "dead", reason, null)),
    ...EXPIRED_REASONS.map((reason) => told(channel, "expired", reason, null)),
  ]);
  const calls = ["throttled", "accepted", "crashed", null].map((name) =>
    tellAttempt({ class: name, begunAtMs: NOW_MS, retryAfter: "5" }, ARABIC),
  );
  return lines.map((line, index) => ({
    key: String(index),
    channel: "email",
    name: ARABIC.words.story.channel.email,
    line,
    calls,
    expectedAtMs: null,
  }));
}

const FORMS: [name: string, form: () => ReactNode, words: Partial<typeof ARABIC.words>][] = [
  ["signing in", () => <SignInForm next="/reminders" />, { signIn: ARABIC.words.signIn }],
  ["the code", () => <CodeForm />, { signIn: ARABIC.words.signIn }],
  [
    "the composer",
    () => (
      <ComposerWords language={ARABIC}>
        <ReminderForm
          action={action}
          initial={{
            ...emptyFields("Europe/Berlin"),
            date: "2026-12-01",
            time: "23:00",
            repeat: fieldsOfRepeat("FREQ=WEEKLY;INTERVAL=3;BYDAY=MO;COUNT=3"),
          }}
          choices={[
            { channel: "email", name: "البريد", ready: true, detail: "a@b.example", remedy: null },
            { channel: "sms", name: "الرسائل", ready: true, detail: "+49 …", remedy: null },
          ]}
          zones={ZONES}
          quiet={{ start: "22:00", end: "08:00", timeZone: "Europe/Berlin" }}
          nowMs={NOW_MS}
          submit={ARABIC.words.composer.set}
          back="/reminders"
        />
      </ComposerWords>
    ),
    {},
  ],
  [
    "snoozing",
    () => <SnoozeMenu action={action} offers={[]} zone="Europe/Berlin" />,
    { snooze: ARABIC.words.snooze },
  ],
  [
    "settings",
    () => <SettingsForm locale="ar" timeZone="UTC" zones={ZONES} quietHours={null} />,
    { settings: ARABIC.words.settings },
  ],
  ["the pause", () => <PauseForm until={null} />, { settings: ARABIC.words.settings }],
  ["a number", () => <AddPhoneForm another={false} />, { phone: ARABIC.words.phone }],
  ["its code", () => <ConfirmPhoneForm destinationId="d" phone="+1" />, { phone: ARABIC.words.phone }],
  ["a device", () => <TestDevice deviceId="d" name="متصفح" />, { devices: ARABIC.words.devices }],
  ["a list", () => <ReminderList reminders={[OVERVIEW]} nowMs={NOW_MS} language={ARABIC} />, {}],
  ["a list's filters", () => <ListFilters search={{ list: "past", limit: 20 }} language={ARABIC} />, {}],
  [
    "every story",
    () => <StoryList entries={everything()} timeZone="Europe/Berlin" nowMs={NOW_MS} language={ARABIC} />,
    {},
  ],
  [
    "what a cancel came to",
    () => (
      <Done
        query={{ done: "cancelled", outcome: "email:too_late,push:already_sent" }}
        undo={null}
        language={ARABIC}
      />
    ),
    {},
  ],
  ["hours for text messages", () => <SmsHours hours={null} words={ARABIC.words.channels} />, {}],
  [
    "following a parcel",
    () => (
      <FollowForm
        action={action}
        following
        channels={[{ channel: "email", name: "البريد", off: true }]}
        milestones={MILESTONES}
        chosen={{ channels: ["email"], milestones: MILESTONES, policy: "latest" }}
      />
    ),
    { shipment: ARABIC.words.shipment },
  ],
];

test.each(FORMS)("%s: wholly in Arabic", (_name, form, words) => {
  const text = read(drawn(form(), words));
  expect(text).toMatch(/[\u0600-\u06ff]{3}/);
  expect(text.match(/[A-Za-z]{2,}/g) ?? []).toEqual([]);
});
