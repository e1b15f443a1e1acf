import { Check, ExternalLink, Pause, Pencil, Play, Repeat, RotateCw, Undo2 } from "lucide-react";
import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { cache } from "react";
import { readDeliveries, readReminder } from "../../../../db/reminders/read";
import type { ReminderView } from "../../../../db/reminders/views";
import { resolveWallTime, wallTimeAt } from "../../../../db/rules/due-time";
import type { Language } from "../../../../db/rules/languages";
import { tomorrowMorning } from "../../../../db/rules/presets";
import { seriesAfter } from "../../../../db/rules/recurrence";
import { tellRecurrence } from "../../../../db/rules/recurrence-words";
import { channelList } from "../../../../db/rules/reminder-words";
import { shortenGraphemes } from "../../../../db/rules/shorten";
import { counted, fill, type Words } from "../../../../db/rules/speech";
import { formatWhen } from "../../../../db/rules/time-zone";
import { readShopper } from "../../../../db/shoppers";
import { currentShopper, requireShopper } from "../../../_auth/session";
import { GiveWords } from "../../../_language/give-words";
import { pageLanguage } from "../../../_language/language";
import { CancelDialog } from "../../../_reminders/cancel-dialog";
import { LiveUpdates } from "../../../_reminders/live-updates";
import { Opened } from "../../../_reminders/opened";
import { SnoozeMenu, type SnoozeOffer } from "../../../_reminders/snooze-menu";
import { nextLookMs, storyOf } from "../../../_reminders/story";
import { StoryList } from "../../../_reminders/story-list";
import { pathSegment } from "../../../_shell/path-segment";
import { clockTime, relativeTime, shortTime } from "../../../_time/format";
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
  return { title: reminder?.ok ? reminder.value.title : (await pageLanguage()).words.reminder.title };
}

/** One reminder and its story: what became of it on each channel, and what can still be done. */
export default async function ReminderPage({ params, searchParams }: PageProps<"/reminders/[id]">) {
  const { id } = await params;
  const { subscriberId } = await requireShopper(`/reminders/${pathSegment(id)}`);
  const [language, reminder, deliveries, shopper] = await Promise.all([
    pageLanguage(),
    readOwn(subscriberId, id),
    readDeliveries({ kind: "subscriber", subscriberId }, id),
    readShopper(subscriberId),
  ]);
  if (!reminder.ok || !deliveries.ok || shopper === null) notFound();
  const view = reminder.value;
  const { nowMs } = shopper;
  const { tag, words } = language;
  const story = storyOf(view, deliveries.value, nowMs, language);
  const dueAtMs = Date.parse(view.dueAt);
  return (
    <GiveWords tag={tag} words={{ reminder: words.reminder, snooze: words.snooze }}>
      <div className="mx-auto max-w-2xl space-y-6">
        <BackLink href="/reminders">{words.frame.reminders}</BackLink>
        <Done
          query={await searchParams}
          undo={<Undo view={view} words={words.reminder} />}
          language={language}
        />
        <PageHeading title={<span dir="auto">{view.title}</span>}>
          <p className="text-lg">
            <When atMs={dueAtMs} timeZone={view.timeZone} nowMs={nowMs} tag={tag} style="full" />
            {view.status === "active" && (
              <span className="text-ink-soft"> · {relativeTime(dueAtMs, nowMs, tag)}</span>
            )}
          </p>
          <Facts view={view} dueAtMs={dueAtMs} nowMs={nowMs} language={language} />
        </PageHeading>
        {view.nextChannelAfterMinutes !== null && story.live && <Opened tell={opened.bind(null, id)} />}
        <Actions view={view} live={story.live} nowMs={nowMs} language={language} />
        <Card className="space-y-5">
          <div className="flex flex-wrap items-center justify-between gap-2">
            <h2 className="text-lg font-semibold">{words.reminder.delivery}</h2>
            {story.live && <LiveUpdates lookAgainMs={nextLookMs(story, nowMs)} readAtMs={nowMs} />}
          </div>
          <p role="status" className="sr-only">
            {story.now.map((entry) => `${entry.name}: ${entry.line.status}.`).join(" ")}
          </p>
          <StoryList entries={story.now} timeZone={view.timeZone} nowMs={nowMs} language={language} />
        </Card>
        <Content view={view} words={words} />
        {story.earlier.length > 0 && (
          <Card className="space-y-5">
            <h2 className="text-lg font-semibold">{words.reminder.earlier}</h2>
            <StoryList entries={story.earlier} timeZone={view.timeZone} nowMs={nowMs} language={language} />
          </Card>
        )}
        <p className="text-sm text-ink-soft">{wasSet(view, language)}</p>
      </div>
    </GiveWords>
  );
}

function wasSet({ createdAt, timeZone, version }: ReminderView, { tag, words }: Language): string {
  const values = { when: formatWhen(Date.parse(createdAt), timeZone, tag) };
  return version > 1
    ? counted(words.reminder.setAndChanged, version - 1, tag, values)
    : fill(words.reminder.set, values);
}

function Content({ view, words }: { view: ReminderView; words: Words }) {
  if (view.note === null && view.url === null) return null;
  return (
    <Card className="space-y-3">
      <h2 className="text-lg font-semibold">{words.reminder.content}</h2>
      {view.note !== null && (
        <p dir="auto" className="align-parent break-words whitespace-pre-line">
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
          <bdi dir="ltr">{view.url}</bdi>
          <ExternalLink aria-hidden className="size-4 shrink-0" />
          <span className="sr-only">{words.frame.newTab}</span>
        </a>
      )}
    </Card>
  );
}

/** How it repeats and which way it goes, as far as there is anything to say. */
interface FactsProps {
  view: ReminderView;
  dueAtMs: number;
  nowMs: number;
  language: Language;
}

function Facts({ view, dueAtMs, nowMs, language }: FactsProps) {
  const { tag, words } = language;
  const { repeat, timeZone, nextChannelAfterMinutes: step } = view;
  const later = repeat === null || view.status !== "active" ? [] : laterTimes(view, dueAtMs);
  return (
    <ul className="space-y-0.5 text-ink-soft empty:hidden">
      {repeat !== null && (
        <li>
          <span className="flex items-center gap-1.5">
            <Repeat aria-hidden className="size-4" />
            {tellRecurrence(repeat, language)}
          </span>
          {later.length > 0 && (
            <span className="block">
              {fill(words.reminder.then, {
                times: later.map((atMs) => shortTime(atMs, timeZone, nowMs, tag)).join(words.frame.comma),
              })}
            </span>
          )}
        </li>
      )}
      {view.floating && <li>{words.reminder.floating}</li>}
      {view.throughQuietHours && <li>{words.reminder.throughQuiet}</li>}
      {step !== null && (
        <li>
          {counted(words.reminder.steps, step, tag, { channels: channelList(view.channels, language) })}
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

function Undo({ view, words }: { view: ReminderView; words: Words["reminder"] }) {
  if (view.status !== "cancelled") return null;
  return (
    <form action={change.bind(null, view.id, "restore")} className="pt-1">
      <SubmitButton kind="secondary" icon={<Undo2 aria-hidden className="size-4" />}>
        {fill(words.undo, { title: shortenGraphemes(view.title, 40) })}
      </SubmitButton>
    </form>
  );
}

interface ActionsProps {
  view: ReminderView;
  live: boolean;
  nowMs: number;
  language: Language;
}

function Actions({ view, live, nowMs, language }: ActionsProps) {
  const { reminder } = language.words;
  const { id, status } = view;
  if (status === "cancelled") {
    return (
      <ButtonLink href={`/reminders/new?from=${id}`} kind="secondary">
        <RotateCw aria-hidden className="size-4" />
        {reminder.setAgain}
      </ButtonLink>
    );
  }
  if (status === "paused") {
    return (
      <div className="flex flex-wrap gap-3">
        <form action={change.bind(null, id, "resume")}>
          <SubmitButton icon={<Play aria-hidden className="size-4" />}>{reminder.resume}</SubmitButton>
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
            {reminder.done}
          </SubmitButton>
        </form>
      )}
      <SnoozeMenu
        action={snooze.bind(null, id)}
        offers={snoozeOffers(view, nowMs, language)}
        zone={view.timeZone}
      />
      <ButtonLink href={`/reminders/${id}/edit`} kind="secondary">
        <Pencil aria-hidden className="size-4" />
        {reminder.edit}
      </ButtonLink>
      {status === "active" && view.repeat !== null && live && (
        <form action={change.bind(null, id, "pause")}>
          <SubmitButton kind="secondary" icon={<Pause aria-hidden className="size-4" />}>
            {reminder.pause}
          </SubmitButton>
        </form>
      )}
      {live && <CancelDialog reminderId={id} title={view.title} action={cancel.bind(null, id)} />}
    </div>
  );
}

function snoozeOffers({ timeZone }: ReminderView, nowMs: number, { tag, words }: Language): SnoozeOffer[] {
  const { about, hour, minutes, tomorrow } = words.snooze;
  const inMinutes = (count: number) => {
    return fill(about, { time: clockTime(nowMs + count * MINUTE_MS, timeZone, tag) });
  };
  const morning = tomorrowMorning(nowMs, timeZone);
  const { dueAtMs } = resolveWallTime(morning, timeZone);
  return [
    { value: "10", name: counted(minutes, 10, tag), at: inMinutes(10) },
    { value: "60", name: hour, at: inMinutes(60) },
    { value: morning, name: tomorrow, at: clockTime(dueAtMs, timeZone, tag) },
  ];
}
