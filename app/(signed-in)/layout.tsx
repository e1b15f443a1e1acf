import { Plus } from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import { seesConsole } from "../_auth/operator";
import { currentShopper } from "../_auth/session";
import { GiveWords } from "../_language/give-words";
import { pageLanguage } from "../_language/language";
import { AccountMenu } from "../_ui/account-menu";
import { ButtonLink } from "../_ui/button";
import { Logo } from "../_ui/logo";
import { MainNav } from "../_ui/main-nav";

/** The frame of the pages of somebody signed in. It protects nothing: each page and action asks for itself. */
export default async function SignedInLayout({ children }: { children: ReactNode }) {
  const [shopper, { tag, words }] = await Promise.all([currentShopper(), pageLanguage()]);
  const { frame } = words;
  return (
    <GiveWords tag={tag} words={{ zone: words.zone }}>
      <header className="z-20 border-b border-line bg-canvas/90 backdrop-blur sm:sticky sm:top-0">
        <div className="mx-auto flex max-w-4xl flex-wrap items-center gap-x-6 px-4 sm:px-6">
          <Link href="/reminders" className="flex rounded-lg py-3" aria-label={frame.toReminders}>
            <Logo />
          </Link>
          <div className="order-3 -mx-2 w-[calc(100%+1rem)] sm:order-none sm:mx-0 sm:w-auto">
            <MainNav />
          </div>
          <div className="ms-auto flex items-center gap-2 py-2">
            <ButtonLink href="/reminders/new" className="px-3!">
              <Plus aria-hidden className="size-4" />
              <span aria-hidden className="sm:hidden">
                {frame.new}
              </span>
              <span className="max-sm:sr-only">{frame.newReminder}</span>
            </ButtonLink>
            {shopper !== null && (
              <AccountMenu
                words={frame}
                email={shopper.email}
                {...(seesConsole(shopper) ? { other: { href: "/ops", name: frame.console } } : {})}
              />
            )}
          </div>
        </div>
      </header>
      <main
        id="main"
        tabIndex={-1}
        className="mx-auto w-full max-w-4xl grow px-4 py-8 outline-none sm:px-6 sm:py-10"
      >
        {children}
      </main>
    </GiveWords>
  );
}
