import { MonitorSmartphone, Phone, Trash2 } from "lucide-react";
import type { Metadata } from "next";
import type { ReactNode } from "react";
import { config } from "../../../../db/config";
import type { Channel } from "../../../../db/rules/outcome";
import { CHANNEL_NAME, type Tone } from "../../../../db/rules/words";
import { readShopper, type Shopper } from "../../../../db/shoppers";
import type { DestinationView } from "../../../../db/subscribers";
import { requireShopper } from "../../../_auth/session";
import { PushDevice } from "../../../_devices/push-device";
import { ChannelIcon } from "../../../_ui/channel-icon";
import { Notice } from "../../../_ui/notice";
import { Card, PageHeading } from "../../../_ui/page-parts";
import { StatusMark } from "../../../_ui/status-mark";
import { SubmitButton } from "../../../_ui/submit-button";
import { removeDestination, wantChannel } from "./actions";
import { Describe, SmsHours } from "./choices";
import { AddPhoneForm, ConfirmPhoneForm } from "./phone-forms";
import { TestDevice } from "./test-device";

export const metadata: Metadata = { title: "Channels" };

/** Where reminders reach a person: the address, the number, the devices, each with what it still needs. */
export default async function ChannelsPage() {
  const { subscriberId } = await requireShopper("/settings/channels");
  const shopper = await readShopper(subscriberId);
  if (shopper === null) throw new Error("Bug! somebody is signed in who does not exist");
  const of = (channel: Channel) => shopper.destinations.filter((one) => one.channel === channel);
  return (
    <div className="mx-auto max-w-2xl space-y-6">
      <PageHeading title="Channels">
        <p className="text-ink-soft">Where your reminders reach you. Each needs to be confirmed once.</p>
      </PageHeading>
      <ChannelCard channel="email" shopper={shopper}>
        <ul className="space-y-3">
          {of("email").map((email) => (
            <li key={email.id} className="flex flex-wrap items-center justify-between gap-3">
              <span className="font-medium break-all">{email.address}</span>
              <DestinationMark destination={email} />
              <Describe destination={email} />
            </li>
          ))}
        </ul>
        <p className="text-sm text-ink-soft">You sign in with this address.</p>
      </ChannelCard>
      <ChannelCard channel="sms" shopper={shopper}>
        <Numbers numbers={of("sms")} />
        {of("sms").some((number) => number.verified) && <SmsHours hours={shopper.smsHours} />}
      </ChannelCard>
      <ChannelCard channel="push" shopper={shopper}>
        <Devices devices={of("push")} />
      </ChannelCard>
    </div>
  );
}

function ChannelCard({
  channel,
  shopper,
  children,
}: {
  channel: Channel;
  shopper: Shopper;
  children: ReactNode;
}) {
  const off = shopper.off.includes(channel);
  const name = CHANNEL_NAME[channel];
  const used = shopper.destinations.some((one) => one.channel === channel);
  return (
    <section aria-labelledby={`channel-${channel}`}>
      <Card className="space-y-5">
        <div className="flex flex-wrap items-center justify-between gap-3">
          <h2 id={`channel-${channel}`} className="flex items-center gap-2.5 text-lg font-semibold">
            <ChannelIcon channel={channel} className="size-5 text-ink-soft" />
            {name}
          </h2>
          {(used || off) && (
            <form action={wantChannel.bind(null, channel, off)}>
              <SubmitButton kind="plain" className="-mr-4 text-ink-soft!">
                {off ? `Turn ${name} on for reminders` : `Turn ${name} off`}
              </SubmitButton>
            </form>
          )}
        </div>
        {off && (
          <Notice kind="attention">Off: no reminder is sent by {name}, also none that names it.</Notice>
        )}
        {children}
      </Card>
    </section>
  );
}

function DestinationMark({ destination }: { destination: DestinationView }) {
  const { tone, words } = markOf(destination);
  return <StatusMark tone={tone}>{words}</StatusMark>;
}

function markOf({ state, verified }: DestinationView): { tone: Tone; words: string } {
  if (state === "suppressed") return { tone: "bad", words: "Stopped" };
  return verified ? { tone: "good", words: "Confirmed" } : { tone: "waiting", words: "Not confirmed" };
}

function Numbers({ numbers }: { numbers: readonly DestinationView[] }) {
  const pending = numbers.find((number) => !number.verified && number.state === "active");
  const stopped = numbers.some((number) => number.state === "suppressed");
  return (
    <>
      {numbers.length > 0 && (
        <ul className="divide-y divide-line">
          {numbers.map((number) => (
            <li key={number.id} className="flex flex-wrap items-center gap-x-4 gap-y-2 py-2 first:pt-0">
              <Phone aria-hidden className="size-4 text-ink-soft" />
              <span className="grow font-medium tabular-nums">{number.address}</span>
              <DestinationMark destination={number} />
              <RemoveButton destination={number} name={number.address} />
              <Describe destination={number} />
            </li>
          ))}
        </ul>
      )}
      {stopped && (
        <Notice kind="attention">
          This number replied STOP, or could not be reached. Text START to the sender to get messages again.
        </Notice>
      )}
      {pending === undefined ? (
        <AddPhoneForm another={numbers.length > 0} />
      ) : (
        <ConfirmPhoneForm destinationId={pending.id} phone={pending.address} />
      )}
    </>
  );
}

function Devices({ devices }: { devices: readonly DestinationView[] }) {
  const push = config().webPush;
  return (
    <>
      {devices.length > 0 && (
        <ul className="divide-y divide-line">
          {devices.map((device) => (
            <li key={device.id} className="flex flex-wrap items-center gap-x-4 gap-y-2 py-2 first:pt-0">
              <MonitorSmartphone aria-hidden className="size-4 text-ink-soft" />
              <span className="min-w-0 grow">
                <span className="block font-medium">{device.label ?? "A browser"}</span>
                <span className="block text-sm break-all text-ink-soft">{device.address}</span>
              </span>
              {device.state === "suppressed" && <DestinationMark destination={device} />}
              <RemoveButton destination={device} name={device.label ?? "this browser"} />
              <div className="w-full space-y-2 sm:pl-8">
                <TestDevice deviceId={device.id} name={device.label ?? "this browser"} />
                <Describe destination={device} named />
              </div>
            </li>
          ))}
        </ul>
      )}
      {push === null ? (
        <Notice kind="info">Notifications are not set up on this installation.</Notice>
      ) : (
        <PushDevice publicKey={push.publicKey} deviceIds={devices.map((device) => device.id)} />
      )}
    </>
  );
}

function RemoveButton({ destination, name }: { destination: DestinationView; name: string }) {
  return (
    <form action={removeDestination.bind(null, destination.id)} className="-mr-3 ml-auto">
      <SubmitButton kind="plain" className="px-3! text-bad!" icon={<Trash2 aria-hidden className="size-4" />}>
        Remove<span className="sr-only"> {name}</span>
      </SubmitButton>
    </form>
  );
}
