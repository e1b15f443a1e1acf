import { BellRing, CircleCheck, Clock, Mail, MessageSquareText } from "lucide-react";
import { redirect } from "next/navigation";
import { currentShopper } from "./_auth/session";
import { ButtonLink } from "./_ui/button";
import { Logo } from "./_ui/logo";
import { StatusMark } from "./_ui/status-mark";

const PROMISES = [
  {
    icon: Clock,
    title: "At the minute you chose",
    text: "Your wall clock counts, in your time zone, also when the clocks change in between.",
  },
  {
    icon: CircleCheck,
    title: "Once, not three times",
    text: "Each channel gets one message. When a service is busy we wait for it and do not send twice.",
  },
  {
    icon: BellRing,
    title: "You see what became of it",
    text: "Every reminder keeps its story: sent, waiting and until when, or not delivered and why.",
  },
];

/** What this is, for somebody who is not signed in; everybody else goes to their reminders. */
export default async function HomePage() {
  if ((await currentShopper()) !== null) redirect("/reminders");
  return (
    <>
      <header className="mx-auto flex w-full max-w-5xl items-center justify-between px-5 py-5 sm:px-8">
        <Logo />
        <ButtonLink href="/sign-in" kind="plain">
          Sign in
        </ButtonLink>
      </header>
      <main id="main" className="mx-auto w-full max-w-5xl grow px-5 pb-20 sm:px-8">
        <div className="grid items-center gap-12 py-10 sm:py-16 lg:grid-cols-[1.1fr_1fr]">
          <div className="space-y-6">
            <h1 className="text-4xl font-semibold sm:text-5xl">Reminders that arrive, on time and once.</h1>
            <p className="max-w-md text-lg text-ink-soft">
              By push, email and SMS. Say what and when; we take care of busy services, quiet hours and time
              zones.
            </p>
            <div className="flex flex-wrap gap-3">
              <ButtonLink href="/sign-in">Get started</ButtonLink>
            </div>
            <p className="text-sm text-ink-soft">No password: we send a code to your email address.</p>
          </div>
          <SampleStory />
        </div>
        <ul className="grid gap-x-10 gap-y-8 border-t border-line pt-10 sm:grid-cols-3">
          {PROMISES.map(({ icon: Icon, title, text }) => (
            <li key={title} className="space-y-2">
              <Icon aria-hidden className="size-6 text-accent-ink" />
              <h2 className="font-semibold">{title}</h2>
              <p className="text-[0.9375rem] text-ink-soft">{text}</p>
            </li>
          ))}
        </ul>
      </main>
    </>
  );
}

/** A reminder's story as it looks when one of the services was busy. */
function SampleStory() {
  const rows = [
    { icon: BellRing, name: "Push", status: "Sent", tone: "good" as const, text: "At 09:00." },
    {
      icon: Mail,
      name: "Email",
      status: "Sent",
      tone: "good" as const,
      text: "At 09:00, 2 tries, one “busy” answer.",
    },
    {
      icon: MessageSquareText,
      name: "SMS",
      status: "Sending later",
      tone: "waiting" as const,
      text: "The service is busy. Expected about 09:02.",
    },
  ];
  return (
    <figure className="rounded-2xl border border-line bg-surface p-6 shadow-card">
      <figcaption className="mb-5">
        <p className="text-sm text-ink-soft">An example</p>
        <p className="text-lg font-semibold">Collect the parcel</p>
        <p className="text-[0.9375rem] text-ink-soft">Thu 24 Dec, 09:00 Berlin</p>
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
