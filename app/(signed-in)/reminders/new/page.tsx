import type { Metadata } from "next";
import { effects } from "../../../../db/effects";
import { readReminder } from "../../../../db/reminders/read";
import { readShopper, type Shopper } from "../../../../db/shoppers";
import { requireShopper } from "../../../_auth/session";
import { pageLanguage } from "../../../_language/language";
import { channelChoices, quietOf, usualChannels } from "../../../_reminders/channel-choices";
import { ComposerWords } from "../../../_reminders/composer-words";
import { emptyFields, fieldsOf } from "../../../_reminders/form-fields";
import { prefillOf, prefillPath } from "../../../_reminders/prefill";
import { ReminderForm, type ReminderInput } from "../../../_reminders/reminder-form";
import { zonesWith } from "../../../_time/zones";
import { BackLink, Card, PageHeading } from "../../../_ui/page-parts";
import { createReminder } from "./actions";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await pageLanguage()).words.frame.newReminder };
}

/** A new reminder; `?from=` begins with what an earlier one said, a link from a shop with what it knows. */
export default async function NewReminderPage({ searchParams }: PageProps<"/reminders/new">) {
  const query = await searchParams;
  const { subscriberId } = await requireShopper(prefillPath(query));
  const [language, shopper] = await Promise.all([pageLanguage(), readShopper(subscriberId)]);
  if (shopper === null) throw new Error("Bug! somebody is signed in who does not exist");
  const choices = channelChoices(shopper, language);
  const from = typeof query.from === "string" ? query.from : null;
  const initial = { ...(await begin(subscriberId, shopper, from)), ...prefillOf(query, shopper.timeZone) };
  const channels = initial.channels.length > 0 ? initial.channels : usualChannels(choices);
  const { composer, frame } = language.words;
  return (
    <div className="mx-auto max-w-2xl space-y-6">
      <BackLink href="/reminders">{frame.reminders}</BackLink>
      <PageHeading title={frame.newReminder} />
      <Card>
        <ComposerWords language={language}>
          <ReminderForm
            action={createReminder}
            initial={{ ...initial, channels }}
            choices={choices}
            zones={zonesWith(shopper.timeZone)}
            quiet={quietOf(shopper)}
            nowMs={shopper.nowMs}
            intention={effects.newId()}
            submit={composer.set}
            back="/reminders"
          />
        </ComposerWords>
      </Card>
    </div>
  );
}

async function begin(subscriberId: string, shopper: Shopper, from: string | null): Promise<ReminderInput> {
  const empty = emptyFields(shopper.timeZone);
  const earlier = from === null ? null : await readReminder({ kind: "subscriber", subscriberId }, from);
  if (earlier === null || !earlier.ok) return empty;
  const { date: _, time: __, timeZone: ___, ...kept } = fieldsOf(earlier.value);
  return { ...empty, ...kept };
}
