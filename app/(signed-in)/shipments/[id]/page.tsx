import { ExternalLink, PackageSearch } from "lucide-react";
import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { cache } from "react";
import { CHANNELS } from "../../../../db/rules/api-schemas";
import { DEFAULT_MILESTONES, MILESTONES } from "../../../../db/rules/shipment-status";
import { dayInWords, SHIPMENT_WORDS, tellUnannounced } from "../../../../db/rules/shipment-words";
import { CHANNEL_NAME, tellDelivery } from "../../../../db/rules/words";
import {
  readFollowing,
  readShipment,
  type ShipmentView,
  type UpdateView,
} from "../../../../db/shipments/read";
import { readShopper, type Shopper } from "../../../../db/shoppers";
import { requireShopper } from "../../../_auth/session";
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
  return { title: parcel?.order == null ? "Parcel" : `Order ${parcel.order}` };
}

/** A parcel that somebody has the link of: what the carrier said, what they were sent of it, and how they follow it. */
export default async function ShipmentPage({ params }: PageProps<"/shipments/[id]">) {
  const { id } = await params;
  const { subscriberId } = await requireShopper(`/shipments/${encodeURIComponent(id)}`);
  const parcel = await readParcel(id);
  const shopper = await readShopper(subscriberId);
  if (parcel === null || shopper === null) notFound();
  const { follower, updates } = await readFollowing(parcel.id, subscriberId);
  const { tone, status } = SHIPMENT_WORDS[parcel.status];
  return (
    <div className="mx-auto max-w-2xl space-y-6">
      <PageHeading
        title={<span dir="auto">{parcel.order === null ? "Parcel" : `Order ${parcel.order}`}</span>}
      >
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <StatusMark tone={tone}>{status}</StatusMark>
          <span className="break-all text-ink-soft">
            {[parcel.carrier, parcel.trackingNumber].filter((part) => part !== null).join(" · ")}
          </span>
        </p>
        {parcel.expectedOn !== null && <p>Expected on {dayInWords(parcel.expectedOn, "en-GB")}</p>}
        {parcel.url !== null && (
          <a
            href={parcel.url}
            target="_blank"
            rel="noreferrer noopener"
            className="inline-flex items-center gap-1.5 font-medium text-accent-ink underline underline-offset-2"
          >
            Track it at the carrier
            <ExternalLink aria-hidden className="size-4 shrink-0" />
            <span className="sr-only">(opens in a new tab)</span>
          </a>
        )}
      </PageHeading>
      <Card className="space-y-4">
        <h2 className="text-lg font-semibold">What happened</h2>
        <History parcel={parcel} updates={updates} shopper={shopper} />
      </Card>
      <Card className="space-y-4">
        <h2 className="text-lg font-semibold">Follow this parcel</h2>
        <FollowForm
          action={changeFollowing.bind(null, parcel.id)}
          following={follower !== null}
          channels={reachableChannels(shopper)}
          milestones={MILESTONES}
          chosen={
            follower ?? {
              channels: reachableChannels(shopper).slice(0, 1),
              milestones: DEFAULT_MILESTONES,
              policy: "latest",
            }
          }
        />
      </Card>
    </div>
  );
}

function reachableChannels(shopper: Shopper) {
  return CHANNELS.filter((channel) =>
    shopper.destinations.some((one) => one.channel === channel && one.verified && one.state === "active"),
  );
}

/** Every scan, and under those that were announced what this person was sent of them, and when. */
function History({
  parcel,
  updates,
  shopper,
}: {
  parcel: ShipmentView;
  updates: UpdateView[];
  shopper: Shopper;
}) {
  const { timeZone, nowMs } = shopper;
  if (parcel.history.length === 0) {
    return (
      <EmptyState icon={<PackageSearch aria-hidden className="size-6" />} title="No news yet" action={null}>
        What the carrier says about this parcel will appear here.
      </EmptyState>
    );
  }
  return (
    <ol className="divide-y divide-line">
      {parcel.history.map((scan) => (
        <li key={scan.id} className="space-y-2 py-4 first:pt-0 last:pb-0">
          <div className="flex flex-wrap items-baseline justify-between gap-x-4">
            <h3 className="font-medium">{SHIPMENT_WORDS[scan.status].status}</h3>
            <When atMs={Date.parse(scan.occurredAt)} timeZone={timeZone} nowMs={nowMs} />
          </div>
          <p dir="auto" className="break-words text-ink-soft empty:hidden">
            {[scan.location, scan.detail, tellUnannounced(scan.outcome)]
              .filter((part) => part !== null)
              .join(" · ")}
          </p>
          <Sent updates={updates.filter((update) => update.version === scan.version)} shopper={shopper} />
        </li>
      ))}
    </ol>
  );
}

function Sent({ updates, shopper }: { updates: UpdateView[]; shopper: Shopper }) {
  if (updates.length === 0) return null;
  return (
    <ul className="space-y-1 border-l-2 border-line pl-3 text-[0.9375rem]">
      {updates.map((update) => {
        const line = tellDelivery({ ...update, expectedAtMs: null });
        const name = CHANNEL_NAME[update.channel];
        return (
          <li key={update.key} className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <span className="font-medium">
              {update.device === null ? name : `${name} to ${update.device}`}
            </span>
            <StatusMark tone={line.tone}>{line.status}</StatusMark>
            <span className="text-ink-soft">
              <PhraseText phrase={line.sentence} timeZone={shopper.timeZone} nowMs={shopper.nowMs} />
            </span>
          </li>
        );
      })}
    </ul>
  );
}
