import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { nextPath } from "../_auth/next-path";
import { currentShopper } from "../_auth/session";
import { pageLanguage } from "../_language/language";
import { Notice } from "../_ui/notice";
import { SignInForm } from "./sign-in-form";
import { SignInFrame } from "./sign-in-frame";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await pageLanguage()).words.signIn.title };
}

/** The first of two steps: the address. Whoever is signed in already goes on. */
export default async function SignInPage({ searchParams }: PageProps<"/sign-in">) {
  const { next, expired, gone } = await searchParams;
  const path = nextPath(next);
  if ((await currentShopper()) !== null) redirect(path);
  const language = await pageLanguage();
  const { signIn, account } = language.words;
  return (
    <SignInFrame title={signIn.title} language={language}>
      {gone !== undefined && (
        <Notice kind="good">
          <p>{account.gone}</p>
        </Notice>
      )}
      {expired !== undefined && <Notice kind="attention">{signIn.expired}</Notice>}
      <p className="text-ink-soft">{signIn.text}</p>
      <SignInForm next={path} />
    </SignInFrame>
  );
}
