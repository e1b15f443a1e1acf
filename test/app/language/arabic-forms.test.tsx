import { AppRouterContext } from "next/dist/shared/lib/app-router-context.shared-runtime";
import type { ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { GiveWords } from "../../../app/_language/give-words";
import { ComposerWords } from "../../../app/_reminders/composer-words";
import { emptyFields } from "../../../app/_reminders/form-fields";
import { ReminderForm } from "../../../app/_reminders/reminder-form";
import { fieldsOfRepeat } from "../../../app/_reminders/repeat-input";
import { SnoozeMenu } from "../../../app/_reminders/snooze-menu";
import { FollowForm } from "../../../app/_shipments/follow-form";
import { AddPhoneForm, ConfirmPhoneForm } from "../../../app/(signed-in)/settings/channels/phone-forms";
import { TestDevice } from "../../../app/(signed-in)/settings/channels/test-device";
import { PauseForm } from "../../../app/(signed-in)/settings/pause-form";
import { SettingsForm } from "../../../app/(signed-in)/settings/settings-form";
import { CodeForm } from "../../../app/sign-in/code/code-form";
import { SignInForm } from "../../../app/sign-in/sign-in-form";
import { languageOf } from "../../../db/rules/languages";
import { MILESTONES } from "../../../db/rules/shipment-status";

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
  return [text, ...labels].join(" ").replace(/Punctual|tomorrow 9am|https:\/\/|Europe\/Berlin, GMT[+]1/g, "");
}

const action = async () => ({ values: {}, errors: {}, message: null, answer: 1 });

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
  [
    "following a parcel",
    () => (
      <FollowForm
        action={action}
        following
        channels={[{ channel: "email", name: "البريد" }]}
        milestones={MILESTONES}
        chosen={{ channels: ["email"], milestones: MILESTONES, policy: "latest" }}
      />
    ),
    { shipment: ARABIC.words.shipment },
  ],
];

test.each(FORMS)("the form of %s is wholly in Arabic", (_name, form, words) => {
  const text = read(drawn(form(), words));
  expect(text).toMatch(/[\u0600-\u06ff]{3}/);
  expect(text.match(/[A-Za-z]{2,}/g) ?? []).toEqual([]);
});
