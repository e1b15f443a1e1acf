import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { nextPath } from "../_auth/next-path";
import { currentShopper } from "../_auth/session";
import { Notice } from "../_ui/notice";
import { SignInForm } from "./sign-in-form";
import { SignInFrame } from "./sign-in-frame";

export const metadata: Metadata = { title: "Sign in" };

/** The first of two steps: the address. Whoever is signed in already goes on. */
export default async function SignInPage({ searchParams }: PageProps<"/sign-in">) {
  const { next, expired } = await searchParams;
  const path = nextPath(next);
  if ((await currentShopper()) !== null) redirect(path);
  return (
    <SignInFrame title="Sign in">
      {expired !== undefined && (
        <Notice kind="attention">
          That took more than ten minutes. Enter your address again for a new code.
        </Notice>
      )}
      <p className="text-ink-soft">
        We send a code to your email address. If you are new here, it makes your account too.
      </p>
      <SignInForm next={path} />
    </SignInFrame>
  );
}
