import { ExternalLink, PackageSearch } from "lucide-react";
import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { cache } from "react";
import { CHANNELS } from "../../../../db/rules/api-schemas";
import type { Language } from "../../../../db/rules/languages";
import type { Channel } from "../../../../db/rules/outcome";
import { DEFAULT_MILESTONES, MILESTONES } from "../../../../db/rules/shipment-status";
import { dayInWords, tellShipment, tellUnannounced } from "../../../../db/rules/shipment-words";
import { fill, type Words } from "../../../../db/rules/speech";
import { tellDelivery } from "../../../../db/rules/words";
import {
  readFollowing,
  readShipment,
  type ShipmentView,
  type UpdateView,
} from "../../../../db/shipments/read";
import { readShopper, type Shopper } from "../../../../db/shoppers";
import { requireShopper } from "../../../_auth/session";
import { GiveWords } from "../../../_language/give-words";
import { pageLanguage } from "../../../_language/language";
import { pathSegment } from "../../../_shell/path-segment";
import { FollowForm } from "../../../_shipments/follow-form";
import { isShipmentId } from "../../../_shipments/shipment-id";
import { Card, EmptyState, PageHeading } from "../../../_ui/page-parts";
import { PhraseText } from "../../../_ui/phrase";
import { StatusMark } from "../../../_ui/status-mark";
import { When } from "../../../_ui/when";
import { changeFollowing } from "./actions";

const readParcel = cache((id: string) => (isShipmentId(id) ? readShipment({ id }) : Promise.resolve(null)));

export async function generateMetadata({ params }: PageProps<"/shipments/[id]">): Promise<Metadata> {
  const parcel = await readParcel((await params).id);
  return { title: titleOf(parcel, (await pageLanguage()).words.shipment) };
}

function titleOf(parcel: ShipmentView | null, words: Words["shipment"]): string {
  return parcel?.order == null ? words.parcel : fill(words.order, { order: parcel.order });
}

/** A parcel that somebody has the link of: what the carrier said, what they were sent of it, and how they follow it. */
export default async function ShipmentPage({ params }: PageProps<"/shipments/[id]">) {
  const { id } = await params;
  const { subscriberId } = await requireShopper(`/shipments/${pathSegment(id)}`);
  const parcel = await readParcel(id);
  const [language, shopper] = await Promise.all([pageLanguage(), readShopper(subscriberId)]);
  if (parcel === null || shopper === null) notFound();
  const { follower, updates } = await readFollowing(parcel.id, subscriberId);
  const { tag, words } = language;
  const { tone, status } = tellShipment(parcel.status, language);
  const reachable = reachableChannels(shopper);
  return (
    <div className="mx-auto max-w-2xl space-y-6">
      <PageHeading title={titleOf(parcel, words.shipment)}>
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <StatusMark tone={tone}>{status}</StatusMark>
          <bdi className="break-all text-ink-soft">
            {[parcel.carrier, parcel.trackingNumber].filter((part) => part !== null).join(" · ")}
          </bdi>
        </p>
        {parcel.expectedOn !== null && (
          <p>{fill(words.shipment.expected, { day: dayInWords(parcel.expectedOn, tag) })}</p>
        )}
        {parcel.url !== null && (
          <a
            href={parcel.url}
            target="_blank"
            rel="noreferrer noopener"
            className="inline-flex items-center gap-1.5 font-medium text-accent-ink underline underline-offset-2"
          >
            {words.shipment.track}
            <ExternalLink aria-hidden className="size-4 shrink-0" />
            <span className="sr-only">{words.frame.newTab}</span>
          </a>
        )}
      </PageHeading>
      <Card className="space-y-4">
        <h2 className="text-lg font-semibold">{words.shipment.happened}</h2>
        <History parcel={parcel} updates={updates} shopper={shopper} language={language} />
      </Card>
      <Card className="space-y-4">
        <h2 className="text-lg font-semibold">{words.shipment.follow}</h2>
        <GiveWords tag={tag} words={{ shipment: words.shipment }}>
          <FollowForm
            action={changeFollowing.bind(null, parcel.id)}
            following={follower !== null}
            channels={reachable.map((channel) => ({
              channel,
              name: words.story.channel[channel],
              off: shopper.off.shipments.includes(channel),
            }))}
            milestones={MILESTONES}
            chosen={
              follower ?? {
                channels: usual(reachable, shopper),
                milestones: DEFAULT_MILESTONES,
                policy: "latest",
              }
            }
          />
        </GiveWords>
      </Card>
    </div>
  );
}

function reachableChannels(shopper: Shopper): Channel[] {
  return CHANNELS.filter((channel) =>
    shopper.destinations.some((one) => one.channel === channel && one.verified && one.state === "active"),
  );
}

/** The first way that is not turned off: what one tap chooses. */
function usual(reachable: readonly Channel[], { off }: Shopper): Channel[] {
  return reachable.filter((channel) => !off.shipments.includes(channel)).slice(0, 1);
}

/** Every scan, and under those that were announced what this person was sent of them, and when. */
function History({
  parcel,
  updates,
  shopper,
  language,
}: {
  parcel: ShipmentView;
  updates: UpdateView[];
  shopper: Shopper;
  language: Language;
}) {
  const { shipment } = language.words;
  const { timeZone, nowMs } = shopper;
  if (parcel.history.length === 0) {
    return (
      <EmptyState
        icon={<PackageSearch aria-hidden className="size-6" />}
        title={shipment.noNews}
        action={null}
      >
        {shipment.noNewsText}
      </EmptyState>
    );
  }
  return (
    <ol className="divide-y divide-line">
      {parcel.history.map((scan) => (
        <li key={scan.id} className="space-y-2 py-4 first:pt-0 last:pb-0">
          <div className="flex flex-wrap items-baseline justify-between gap-x-4">
            <h3 className="font-medium">{tellShipment(scan.status, language).status}</h3>
            <When atMs={Date.parse(scan.occurredAt)} timeZone={timeZone} nowMs={nowMs} tag={language.tag} />
          </div>
          <p dir="auto" className="align-parent break-words text-ink-soft empty:hidden">
            {[scan.location, scan.detail, tellUnannounced(scan.outcome, language)]
              .filter((part) => part !== null)
              .join(" · ")}
          </p>
          <Sent
            updates={updates.filter((update) => update.version === scan.version)}
            shopper={shopper}
            language={language}
          />
        </li>
      ))}
    </ol>
  );
}

interface SentProps {
  updates: UpdateView[];
  shopper: Shopper;
  language: Language;
}

function Sent({ updates, shopper, language }: SentProps) {
  const { story } = language.words;
  if (updates.length === 0) return null;
  return (
    <ul className="space-y-1 border-s-2 border-line ps-3 text-[0.9375rem]">
      {updates.map((update) => {
        const line = tellDelivery({ ...update, expectedAtMs: null }, language);
        const name = story.channel[update.channel];
        return (
          <li key={update.key} className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <span className="font-medium">
              {update.device === null ? name : fill(story.onDevice, { channel: name, device: update.device })}
            </span>
            <StatusMark tone={line.tone}>{line.status}</StatusMark>
            <span className="text-ink-soft">
              <PhraseText
                phrase={line.sentence}
                timeZone={shopper.timeZone}
                nowMs={shopper.nowMs}
                tag={language.tag}
              />
            </span>
          </li>
        );
      })}
    </ul>
  );
}
