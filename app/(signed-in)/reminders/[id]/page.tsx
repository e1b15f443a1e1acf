import { ExternalLink, Pencil, RotateCw } from "lucide-react";
import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { cache } from "react";
import { readDeliveries, readReminder } from "../../../../db/reminders/read";
import type { ReminderView } from "../../../../db/reminders/views";
import { tomorrowMorning } from "../../../../db/rules/presets";
import { formatWhen } from "../../../../db/rules/time-zone";
import { readShopper } from "../../../../db/shoppers";
import { currentShopper, requireShopper } from "../../../_auth/session";
import { CancelDialog } from "../../../_reminders/cancel-dialog";
import { LiveUpdates } from "../../../_reminders/live-updates";
import { SnoozeMenu, type SnoozeOffer } from "../../../_reminders/snooze-menu";
import { nextLookMs, storyOf } from "../../../_reminders/story";
import { StoryList } from "../../../_reminders/story-list";
import { relativeTime, shortTime } from "../../../_time/format";
import { ButtonLink } from "../../../_ui/button";
import { BackLink, Card, PageHeading } from "../../../_ui/page-parts";
import { When } from "../../../_ui/when";
import { cancel, snooze } from "./actions";
import { Done } from "./done";

const MINUTE_MS = 60_000;

const readOwn = cache((subscriberId: string, id: string) =>
  readReminder({ kind: "subscriber", subscriberId }, id),
);

export async function generateMetadata({ params }: PageProps<"/reminders/[id]">): Promise<Metadata> {
  const shopper = await currentShopper();
  const reminder = shopper === null ? null : await readOwn(shopper.subscriberId, (await params).id);
  return { title: reminder?.ok ? reminder.value.title : "Reminder" };
}

/** One reminder and its story: what became of it on each channel, and what can still be done. */
export default async function ReminderPage({ params, searchParams }: PageProps<"/reminders/[id]">) {
  const { id } = await params;
  const { subscriberId } = await requireShopper(`/reminders/${encodeURIComponent(id)}`);
  const [reminder, deliveries, shopper] = await Promise.all([
    readOwn(subscriberId, id),
    readDeliveries({ kind: "subscriber", subscriberId }, id),
    readShopper(subscriberId),
  ]);
  if (!reminder.ok || !deliveries.ok || shopper === null) notFound();
  const view = reminder.value;
  const { nowMs } = shopper;
  const story = storyOf(view, deliveries.value, nowMs);
  const dueAtMs = Date.parse(view.dueAt);
  return (
    <div className="mx-auto max-w-2xl space-y-6">
      <BackLink href="/reminders">Reminders</BackLink>
      <Done query={await searchParams} />
      <PageHeading title={<span dir="auto">{view.title}</span>}>
        <p className="text-lg">
          <When atMs={dueAtMs} timeZone={view.timeZone} nowMs={nowMs} style="full" />
          {view.status === "active" && (
            <span className="text-ink-soft"> · {relativeTime(dueAtMs, nowMs)}</span>
          )}
        </p>
      </PageHeading>
      <Actions view={view} live={story.live} nowMs={nowMs} />
      <Card className="space-y-5">
        <div className="flex flex-wrap items-center justify-between gap-2">
          <h2 className="text-lg font-semibold">Delivery</h2>
          {story.live && <LiveUpdates lookAgainMs={nextLookMs(story, nowMs)} readAtMs={nowMs} />}
        </div>
        <p role="status" className="sr-only">
          {story.now.map((entry) => `${entry.name}: ${entry.line.status}.`).join(" ")}
        </p>
        <StoryList entries={story.now} timeZone={view.timeZone} nowMs={nowMs} />
      </Card>
      <Content view={view} />
      {story.earlier.length > 0 && (
        <Card className="space-y-5">
          <h2 className="text-lg font-semibold">Earlier</h2>
          <StoryList entries={story.earlier} timeZone={view.timeZone} nowMs={nowMs} />
        </Card>
      )}
      <p className="text-sm text-ink-soft">
        Set {formatWhen(Date.parse(view.createdAt), view.timeZone, "en")}
        {view.version > 1 && `, changed ${view.version === 2 ? "once" : `${view.version - 1} times`}`}.
      </p>
    </div>
  );
}

function Content({ view }: { view: ReminderView }) {
  if (view.note === null && view.url === null) return null;
  return (
    <Card className="space-y-3">
      <h2 className="text-lg font-semibold">What it says</h2>
      {view.note !== null && (
        <p dir="auto" className="break-words whitespace-pre-line">
          {view.note}
        </p>
      )}
      {view.url !== null && (
        <a
          href={view.url}
          target="_blank"
          rel="noreferrer noopener"
          className="inline-flex max-w-full items-center gap-1.5 font-medium break-all text-accent-ink underline underline-offset-2"
        >
          {view.url}
          <ExternalLink aria-hidden className="size-4 shrink-0" />
          <span className="sr-only">(opens in a new tab)</span>
        </a>
      )}
    </Card>
  );
}

function Actions({ view, live, nowMs }: { view: ReminderView; live: boolean; nowMs: number }) {
  if (view.status === "cancelled") {
    return (
      <ButtonLink href={`/reminders/new?from=${view.id}`} kind="secondary">
        <RotateCw aria-hidden className="size-4" />
        Set it again
      </ButtonLink>
    );
  }
  return (
    <div className="flex flex-wrap gap-3">
      <ButtonLink href={`/reminders/${view.id}/edit`} kind="secondary">
        <Pencil aria-hidden className="size-4" />
        Edit
      </ButtonLink>
      <SnoozeMenu
        action={snooze.bind(null, view.id)}
        offers={snoozeOffers(view, nowMs)}
        zone={view.timeZone}
      />
      {live && <CancelDialog reminderId={view.id} title={view.title} action={cancel.bind(null, view.id)} />}
    </div>
  );
}

function snoozeOffers({ timeZone }: ReminderView, nowMs: number): SnoozeOffer[] {
  const inMinutes = (minutes: number) => shortTime(nowMs + minutes * MINUTE_MS, timeZone, nowMs).slice(-5);
  const morning = tomorrowMorning(nowMs, timeZone);
  return [
    { value: "10", name: "10 minutes", at: `about ${inMinutes(10)}` },
    { value: "60", name: "1 hour", at: `about ${inMinutes(60)}` },
    { value: morning, name: "Tomorrow morning", at: morning.slice(-5) },
  ];
}
