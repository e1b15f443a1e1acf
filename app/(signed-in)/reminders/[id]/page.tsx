import { Check, ExternalLink, Pause, Pencil, Play, Repeat, RotateCw, Undo2 } from "lucide-react";
import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { cache } from "react";
import { readDeliveries, readReminder } from "../../../../db/reminders/read";
import type { ReminderView } from "../../../../db/reminders/views";
import { resolveWallTime, wallTimeAt } from "../../../../db/rules/due-time";
import { tomorrowMorning } from "../../../../db/rules/presets";
import { seriesAfter } from "../../../../db/rules/recurrence";
import { tellRecurrence } from "../../../../db/rules/recurrence-words";
import { channelList } from "../../../../db/rules/reminder-words";
import { shortenGraphemes } from "../../../../db/rules/shorten";
import { formatWhen } from "../../../../db/rules/time-zone";
import { readShopper } from "../../../../db/shoppers";
import { currentShopper, requireShopper } from "../../../_auth/session";
import { CancelDialog } from "../../../_reminders/cancel-dialog";
import { LiveUpdates } from "../../../_reminders/live-updates";
import { Opened } from "../../../_reminders/opened";
import { SnoozeMenu, type SnoozeOffer } from "../../../_reminders/snooze-menu";
import { nextLookMs, storyOf } from "../../../_reminders/story";
import { StoryList } from "../../../_reminders/story-list";
import { relativeTime, shortTime } from "../../../_time/format";
import { ButtonLink } from "../../../_ui/button";
import { BackLink, Card, PageHeading } from "../../../_ui/page-parts";
import { SubmitButton } from "../../../_ui/submit-button";
import { When } from "../../../_ui/when";
import { cancel, change, opened, snooze } from "./actions";
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
      <Done query={await searchParams} undo={<Undo view={view} />} />
      <PageHeading title={<span dir="auto">{view.title}</span>}>
        <p className="text-lg">
          <When atMs={dueAtMs} timeZone={view.timeZone} nowMs={nowMs} style="full" />
          {view.status === "active" && (
            <span className="text-ink-soft"> · {relativeTime(dueAtMs, nowMs)}</span>
          )}
        </p>
        <Facts view={view} dueAtMs={dueAtMs} nowMs={nowMs} />
      </PageHeading>
      {view.nextChannelAfterMinutes !== null && story.live && <Opened tell={opened.bind(null, id)} />}
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

/** How it repeats and which way it goes, as far as there is anything to say. */
function Facts({ view, dueAtMs, nowMs }: { view: ReminderView; dueAtMs: number; nowMs: number }) {
  const { repeat, timeZone, nextChannelAfterMinutes: step } = view;
  const later = repeat === null || view.status !== "active" ? [] : laterTimes(view, dueAtMs);
  return (
    <ul className="space-y-0.5 text-ink-soft empty:hidden">
      {repeat !== null && (
        <li>
          <span className="flex items-center gap-1.5">
            <Repeat aria-hidden className="size-4" />
            {tellRecurrence(repeat)}
          </span>
          {later.length > 0 && (
            <span className="block">
              Then {later.map((atMs) => shortTime(atMs, timeZone, nowMs)).join(", ")}
            </span>
          )}
        </li>
      )}
      {view.floating && <li>Wherever you are: it follows your time zone.</li>}
      {view.throughQuietHours && <li>Comes in quiet hours too.</li>}
      {step !== null && (
        <li>
          {channelList(view.channels)}, one after the other: the next{" "}
          {step === 1 ? "a minute" : `${step} minutes`} later if you have not opened it.
        </li>
      )}
    </ul>
  );
}

/** The two after the next, so that three are seen in all. */
function laterTimes({ repeat, timeZone }: ReminderView, dueAtMs: number): number[] {
  const start = wallTimeAt(dueAtMs, timeZone).slice(0, 19);
  const recurrence = (repeat ?? "").replace(/;COUNT=\d+/, "");
  const walls = seriesAfter({ recurrence, start, after: start, limit: 2 });
  return walls.map((wall) => resolveWallTime(wall, timeZone).dueAtMs);
}

function Undo({ view }: { view: ReminderView }) {
  if (view.status !== "cancelled") return null;
  return (
    <form action={change.bind(null, view.id, "restore")} className="pt-1">
      <SubmitButton kind="secondary" icon={<Undo2 aria-hidden className="size-4" />}>
        Undo: keep “{shortenGraphemes(view.title, 40)}”
      </SubmitButton>
    </form>
  );
}

function Actions({ view, live, nowMs }: { view: ReminderView; live: boolean; nowMs: number }) {
  const { id, status } = view;
  if (status === "cancelled") {
    return (
      <ButtonLink href={`/reminders/new?from=${id}`} kind="secondary">
        <RotateCw aria-hidden className="size-4" />
        Set it again
      </ButtonLink>
    );
  }
  if (status === "paused") {
    return (
      <div className="flex flex-wrap gap-3">
        <form action={change.bind(null, id, "resume")}>
          <SubmitButton icon={<Play aria-hidden className="size-4" />}>Resume reminder</SubmitButton>
        </form>
        <CancelDialog reminderId={id} title={view.title} action={cancel.bind(null, id)} />
      </div>
    );
  }
  const came = view.occurrence.number > 1 || Date.parse(view.dueAt) <= nowMs;
  return (
    <div className="flex flex-wrap gap-3">
      {status === "active" && (live || came) && (
        <form action={change.bind(null, id, "done")}>
          <SubmitButton kind="secondary" icon={<Check aria-hidden className="size-4" />}>
            Done
          </SubmitButton>
        </form>
      )}
      <SnoozeMenu action={snooze.bind(null, id)} offers={snoozeOffers(view, nowMs)} zone={view.timeZone} />
      <ButtonLink href={`/reminders/${id}/edit`} kind="secondary">
        <Pencil aria-hidden className="size-4" />
        Edit
      </ButtonLink>
      {status === "active" && view.repeat !== null && live && (
        <form action={change.bind(null, id, "pause")}>
          <SubmitButton kind="secondary" icon={<Pause aria-hidden className="size-4" />}>
            Pause
          </SubmitButton>
        </form>
      )}
      {live && <CancelDialog reminderId={id} title={view.title} action={cancel.bind(null, id)} />}
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
