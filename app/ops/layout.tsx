import { ChevronDown, Eye } from "lucide-react";
import type { Metadata } from "next";
import Link from "next/link";
import { unstable_rethrow } from "next/navigation";
import type { ReactNode } from "react";
import { ENGLISH } from "../../db/rules/languages";
import { log } from "../../inngest/log";
import { requireReader } from "../_auth/operator";
import { GiveWords } from "../_language/give-words";
import { ClosedConsole } from "../_ops/closed-console";
import { OpsHere, OpsNav } from "../_ops/ops-nav";
import { AccountMenu } from "../_ui/account-menu";
import { Disclosure } from "../_ui/disclosure";
import { LogoMark } from "../_ui/logo";

export const metadata: Metadata = {
  title: { default: "Console", template: "%s · Console · Punctual" },
  robots: { index: false, follow: false },
};

/**
 * The frame of the console. That it asks who is there gives an outsider a plain 404 before anything is streamed; each
 * page and each action asks for itself all the same. When nobody can be asked, this answer is made here, on the server:
 * Next draws an error of a frame by script alone.
 */
export default async function OpsLayout({ children }: { children: ReactNode }) {
  const reader = await requireReader("/ops").catch((error: unknown) => {
    unstable_rethrow(error);
    log.error("nobody knows who looks", { error });
    return null;
  });
  if (reader === null) return <ClosedConsole />;
  const { tag, words } = ENGLISH;
  return (
    // The console is English, whatever language its reader has chosen for their own reminders.
    <div lang="en" dir="ltr" className="contents">
      <GiveWords tag={tag} words={{ frame: words.frame }}>
        <header className="z-20 border-b border-line bg-canvas/90 backdrop-blur sm:sticky sm:top-0">
          <div className="mx-auto flex max-w-7xl flex-wrap items-center gap-x-4 gap-y-1 px-4 py-1.5 sm:px-6">
            <Link
              href="/ops"
              className="flex items-center gap-2.5 rounded-lg py-1.5 font-semibold tracking-tight"
            >
              <LogoMark />
              <span>
                <span className="sr-only">Punctual </span>Console
              </span>
            </Link>
            <div className="lg:hidden">
              <Disclosure
                label={
                  <>
                    <span className="sr-only">Pages: </span>
                    <OpsHere />
                    <ChevronDown aria-hidden className="size-4" />
                  </>
                }
                summaryClass="inline-flex min-h-11 items-center gap-1.5 rounded-lg px-2.5 text-[0.9375rem] font-medium hover:bg-sunken"
                panelClass="left-0 w-56"
              >
                <OpsNav />
              </Disclosure>
            </div>
            <div className="ml-auto flex items-center gap-2">
              {!reader.mayAct && (
                <span className="inline-flex items-center gap-1.5 rounded-full bg-quiet-soft px-2.5 py-0.5 text-sm font-medium text-quiet">
                  <Eye aria-hidden className="size-4" />
                  Read-only
                </span>
              )}
              <AccountMenu
                words={words.frame}
                email={reader.email}
                other={{ href: "/reminders", name: "Your reminders" }}
              />
            </div>
          </div>
        </header>
        <div className="mx-auto flex w-full max-w-7xl grow gap-8 px-4 sm:px-6">
          <div className="hidden w-44 shrink-0 py-8 lg:block">
            <div className="sticky top-22">
              <OpsNav />
            </div>
          </div>
          <main id="main" tabIndex={-1} className="min-w-0 grow py-6 outline-none sm:py-8">
            {children}
          </main>
        </div>
      </GiveWords>
    </div>
  );
}
