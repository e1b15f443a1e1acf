import type { Metadata } from "next";
import { pageLanguage } from "../_language/language";
import { ButtonLink } from "../_ui/button";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await pageLanguage()).words.notFound.hereTitle };
}

/** A reminder that does not exist, or is somebody else's: the same answer for both. */
export default async function NotFoundHere() {
  const { notFound } = (await pageLanguage()).words;
  return (
    <div className="mx-auto flex max-w-md flex-col items-start gap-5 py-12">
      <h1 className="text-2xl font-semibold">{notFound.hereHeading}</h1>
      <p className="text-ink-soft">{notFound.hereText}</p>
      <ButtonLink href="/reminders">{notFound.reminders}</ButtonLink>
    </div>
  );
}
