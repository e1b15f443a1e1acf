import { MonitorSmartphone, Phone, Trash2 } from "lucide-react";
import type { Metadata } from "next";
import type { ReactNode } from "react";
import { config } from "../../../../db/config";
import type { Language } from "../../../../db/rules/languages";
import type { Channel } from "../../../../db/rules/outcome";
import { fill, type Words } from "../../../../db/rules/speech";
import type { Tone } from "../../../../db/rules/words";
import { readShopper, type Shopper, TOPICS, type Topic } from "../../../../db/shoppers";
import type { DestinationView } from "../../../../db/subscribers";
import { requireShopper } from "../../../_auth/session";
import { PushDevice } from "../../../_devices/push-device";
import { GiveWords } from "../../../_language/give-words";
import { pageLanguage } from "../../../_language/language";
import { ChannelIcon } from "../../../_ui/channel-icon";
import { Notice } from "../../../_ui/notice";
import { Card, PageHeading } from "../../../_ui/page-parts";
import { StatusMark } from "../../../_ui/status-mark";
import { SubmitButton } from "../../../_ui/submit-button";
import { removeDestination, wantChannel } from "./actions";
import { Describe, SmsHours } from "./choices";
import { AddPhoneForm, ConfirmPhoneForm } from "./phone-forms";
import { TestDevice } from "./test-device";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await pageLanguage()).words.frame.channels };
}

/** Where reminders reach a person: the address, the number, the devices, each with what it still needs. */
export default async function ChannelsPage() {
  const { subscriberId } = await requireShopper("/settings/channels");
  const [language, shopper] = await Promise.all([pageLanguage(), readShopper(subscriberId)]);
  if (shopper === null) throw new Error("Bug! somebody is signed in who does not exist");
  const of = (channel: Channel) => shopper.destinations.filter((one) => one.channel === channel);
  const { tag, words } = language;
  return (
    <GiveWords tag={tag} words={{ devices: words.devices, phone: words.phone }}>
      <div className="mx-auto max-w-2xl space-y-6">
        <PageHeading title={words.frame.channels}>
          <p className="text-ink-soft">{words.channels.text}</p>
        </PageHeading>
        <ChannelCard channel="email" shopper={shopper} language={language}>
          <ul className="space-y-3">
            {of("email").map((email) => (
              <li key={email.id} className="flex flex-wrap items-center justify-between gap-3">
                <bdi className="font-medium break-all">{email.address}</bdi>
                <DestinationMark destination={email} words={words.channels} />
                <Describe destination={email} language={language} />
              </li>
            ))}
          </ul>
          <p className="text-sm text-ink-soft">{words.channels.signInAddress}</p>
        </ChannelCard>
        <ChannelCard channel="sms" shopper={shopper} language={language}>
          <Numbers numbers={of("sms")} language={language} />
          {of("sms").some((number) => number.verified) && (
            <SmsHours hours={shopper.smsHours} words={words.channels} />
          )}
        </ChannelCard>
        <ChannelCard channel="push" shopper={shopper} language={language}>
          <Devices devices={of("push")} language={language} />
        </ChannelCard>
      </div>
    </GiveWords>
  );
}

function ChannelCard({
  channel,
  shopper,
  language,
  children,
}: {
  channel: Channel;
  shopper: Shopper;
  language: Language;
  children: ReactNode;
}) {
  const { channels, story } = language.words;
  const name = story.channel[channel];
  const used = shopper.destinations.some((one) => one.channel === channel);
  const isOff = (topic: Topic) => shopper.off[topic].includes(channel);
  const topics = TOPICS.filter((topic) => used || isOff(topic));
  return (
    <section aria-labelledby={`channel-${channel}`}>
      <Card className="space-y-5">
        <h2 id={`channel-${channel}`} className="flex items-center gap-2.5 text-lg font-semibold">
          <ChannelIcon channel={channel} className="size-5 text-ink-soft" />
          {name}
        </h2>
        {children}
        {topics.length > 0 && (
          <ul aria-label={fill(channels.topics, { channel: name })} className="border-t border-line pt-3">
            {topics.map((topic) => (
              <li key={topic} className="space-y-2">
                <TopicSwitch topic={topic} channel={channel} off={isOff(topic)} language={language} />
              </li>
            ))}
          </ul>
        )}
      </Card>
    </section>
  );
}

interface TopicSwitchProps {
  topic: Topic;
  channel: Channel;
  off: boolean;
  language: Language;
}

/** Whether what a topic has to tell comes on this channel, in words, and the button that changes it. */
function TopicSwitch({ topic, channel, off, language }: TopicSwitchProps) {
  const { channels, story } = language.words;
  const name = story.channel[channel];
  const words = channels.topic[topic];
  return (
    <>
      <form
        action={wantChannel.bind(null, topic, channel, off)}
        className="flex flex-wrap items-center justify-between gap-x-3"
      >
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="font-medium">{words.name}</span>
          <StatusMark tone={off ? "quiet" : "good"}>{off ? channels.isOff : channels.isOn}</StatusMark>
        </span>
        <SubmitButton kind="plain" className="-me-4 text-ink-soft!">
          {off ? channels.turnOn : channels.turnOff}
          <span className="sr-only"> {fill(words.by, { channel: name })}</span>
        </SubmitButton>
      </form>
      {off && <Notice kind="attention">{fill(words.off, { channel: name })}</Notice>}
    </>
  );
}

type ChannelWords = Words["channels"];

function DestinationMark({ destination, words }: { destination: DestinationView; words: ChannelWords }) {
  const { tone, name } = markOf(destination);
  return <StatusMark tone={tone}>{words[name]}</StatusMark>;
}

function markOf({ state, verified }: DestinationView): {
  tone: Tone;
  name: "stopped" | "confirmed" | "notConfirmed";
} {
  if (state === "suppressed") return { tone: "bad", name: "stopped" };
  return verified ? { tone: "good", name: "confirmed" } : { tone: "waiting", name: "notConfirmed" };
}

function Numbers({ numbers, language }: { numbers: readonly DestinationView[]; language: Language }) {
  const { channels } = language.words;
  const pending = numbers.find((number) => !number.verified && number.state === "active");
  const stopped = numbers.some((number) => number.state === "suppressed");
  return (
    <>
      {numbers.length > 0 && (
        <ul className="divide-y divide-line">
          {numbers.map((number) => (
            <li key={number.id} className="flex flex-wrap items-center gap-x-4 gap-y-2 py-2 first:pt-0">
              <Phone aria-hidden className="size-4 text-ink-soft" />
              <span className="grow font-medium tabular-nums">
                <bdi dir="ltr">{number.address}</bdi>
              </span>
              <DestinationMark destination={number} words={channels} />
              <RemoveButton destination={number} name={number.address} words={channels} />
              <Describe destination={number} language={language} />
            </li>
          ))}
        </ul>
      )}
      {stopped && <Notice kind="attention">{channels.numberStopped}</Notice>}
      {pending === undefined ? (
        <AddPhoneForm another={numbers.length > 0} />
      ) : (
        <ConfirmPhoneForm destinationId={pending.id} phone={pending.address} />
      )}
    </>
  );
}

function Devices({ devices, language }: { devices: readonly DestinationView[]; language: Language }) {
  const { channels } = language.words;
  const push = config().webPush;
  return (
    <>
      {devices.length > 0 && (
        <ul className="divide-y divide-line">
          {devices.map((device) => (
            <li key={device.id} className="flex flex-wrap items-center gap-x-4 gap-y-2 py-2 first:pt-0">
              <MonitorSmartphone aria-hidden className="size-4 text-ink-soft" />
              <span className="min-w-0 grow">
                <span className="block font-medium">
                  <bdi>{device.label ?? channels.aBrowser}</bdi>
                </span>
                <span className="block text-sm break-all text-ink-soft">
                  <bdi dir="ltr">{device.address}</bdi>
                </span>
              </span>
              {device.state === "suppressed" && <DestinationMark destination={device} words={channels} />}
              <RemoveButton
                destination={device}
                name={device.label ?? channels.thisBrowser}
                words={channels}
              />
              <div className="w-full space-y-2 sm:ps-8">
                <TestDevice deviceId={device.id} name={device.label ?? channels.thisBrowser} />
                <Describe destination={device} language={language} named />
              </div>
            </li>
          ))}
        </ul>
      )}
      {push === null ? (
        <Notice kind="info">{channels.noPush}</Notice>
      ) : (
        <PushDevice publicKey={push.publicKey} deviceIds={devices.map((device) => device.id)} />
      )}
    </>
  );
}

interface RemoveProps {
  destination: DestinationView;
  name: string;
  words: ChannelWords;
}

function RemoveButton({ destination, name, words }: RemoveProps) {
  return (
    <form action={removeDestination.bind(null, destination.id)} className="-me-3 ms-auto">
      <SubmitButton kind="plain" className="px-3! text-bad!" icon={<Trash2 aria-hidden className="size-4" />}>
        {words.remove}
        <span className="sr-only"> {name}</span>
      </SubmitButton>
    </form>
  );
}
