import type { Metadata } from "next";
import { effects } from "../../../../db/effects";
import { readReminder } from "../../../../db/reminders/read";
import { readShopper, type Shopper } from "../../../../db/shoppers";
import { requireShopper } from "../../../_auth/session";
import { channelChoices } from "../../../_reminders/channel-choices";
import { usualChannels } from "../../../_reminders/channel-picker";
import { ReminderForm, type ReminderInput } from "../../../_reminders/reminder-form";
import { zonesWith } from "../../../_time/zones";
import { BackLink, Card, PageHeading } from "../../../_ui/page-parts";
import { createReminder } from "./actions";

export const metadata: Metadata = { title: "New reminder" };

/** A new reminder; `?from=` begins with what an earlier one said. */
export default async function NewReminderPage({ searchParams }: PageProps<"/reminders/new">) {
  const { from } = await searchParams;
  const { subscriberId } = await requireShopper("/reminders/new");
  const shopper = await readShopper(subscriberId);
  if (shopper === null) throw new Error("Bug! somebody is signed in who does not exist");
  const choices = channelChoices(shopper);
  const initial = await begin(subscriberId, shopper, typeof from === "string" ? from : null);
  return (
    <div className="mx-auto max-w-2xl space-y-6">
      <BackLink href="/reminders">Reminders</BackLink>
      <PageHeading title="New reminder" />
      <Card>
        <ReminderForm
          action={createReminder}
          initial={{
            ...initial,
            channels: initial.channels.length > 0 ? initial.channels : usualChannels(choices),
          }}
          choices={choices}
          zones={zonesWith(shopper.timeZone)}
          nowMs={shopper.nowMs}
          intention={effects.newId()}
          submit="Set reminder"
          back="/reminders"
        />
      </Card>
    </div>
  );
}

async function begin(subscriberId: string, shopper: Shopper, from: string | null): Promise<ReminderInput> {
  const when = { choice: "custom", date: "", time: "", timeZone: shopper.timeZone };
  const earlier = from === null ? null : await readReminder({ kind: "subscriber", subscriberId }, from);
  if (earlier === null || !earlier.ok) return { ...when, title: "", note: "", url: "", channels: [] };
  const { title, note, url, channels } = earlier.value;
  return { ...when, title, note: note ?? "", url: url ?? "", channels };
}
