import type { Metadata } from "next";
import { pageLanguage } from "./_language/language";
import { ButtonLink } from "./_ui/button";
import { Logo } from "./_ui/logo";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await pageLanguage()).words.notFound.title };
}

/** An address that leads nowhere. */
export default async function NotFound() {
  const { notFound } = (await pageLanguage()).words;
  return (
    <main
      id="main"
      className="mx-auto flex w-full max-w-md grow flex-col items-start justify-center gap-5 px-5 py-16"
    >
      <Logo />
      <h1 className="text-2xl font-semibold">{notFound.heading}</h1>
      <p className="text-ink-soft">{notFound.text}</p>
      <ButtonLink href="/reminders">{notFound.reminders}</ButtonLink>
    </main>
  );
}
