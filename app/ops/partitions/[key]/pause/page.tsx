import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { PREDICTED_MAX, predictPause } from "../../../../../db/console/predictions";
import { requireReader } from "../../../../_auth/operator";
import { ConfirmForm } from "../../../../_ops/confirm-form";
import { readDuration } from "../../../../_ops/durations";
import { LeverPage } from "../../../../_ops/lever-page";
import { counted, fromPath, one, partitionName, partitionPath } from "../../../../_ops/words";
import { When } from "../../../../_ui/when";
import { pause } from "../actions";

export const metadata: Metadata = { title: "Pause" };

/** What a pause would delay and what it would end, and the button that does it. */
export default async function PausePage({ params, searchParams }: PageProps<"/ops/partitions/[key]/pause">) {
  const key = fromPath((await params).key);
  const { mayAct, timeZone, nowMs } = await requireReader(partitionPath(key, "pause"));
  const { word, name, ms } = readDuration(one(await searchParams, "for"));
  const effect = await predictPause(key, ms);
  if (effect === null) notFound();
  const { waiting, comingDue, pastDeadline } = effect;
  const partition = partitionName(key);
  const span = ms === null ? "until it is resumed" : `for ${name}`;
  return (
    <LeverPage
      title={`Pause ${partition}`}
      back={{ href: partitionPath(key), name: partition }}
      mayAct={mayAct}
      effect={
        <>
          <p>
            Pausing {partition} {span} delays{" "}
            <strong>{counted(waiting + comingDue, "message", "messages", PREDICTED_MAX)}</strong>,{" "}
            <strong className={pastDeadline > 0 ? "text-bad" : ""}>
              {pastDeadline === 0 ? "none" : counted(pastDeadline, "of them", "of them", PREDICTED_MAX)}
            </strong>{" "}
            past {pastDeadline === 1 ? "its" : "their"} deadline.
          </p>
          <ul className="list-disc space-y-1 pl-5 text-ink-soft">
            <li>{counted(waiting, "delivery waits", "deliveries wait", PREDICTED_MAX)} in the ledger now.</li>
            {ms !== null && (
              <li>
                {counted(comingDue, "reminder comes", "reminders come", PREDICTED_MAX)} due on this channel
                meanwhile.
              </li>
            )}
            <li>What is admitted stops too; a call that is under way at this moment finishes.</li>
            <li>
              {ms === null ? (
                "It has no end: somebody must resume it. The promises list it until then."
              ) : (
                <>
                  It ends by itself at about <When atMs={nowMs + ms} timeZone={timeZone} nowMs={nowMs} />.
                </>
              )}
            </li>
          </ul>
        </>
      }
    >
      <ConfirmForm
        action={pause.bind(null, key)}
        chosen={{ for: word }}
        button={`Pause ${partition} ${span}`}
        kind="danger"
        back={{ href: partitionPath(key), name: "Leave it as it is" }}
      />
    </LeverPage>
  );
}
