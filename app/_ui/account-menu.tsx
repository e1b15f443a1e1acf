import { CircleUserRound, LogOut } from "lucide-react";
import { signOut } from "../sign-in/actions";
import { Disclosure } from "./disclosure";
import { SubmitButton } from "./submit-button";

/** Who is signed in, and the way out. */
export function AccountMenu({ email }: { email: string }) {
  return (
    <Disclosure
      label={
        <>
          <CircleUserRound aria-hidden className="size-6" />
          <span className="sr-only">Account</span>
        </>
      }
      summaryClass="flex size-11 items-center justify-center rounded-lg text-ink-soft hover:bg-sunken hover:text-ink sm:size-10"
      panelClass="right-0 w-64"
    >
      <p className="px-3 pt-2 text-sm text-ink-soft">Signed in as</p>
      <p className="px-3 pb-2 font-medium break-all">{email}</p>
      <form action={signOut} className="border-t border-line pt-1.5">
        <SubmitButton
          kind="plain"
          className="w-full justify-start! px-3!"
          icon={<LogOut aria-hidden className="size-4" />}
        >
          Sign out
        </SubmitButton>
      </form>
    </Disclosure>
  );
}
