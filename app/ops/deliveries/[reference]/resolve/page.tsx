import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { readDeadLetter } from "../../../../../db/console/dead-letters";
import { requireReader } from "../../../../_auth/operator";
import { ConfirmForm } from "../../../../_ops/confirm-form";
import { writeLetters } from "../../../../_ops/dead-filter";
import { LeverPage } from "../../../../_ops/lever-page";
import { fromPath, plain } from "../../../../_ops/words";
import { pathSegment } from "../../../../_shell/path-segment";
import { When } from "../../../../_ui/when";
import { resolve } from "../../../dead-letters/actions";

export const metadata: Metadata = { title: "Resolve an unknown outcome" };

/** What is known of an unknown outcome, and the answer of whoever found out. */
export default async function ResolvePage({ params }: PageProps<"/ops/deliveries/[reference]/resolve">) {
  const reference = fromPath((await params).reference);
  const back = `/ops/deliveries/${pathSegment(reference)}`;
  const { mayAct, timeZone, nowMs } = await requireReader(`${back}/resolve`);
  const letter = await readDeadLetter(reference);
  if (!letter.ok || letter.value.reason !== "outcome_unknown") redirect(back);
  const { id, burialId, destination, unresolvedSinceMs, reconcileAtMs, expiresAtMs, wish, history } =
    letter.value;
  const messageId = history.findLast((call) => call.providerMessageId !== null)?.providerMessageId ?? null;
  const time = (atMs: number) => <When atMs={atMs} timeZone={timeZone} nowMs={nowMs} seconds />;
  return (
    <LeverPage
      title="Resolve an unknown outcome"
      back={{ href: back, name: "The delivery" }}
      mayAct={mayAct}
      effect={
        <ul className="list-disc space-y-1 pl-5">
          {unresolvedSinceMs !== null && (
            <li>Nobody knows since {time(unresolvedSinceMs)} whether it arrived.</li>
          )}
          <li>
            It went to {destination.masked} ({plain(destination.state)}), under the reference {reference}
            {messageId !== null && `, at the provider ${messageId}`}: look it up there, or ask.
          </li>
          {reconcileAtMs !== null && reconcileAtMs > nowMs && (
            <li>Before {time(reconcileAtMs)} a look-up proves nothing.</li>
          )}
          <li>
            It is of use until {time(expiresAtMs)}
            {wish !== null && `; were the outcome known, it would be ${plain(wish)}`}.
          </li>
        </ul>
      }
    >
      <ConfirmForm
        action={resolve}
        chosen={{ letters: writeLetters([{ deliveryId: id, burialId }]), back }}
        choices={{
          name: "finding",
          legend: "What did you find out?",
          options: [
            { value: "arrived", name: "It arrived", hint: "It ends as delivered, on your word." },
            {
              value: "send-again",
              name: "It did not arrive: send it again",
              hint: "A redrive of one, under the same key, through admission.",
            },
            {
              value: "stay-dead",
              name: "It did not arrive: leave it dead",
              hint: "The doubt is gone; it can be redriven like any other.",
            },
          ],
        }}
        button="Resolve this outcome"
        kind="danger"
        back={{ href: back, name: "Leave it unknown" }}
      />
    </LeverPage>
  );
}
