import type { Metadata } from "next";
import { notFound, redirect } from "next/navigation";
import { readReminder } from "../../../../../db/reminders/read";
import { readShopper } from "../../../../../db/shoppers";
import { requireShopper } from "../../../../_auth/session";
import { pageLanguage } from "../../../../_language/language";
import { channelChoices, quietOf } from "../../../../_reminders/channel-choices";
import { ComposerWords } from "../../../../_reminders/composer-words";
import { fieldsOf } from "../../../../_reminders/form-fields";
import { ReminderForm } from "../../../../_reminders/reminder-form";
import { pathSegment } from "../../../../_shell/path-segment";
import { zonesWith } from "../../../../_time/zones";
import { BackLink, Card, PageHeading } from "../../../../_ui/page-parts";
import { saveReminder } from "./actions";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await pageLanguage()).words.composer.editTitle };
}

/** Changes a reminder; a cancelled one can only be set again. */
export default async function EditReminderPage({ params }: PageProps<"/reminders/[id]/edit">) {
  const { id } = await params;
  const { subscriberId } = await requireShopper(`/reminders/${pathSegment(id)}/edit`);
  const [language, reminder, shopper] = await Promise.all([
    pageLanguage(),
    readReminder({ kind: "subscriber", subscriberId }, id),
    readShopper(subscriberId),
  ]);
  if (!reminder.ok || shopper === null) notFound();
  if (reminder.value.status === "cancelled") redirect(`/reminders/new?from=${id}`);
  const initial = fieldsOf(reminder.value);
  const { composer } = language.words;
  return (
    <div className="mx-auto max-w-2xl space-y-6">
      <BackLink href={`/reminders/${id}`}>{composer.backToReminder}</BackLink>
      <PageHeading title={composer.editTitle} />
      <Card>
        <ComposerWords language={language}>
          <ReminderForm
            action={saveReminder.bind(null, id)}
            initial={initial}
            choices={channelChoices(shopper, language)}
            zones={zonesWith(initial.timeZone)}
            quiet={quietOf(shopper)}
            nowMs={shopper.nowMs}
            submit={composer.save}
            back={`/reminders/${id}`}
          />
        </ComposerWords>
      </Card>
    </div>
  );
}
