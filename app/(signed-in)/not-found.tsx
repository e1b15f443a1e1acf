import type { Metadata } from "next";
import { ButtonLink } from "../_ui/button";

export const metadata: Metadata = { title: "Not found" };

/** A reminder that does not exist, or is somebody else's: the same answer for both. */
export default function NotFoundHere() {
  return (
    <div className="mx-auto flex max-w-md flex-col items-start gap-5 py-12">
      <h1 className="text-2xl font-semibold">There is no such reminder</h1>
      <p className="text-ink-soft">
        The address may be mistyped, or it belongs to another account. Signed in as somebody else you do not
        see it.
      </p>
      <ButtonLink href="/reminders">Go to your reminders</ButtonLink>
    </div>
  );
}
