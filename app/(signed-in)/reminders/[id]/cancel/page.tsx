import type { Metadata } from "next";
import { notFound, redirect } from "next/navigation";
import { readReminder } from "../../../../../db/reminders/read";
import { requireShopper } from "../../../../_auth/session";
import { CancelForm } from "../../../../_reminders/cancel-form";
import { ButtonLink } from "../../../../_ui/button";
import { BackLink, Card } from "../../../../_ui/page-parts";
import { cancel } from "../actions";

export const metadata: Metadata = { title: "Cancel reminder" };

/** The question before a cancel, as a page. Opening it changes nothing. */
export default async function CancelPage({ params }: PageProps<"/reminders/[id]/cancel">) {
  const { id } = await params;
  const { subscriberId } = await requireShopper(`/reminders/${encodeURIComponent(id)}/cancel`);
  const reminder = await readReminder({ kind: "subscriber", subscriberId }, id);
  if (!reminder.ok) notFound();
  if (reminder.value.status === "cancelled") redirect(`/reminders/${id}`);
  return (
    <div className="mx-auto max-w-md space-y-6">
      <BackLink href={`/reminders/${id}`}>Back to the reminder</BackLink>
      <h1 className="sr-only">Cancel reminder</h1>
      <Card>
        <CancelForm
          title={reminder.value.title}
          action={cancel.bind(null, id)}
          keep={
            <ButtonLink href={`/reminders/${id}`} kind="secondary">
              Keep it
            </ButtonLink>
          }
        />
      </Card>
    </div>
  );
}
