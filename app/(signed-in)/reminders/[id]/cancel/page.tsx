import type { Metadata } from "next";
import { notFound, redirect } from "next/navigation";
import { readReminder } from "../../../../../db/reminders/read";
import { requireShopper } from "../../../../_auth/session";
import { pageLanguage } from "../../../../_language/language";
import { CancelForm } from "../../../../_reminders/cancel-form";
import { pathSegment } from "../../../../_shell/path-segment";
import { ButtonLink } from "../../../../_ui/button";
import { BackLink, Card } from "../../../../_ui/page-parts";
import { cancel } from "../actions";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await pageLanguage()).words.reminder.cancelButton };
}

/** The question before a cancel, as a page. Opening it changes nothing. */
export default async function CancelPage({ params }: PageProps<"/reminders/[id]/cancel">) {
  const { id } = await params;
  const { subscriberId } = await requireShopper(`/reminders/${pathSegment(id)}/cancel`);
  const read = await readReminder({ kind: "subscriber", subscriberId }, id);
  if (!read.ok) notFound();
  if (read.value.status === "cancelled") redirect(`/reminders/${id}`);
  const { composer, reminder } = (await pageLanguage()).words;
  return (
    <div className="mx-auto max-w-md space-y-6">
      <BackLink href={`/reminders/${id}`}>{composer.backToReminder}</BackLink>
      <h1 className="sr-only">{reminder.cancelButton}</h1>
      <Card>
        <CancelForm
          title={read.value.title}
          words={reminder}
          action={cancel.bind(null, id)}
          keep={
            <ButtonLink href={`/reminders/${id}`} kind="secondary">
              {reminder.keep}
            </ButtonLink>
          }
        />
      </Card>
    </div>
  );
}
