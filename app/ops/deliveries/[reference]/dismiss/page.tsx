import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { readDeadLetter } from "../../../../../db/console/dead-letters";
import { requireReader } from "../../../../_auth/operator";
import { ConfirmForm } from "../../../../_ops/confirm-form";
import { writeLetters } from "../../../../_ops/dead-filter";
import { LeverPage } from "../../../../_ops/lever-page";
import { fromPath, plain } from "../../../../_ops/words";
import { pathSegment } from "../../../../_shell/path-segment";
import { dismiss, restore } from "../../../dead-letters/actions";

export const metadata: Metadata = { title: "Dismiss a dead letter" };

/** What dismissing one dead letter does, or taking that back, and the button. */
export default async function DismissPage({ params }: PageProps<"/ops/deliveries/[reference]/dismiss">) {
  const reference = fromPath((await params).reference);
  const back = `/ops/deliveries/${pathSegment(reference)}`;
  const { mayAct } = await requireReader(`${back}/dismiss`);
  const letter = await readDeadLetter(reference);
  if (!letter.ok) redirect(back);
  const { id, burialId, dismissedAtMs, reason } = letter.value;
  const dismissed = dismissedAtMs !== null;
  return (
    <LeverPage
      title={dismissed ? "Take the dismissal back" : "Dismiss this dead letter"}
      back={{ href: back, name: "The delivery" }}
      mayAct={mayAct}
      effect={
        <p>
          {dismissed
            ? "Lists, reports and redrives will see it again."
            : `It stays dead (${plain(reason)}). Lists, reports and redrives pass it over; a dismissal can be taken back while it is kept.`}
        </p>
      }
    >
      <ConfirmForm
        action={dismissed ? restore : dismiss}
        chosen={{ letters: writeLetters([{ deliveryId: id, burialId }]), back }}
        button={dismissed ? "Take the dismissal of this dead letter back" : "Dismiss this dead letter"}
        kind={dismissed ? "primary" : "danger"}
        back={{ href: back, name: "Leave it as it is" }}
      />
    </LeverPage>
  );
}
