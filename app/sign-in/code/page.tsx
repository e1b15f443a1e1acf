import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { config } from "../../../db/config";
import { readPendingSignIn } from "../../_auth/pending-sign-in";
import { currentShopper } from "../../_auth/session";
import { pageLanguage } from "../../_language/language";
import { Rich } from "../../_language/rich";
import { TextLink } from "../../_ui/button";
import { Notice } from "../../_ui/notice";
import { SignInFrame } from "../sign-in-frame";
import { CodeForm } from "./code-form";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await pageLanguage()).words.signIn.codeTitle };
}

/** The second of two steps: the code, and where to look for it. */
export default async function CodePage() {
  const pending = await readPendingSignIn();
  if ((await currentShopper()) !== null) redirect(pending?.next ?? "/reminders");
  if (pending === null) redirect("/sign-in?expired");
  const inbox = standInInbox();
  const language = await pageLanguage();
  const { signIn } = language.words;
  return (
    <SignInFrame title={signIn.codeTitle} language={language}>
      <p className="text-ink-soft">
        <Rich
          template={signIn.codeText}
          values={{
            email: (
              <strong className="font-medium break-all text-ink">
                <bdi>{pending.email}</bdi>
              </strong>
            ),
          }}
        />
      </p>
      {inbox !== null && (
        <Notice kind="info">
          <Rich
            template={signIn.local}
            values={{
              inbox: (
                <a
                  href={inbox}
                  target="_blank"
                  rel="noreferrer"
                  className="font-medium underline underline-offset-2"
                >
                  {signIn.localInbox}
                </a>
              ),
            }}
          />
        </Notice>
      )}
      <CodeForm />
      <p className="border-t border-line pt-4 text-sm text-ink-soft">
        {signIn.mistyped} <TextLink href="/sign-in">{signIn.otherAddress}</TextLink>
      </p>
    </SignInFrame>
  );
}

/** Where the stand-in for the mail service shows what it took; null where mail is real. */
function standInInbox(): string | null {
  const { baseUrl } = config().resend;
  return baseUrl === null ? null : new URL(baseUrl).origin;
}
