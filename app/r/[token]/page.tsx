import { AlarmClock, Check, CircleX } from "lucide-react";
import type { Metadata } from "next";
import { cache } from "react";
import type { ReminderStatus } from "../../../db/reminders/views";
import { languageOf } from "../../../db/rules/languages";
import { formatWhen } from "../../../db/rules/time-zone";
import { type LinkPageWords, messageWords, textDirection } from "../../../inngest/messages/words";
import { GiveWords } from "../../_language/give-words";
import { linkLanguage } from "../../_language/language";
import { linkedParcel, linkedReminder, readChannel } from "../../_reminders/linked";
import { TextLink } from "../../_ui/button";
import { Logo } from "../../_ui/logo";
import { Notice } from "../../_ui/notice";
import { Card } from "../../_ui/page-parts";
import { SubmitButton } from "../../_ui/submit-button";
import { act } from "./actions";
import { ParcelLink } from "./parcel-link";

export async function generateMetadata({ params }: PageProps<"/r/[token]">): Promise<Metadata> {
  const { token } = await params;
  const linked = (await readLinked(token)) ?? (await readParcel(token));
  const words = messageWords(await linkLanguage(linked?.locale ?? null)).page;
  return {
    title: linked !== null && "parcel" in linked ? words.parcel.title : words.title,
    robots: { index: false, follow: false },
  };
}

/** Once for title and page. */
const readLinked = cache(linkedReminder);
const readParcel = cache(linkedParcel);

/** What a message's link opens: one reminder and what can be done about it, without signing in. Reading changes nothing. */
export default async function LinkPage({ params, searchParams }: PageProps<"/r/[token]">) {
  const [{ token }, query] = await Promise.all([params, searchParams]);
  const linked = await readLinked(token);
  const followed = linked === null ? await readParcel(token) : null;
  const locale = await linkLanguage((linked ?? followed)?.locale ?? null);
  const words = messageWords(locale).page;
  const channel = words.channelNames[readChannel(query.stop ?? query.channel)];
  const frame = { ...languageOf(locale).words.frame, inProgress: words.inProgress };
  return (
    <main
      id="main"
      lang={locale}
      dir={textDirection(locale)}
      className="mx-auto flex w-full max-w-lg grow flex-col gap-6 px-4 py-8 sm:py-14"
    >
      <Logo />
      <GiveWords tag={locale} words={{ frame }}>
        {followed !== null ? (
          <ParcelLink
            token={token}
            parcel={followed.parcel}
            locale={locale}
            said={query.said}
            stop={readChannel(query.stop ?? query.channel)}
          />
        ) : linked === null ? (
          <Card className="space-y-2">
            <h1 className="text-xl font-semibold">{words.unknownTitle}</h1>
            <p className="text-ink-soft">{words.unknown}</p>
          </Card>
        ) : (
          <>
            {typeof query.said === "string" && <Said said={query.said} words={words} channel={channel} />}
            {typeof query.stop === "string" ? (
              <Stop token={token} stop={readChannel(query.stop)} words={words} channel={channel} />
            ) : null}
            <Card className="space-y-5">
              <div className="space-y-1">
                <p className="text-sm text-ink-soft">{words.title}</p>
                <h1 dir="auto" className="align-parent text-2xl font-semibold break-words">
                  {linked.reminder.title}
                </h1>
                <p className="text-ink-soft">
                  {words.due}:{" "}
                  <time dateTime={linked.reminder.dueAt}>
                    {formatWhen(Date.parse(linked.reminder.dueAt), linked.reminder.timeZone, locale)}
                  </time>
                </p>
              </div>
              {isOver(linked.reminder.status) ? null : <Buttons token={token} words={words} />}
            </Card>
            <TextLink href={`/reminders/${linked.reminder.id}`} prefetch={false} className="self-start">
              {words.signIn}
            </TextLink>
          </>
        )}
      </GiveWords>
    </main>
  );
}

function isOver(status: ReminderStatus): boolean {
  return status === "cancelled" || status === "done";
}

function Said({ said, words, channel }: { said: string; words: LinkPageWords; channel: string }) {
  switch (said) {
    case "done":
      return <Notice kind="good">{words.said.done}</Notice>;
    case "snooze":
    case "tomorrow":
      return <Notice kind="good">{words.said.snoozed}</Notice>;
    case "cancel":
      return <Notice kind="good">{words.said.cancelled}</Notice>;
    case "stop":
      return <Notice kind="good">{words.said.stopped(channel)}</Notice>;
    default:
      return <Notice kind="attention">{words.said.late}</Notice>;
  }
}

interface PartProps {
  token: string;
  words: LinkPageWords;
}

function Stop({ token, words, stop, channel }: PartProps & { stop: string; channel: string }) {
  return (
    <Card className="space-y-4">
      <h2 className="text-xl font-semibold">{words.stopHeading(channel)}</h2>
      <p className="text-ink-soft">{words.stopExplanation(channel)}</p>
      <form action={act.bind(null, token, "stop", stop)}>
        <SubmitButton kind="danger">{words.stopButton(channel)}</SubmitButton>
      </form>
    </Card>
  );
}

function Buttons({ token, words }: PartProps) {
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <form action={act.bind(null, token, "done", undefined)}>
        <SubmitButton className="w-full" icon={<Check aria-hidden className="size-4" />}>
          {words.doneButton}
        </SubmitButton>
      </form>
      <form action={act.bind(null, token, "snooze", undefined)}>
        <SubmitButton
          kind="secondary"
          className="w-full"
          icon={<AlarmClock aria-hidden className="size-4" />}
        >
          {words.snoozeHour}
        </SubmitButton>
      </form>
      <form action={act.bind(null, token, "tomorrow", undefined)}>
        <SubmitButton
          kind="secondary"
          className="w-full"
          icon={<AlarmClock aria-hidden className="size-4" />}
        >
          {words.snoozeTomorrow}
        </SubmitButton>
      </form>
      <form action={act.bind(null, token, "cancel", undefined)}>
        <SubmitButton kind="danger" className="w-full" icon={<CircleX aria-hidden className="size-4" />}>
          {words.cancelButton}
        </SubmitButton>
      </form>
    </div>
  );
}
