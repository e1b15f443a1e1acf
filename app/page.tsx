import { BellRing, CircleCheck, Clock, Mail, MessageSquareText } from "lucide-react";
import { redirect } from "next/navigation";
import type { Language } from "../db/rules/languages";
import { fill } from "../db/rules/speech";
import { currentShopper } from "./_auth/session";
import { pageLanguage } from "./_language/language";
import { clockTime, shortTime } from "./_time/format";
import { ButtonLink } from "./_ui/button";
import { Logo } from "./_ui/logo";
import { StatusMark } from "./_ui/status-mark";

const PROMISES = [
  { icon: Clock, title: "minute", text: "minuteText" },
  { icon: CircleCheck, title: "once", text: "onceText" },
  { icon: BellRing, title: "story", text: "storyText" },
] as const;

/** What this is, for somebody who is not signed in; everybody else goes to their reminders. */
export default async function HomePage() {
  if ((await currentShopper()) !== null) redirect("/reminders");
  const language = await pageLanguage();
  const { home } = language.words;
  return (
    <>
      <header className="mx-auto flex w-full max-w-5xl items-center justify-between px-5 py-5 sm:px-8">
        <Logo />
        <ButtonLink href="/sign-in" kind="plain">
          {home.signIn}
        </ButtonLink>
      </header>
      <main id="main" className="mx-auto w-full max-w-5xl grow px-5 pb-20 sm:px-8">
        <div className="grid items-center gap-12 py-10 sm:py-16 lg:grid-cols-[1.1fr_1fr]">
          <div className="space-y-6">
            <h1 className="text-4xl font-semibold sm:text-5xl">{home.heading}</h1>
            <p className="max-w-md text-lg text-ink-soft">{home.text}</p>
            <div className="flex flex-wrap gap-3">
              <ButtonLink href="/sign-in">{home.begin}</ButtonLink>
            </div>
            <p className="text-sm text-ink-soft">{home.noPassword}</p>
          </div>
          <SampleStory language={language} />
        </div>
        <ul className="grid gap-x-10 gap-y-8 border-t border-line pt-10 sm:grid-cols-3">
          {PROMISES.map(({ icon: Icon, title, text }) => (
            <li key={title} className="space-y-2">
              <Icon aria-hidden className="size-6 text-accent-ink" />
              <h2 className="font-semibold">{home[title]}</h2>
              <p className="text-[0.9375rem] text-ink-soft">{home[text]}</p>
            </li>
          ))}
        </ul>
      </main>
    </>
  );
}

/** Christmas Eve at nine, in Berlin. */
const SAMPLE_MS = Date.parse("2026-12-24T08:00:00Z");
const BUSY_MS = 2 * 60_000;

/** A reminder's story as it looks when one of the services was busy. */
function SampleStory({ language }: { language: Language }) {
  const { home, story } = language.words;
  const clock = (atMs: number) => ({ time: clockTime(atMs, "Europe/Berlin", language.tag) });
  const rows = [
    {
      icon: BellRing,
      name: story.channel.push,
      status: story.sent.status,
      tone: "good" as const,
      text: fill(home.exampleSent, clock(SAMPLE_MS)),
    },
    {
      icon: Mail,
      name: story.channel.email,
      status: story.sent.status,
      tone: "good" as const,
      text: fill(home.exampleTried, clock(SAMPLE_MS)),
    },
    {
      icon: MessageSquareText,
      name: story.channel.sms,
      status: story.waits.throttled.status,
      tone: "waiting" as const,
      text: fill(home.exampleBusy, clock(SAMPLE_MS + BUSY_MS)),
    },
  ];
  return (
    <figure className="rounded-2xl border border-line bg-surface p-6 shadow-card">
      <figcaption className="mb-5">
        <p className="text-sm text-ink-soft">{home.example}</p>
        <p className="text-lg font-semibold">{home.exampleTitle}</p>
        <p className="text-[0.9375rem] text-ink-soft">
          {shortTime(SAMPLE_MS, "Europe/Berlin", SAMPLE_MS, language.tag)} {home.exampleCity}
        </p>
      </figcaption>
      <ul className="divide-y divide-line">
        {rows.map(({ icon: Icon, name, status, tone, text }) => (
          <li key={name} className="flex gap-3 py-3">
            <Icon aria-hidden className="mt-0.5 size-5 shrink-0 text-ink-soft" />
            <div className="min-w-0 grow">
              <div className="flex flex-wrap items-center justify-between gap-2">
                <span className="font-medium">{name}</span>
                <StatusMark tone={tone}>{status}</StatusMark>
              </div>
              <p className="text-sm text-ink-soft">{text}</p>
            </div>
          </li>
        ))}
      </ul>
    </figure>
  );
}
