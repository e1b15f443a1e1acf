import type { Metadata } from "next";
import { ButtonLink } from "./_ui/button";
import { Logo } from "./_ui/logo";

export const metadata: Metadata = { title: "Page not found" };

/** An address that leads nowhere. */
export default function NotFound() {
  return (
    <main
      id="main"
      className="mx-auto flex w-full max-w-md grow flex-col items-start justify-center gap-5 px-5 py-16"
    >
      <Logo />
      <h1 className="text-2xl font-semibold">There is no such page</h1>
      <p className="text-ink-soft">
        The address may be mistyped, or what was here is gone. Reminders belong to one person: signed in as
        somebody else you do not see them.
      </p>
      <ButtonLink href="/reminders">Go to your reminders</ButtonLink>
    </main>
  );
}
