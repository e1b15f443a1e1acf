import type { Metadata } from "next";
import { requireShopper } from "../../../../_auth/session";
import { GiveWords } from "../../../../_language/give-words";
import { pageLanguage } from "../../../../_language/language";
import { ButtonLink } from "../../../../_ui/button";
import { BackLink, Card } from "../../../../_ui/page-parts";
import { DeleteForm } from "./delete-form";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await pageLanguage()).words.account.delete };
}

/** The question before an account is deleted. Opening it changes nothing. */
export default async function DeleteAccountPage() {
  const { email } = await requireShopper("/settings/account/delete");
  const { tag, words } = await pageLanguage();
  return (
    <GiveWords tag={tag} words={{ account: words.account }}>
      <div className="mx-auto max-w-md space-y-6">
        <BackLink href="/settings/account">{words.account.title}</BackLink>
        <Card>
          <DeleteForm
            email={email}
            keep={
              <ButtonLink href="/settings/account" kind="secondary">
                {words.account.keep}
              </ButtonLink>
            }
          />
        </Card>
      </div>
    </GiveWords>
  );
}
