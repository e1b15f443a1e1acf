import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { config } from "../../../db/config";
import { readPendingSignIn } from "../../_auth/pending-sign-in";
import { currentShopper } from "../../_auth/session";
import { TextLink } from "../../_ui/button";
import { Notice } from "../../_ui/notice";
import { SignInFrame } from "../sign-in-frame";
import { CodeForm } from "./code-form";

export const metadata: Metadata = { title: "Enter your code" };

/** The second of two steps: the code, and where to look for it. */
export default async function CodePage() {
  const pending = await readPendingSignIn();
  if ((await currentShopper()) !== null) redirect(pending?.next ?? "/reminders");
  if (pending === null) redirect("/sign-in?expired");
  const inbox = standInInbox();
  return (
    <SignInFrame title="Enter your code">
      <p className="text-ink-soft">
        If <strong className="font-medium break-all text-ink">{pending.email}</strong> takes our mail, a code
        of six digits is there in a moment. Look in the spam folder too. It is valid for ten minutes.
      </p>
      {inbox !== null && (
        <Notice kind="info">
          This is a local installation: mail goes to{" "}
          <a
            href={inbox}
            target="_blank"
            rel="noreferrer"
            className="font-medium underline underline-offset-2"
          >
            the local inbox
          </a>
          .
        </Notice>
      )}
      <CodeForm />
      <p className="border-t border-line pt-4 text-sm text-ink-soft">
        Mistyped? <TextLink href="/sign-in">Use another address</TextLink>
      </p>
    </SignInFrame>
  );
}

/** Where the stand-in for the mail service shows what it took; null where mail is real. */
function standInInbox(): string | null {
  const { baseUrl } = config().resend;
  return baseUrl === null ? null : new URL(baseUrl).origin;
}
