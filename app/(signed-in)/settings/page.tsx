import type { Metadata } from "next";
import { messageLocale } from "../../../db/rules/message-locale";
import { formatWhen } from "../../../db/rules/time-zone";
import { readShopper } from "../../../db/shoppers";
import { requireShopper } from "../../_auth/session";
import { GiveWords } from "../../_language/give-words";
import { pageLanguage } from "../../_language/language";
import { Rich } from "../../_language/rich";
import { zonesWith } from "../../_time/zones";
import { ButtonLink } from "../../_ui/button";
import { Card, PageHeading } from "../../_ui/page-parts";
import { When } from "../../_ui/when";
import { PauseForm } from "./pause-form";
import { SettingsForm } from "./settings-form";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await pageLanguage()).words.frame.settings };
}

/** How times are read, and when nothing should arrive. */
export default async function SettingsPage() {
  const { subscriberId } = await requireShopper("/settings");
  const [language, shopper] = await Promise.all([pageLanguage(), readShopper(subscriberId)]);
  if (shopper === null) throw new Error("Bug! somebody is signed in who does not exist");
  const { timeZone, quietHours, pausedUntilMs, nowMs } = shopper;
  const { tag, words } = language;
  return (
    <GiveWords tag={tag} words={{ settings: words.settings }}>
      <div className="mx-auto max-w-2xl space-y-6">
        <PageHeading title={words.frame.settings}>
          <p className="text-ink-soft">
            <Rich
              template={words.settings.now}
              values={{ when: <When atMs={nowMs} timeZone={timeZone} nowMs={nowMs} tag={tag} /> }}
            />
          </p>
        </PageHeading>
        <Card>
          <SettingsForm
            locale={messageLocale(shopper.locale)}
            timeZone={timeZone}
            zones={zonesWith(timeZone)}
            quietHours={quietHours}
          />
        </Card>
        <Card>
          <PauseForm until={pausedUntilMs === null ? null : formatWhen(pausedUntilMs, timeZone, tag)} />
        </Card>
        <Card className="flex flex-wrap items-center justify-between gap-4">
          <div>
            <h2 className="text-lg font-semibold">{words.account.title}</h2>
            <p className="text-ink-soft">{words.account.more}</p>
          </div>
          <ButtonLink href="/settings/account" kind="secondary">
            {words.account.title}
          </ButtonLink>
        </Card>
      </div>
    </GiveWords>
  );
}
