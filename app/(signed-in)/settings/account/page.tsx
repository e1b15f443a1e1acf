import { Download, LogOut, Trash2 } from "lucide-react";
import type { Metadata } from "next";
import type { ReactNode } from "react";
import { counted } from "../../../../db/rules/speech";
import { countSessions } from "../../../../db/sessions";
import { requireShopper } from "../../../_auth/session";
import { pageLanguage } from "../../../_language/language";
import { ButtonLink, buttonClass } from "../../../_ui/button";
import { BackLink, Card, PageHeading } from "../../../_ui/page-parts";
import { SubmitButton } from "../../../_ui/submit-button";
import { signOutEverywhere } from "./actions";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await pageLanguage()).words.account.title };
}

/** Who somebody is here, what is kept about them, and the way out. */
export default async function AccountPage() {
  const { userId, email } = await requireShopper("/settings/account");
  const [{ tag, words }, sessions] = await Promise.all([pageLanguage(), countSessions(userId)]);
  const { account, frame } = words;
  return (
    <div className="mx-auto max-w-2xl space-y-6">
      <BackLink href="/settings">{frame.settings}</BackLink>
      <PageHeading title={account.title}>
        <p className="text-ink-soft">
          {frame.signedInAs} <bdi className="font-medium break-all text-ink">{email}</bdi>
        </p>
      </PageHeading>
      <Part title={account.everywhere} text={account.everywhereText}>
        <p className="w-full font-medium">{counted(account.sessions, sessions, tag)}</p>
        <form action={signOutEverywhere}>
          <SubmitButton kind="secondary" icon={<LogOut aria-hidden className="size-4 rtl:-scale-x-100" />}>
            {account.everywhere}
          </SubmitButton>
        </form>
      </Part>
      <Part title={account.data} text={account.dataText}>
        {/* A file, not a page: the router is to keep out of it. */}
        <a href="/settings/account/data" download className={buttonClass("secondary")}>
          <Download aria-hidden className="size-4" />
          {account.data}
        </a>
      </Part>
      <Part title={account.delete} text={account.deleteText}>
        <ButtonLink href="/settings/account/delete" kind="danger">
          <Trash2 aria-hidden className="size-4" />
          {account.delete}
        </ButtonLink>
      </Part>
    </div>
  );
}

function Part({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <Card className="space-y-4">
      <div className="space-y-1">
        <h2 className="text-lg font-semibold">{title}</h2>
        <p className="text-ink-soft">{text}</p>
      </div>
      <div className="flex flex-wrap gap-3">{children}</div>
    </Card>
  );
}
