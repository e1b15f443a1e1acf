import { ArrowLeftRight, CircleUserRound, LogOut } from "lucide-react";
import Link from "next/link";
import type { Words } from "../../db/rules/speech";
import { signOut } from "../sign-in/actions";
import { Disclosure } from "./disclosure";
import { SubmitButton } from "./submit-button";

interface AccountMenuProps {
  words: Words["frame"];
  email: string;
  /** The other side of the app, for whom there is one. */
  other?: { href: string; name: string };
}

/** Who is signed in, the way to the other side of the app, and the way out. */
export function AccountMenu({ words, email, other }: AccountMenuProps) {
  return (
    <Disclosure
      label={
        <>
          <CircleUserRound aria-hidden className="size-6" />
          <span className="sr-only">{words.account}</span>
        </>
      }
      summaryClass="flex size-11 items-center justify-center rounded-lg text-ink-soft hover:bg-sunken hover:text-ink sm:size-10"
      panelClass="end-0 w-64"
    >
      <p className="px-3 pt-2 text-sm text-ink-soft">{words.signedInAs}</p>
      <p className="px-3 pb-2 font-medium break-all">
        <bdi>{email}</bdi>
      </p>
      {other !== undefined && (
        <Link
          href={other.href}
          className="flex min-h-11 items-center gap-2 rounded-lg border-t border-line px-3 font-medium hover:bg-sunken sm:min-h-10"
        >
          <ArrowLeftRight aria-hidden className="size-4" />
          {other.name}
        </Link>
      )}
      <form action={signOut} className="border-t border-line pt-1.5">
        <SubmitButton
          kind="plain"
          className="w-full justify-start! px-3!"
          icon={<LogOut aria-hidden className="size-4" />}
        >
          {words.signOut}
        </SubmitButton>
      </form>
    </Disclosure>
  );
}
