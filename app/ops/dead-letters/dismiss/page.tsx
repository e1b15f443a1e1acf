import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { listDeadLetters } from "../../../../db/console/dead-letters";
import { requireReader } from "../../../_auth/operator";
import { ConfirmForm } from "../../../_ops/confirm-form";
import { deadAddress, readDeadFilter, writeLetters } from "../../../_ops/dead-filter";
import { LeverPage } from "../../../_ops/lever-page";
import { counted } from "../../../_ops/words";
import { dismiss } from "../actions";

export const metadata: Metadata = { title: "Dismiss dead letters" };

/** As many as one click takes (see `db/redrive/dead-letters.ts`). */
const LETTERS_MAX = 500;

/** What dismissing everything that fits would do, and the button. The set is what this page has read. */
export default async function DismissManyPage({ searchParams }: PageProps<"/ops/dead-letters/dismiss">) {
  const filter = readDeadFilter(await searchParams);
  const { mayAct } = await requireReader(deadAddress("/ops/dead-letters/dismiss", filter));
  const page = await listDeadLetters(filter, { limit: LETTERS_MAX, dismissed: false });
  const back = deadAddress("/ops/dead-letters/list", filter);
  if (!page.ok || page.value.deadLetters.length === 0) redirect(back);
  const letters = page.value.deadLetters.map(({ id, burialId }) => ({ deliveryId: id, burialId }));
  const what = counted(letters.length, "dead letter", "dead letters");
  return (
    <LeverPage
      title={`Dismiss ${what}`}
      back={{ href: back, name: "Every dead letter" }}
      mayAct={mayAct}
      effect={
        <>
          <p>
            <strong>{what}</strong> stay dead. Lists, reports and redrives pass them over; a dismissal can be
            taken back while they are kept.
          </p>
          {page.value.next !== null && (
            <p className="text-ink-soft">More fit than one click takes: the latest {LETTERS_MAX} go now.</p>
          )}
        </>
      }
    >
      <ConfirmForm
        action={dismiss}
        chosen={{ letters: writeLetters(letters) }}
        button={`Dismiss ${what}`}
        kind="danger"
        back={{ href: back, name: "Leave them" }}
      />
    </LeverPage>
  );
}
