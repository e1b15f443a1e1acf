import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { readCapacity } from "../../../../../db/console/capacity";
import { PREDICTED_MAX, predictDegradation } from "../../../../../db/console/predictions";
import { DEGRADATION_NAME, type Degradation, readDegradation } from "../../../../../db/rules/degradation";
import { readDegradations } from "../../../../../db/shipments/degradation";
import { requireReader } from "../../../../_auth/operator";
import { ConfirmForm } from "../../../../_ops/confirm-form";
import { LeverPage } from "../../../../_ops/lever-page";
import { readPolicyTerm, readPolicyWindow } from "../../../../_ops/policy-terms";
import { counted, duration, fromPath, one, partitionName, partitionPath } from "../../../../_ops/words";
import { When } from "../../../../_ui/when";
import { relieve } from "../actions";

export const metadata: Metadata = { title: "Under load" };

const EFFECT: Record<Degradation, (window: string) => string> = {
  expire_oldest: (window) => `Gives up updates that have waited longer than ${window}`,
  coalesce: () => "Gives up updates that a newer one of the same parcel overtakes",
  other_channel: (window) =>
    `Moves updates that have waited longer than ${window} to another channel of their reader`,
};

const updates = (count: number) => counted(count, "update", "updates", PREDICTED_MAX);

/** What a lane would give up, beside what its queue is heading for, and the button that writes it down or lets it act. */
export default async function DegradePage({
  params,
  searchParams,
}: PageProps<"/ops/partitions/[key]/degrade">) {
  const key = fromPath((await params).key);
  const { mayAct, timeZone, nowMs } = await requireReader(partitionPath(key, "degrade"));
  const query = await searchParams;
  const window = readPolicyWindow(one(query, "window"));
  const term = readPolicyTerm(one(query, "term"));
  const read = readDegradation(one(query, "lane") ?? "bulk", one(query, "policy") ?? "coalesce", window.ms);
  if (!read.ok) notFound();
  const { lane, degradation, windowMs } = read.value;
  const [capacity, written] = await Promise.all([readCapacity(0), readDegradations(key)]);
  const heading = capacity.find((row) => row.partition === key);
  if (heading === undefined) notFound();
  const { waiting, affected } = await predictDegradation({ partition: key, lane, degradation, windowMs });
  const before = written.find((row) => row.lane === lane);
  const partition = partitionName(key);
  const { drainMs } = heading.forecast;
  const isTooLate = drainMs === null || drainMs > windowMs;
  return (
    <LeverPage
      title={`Under load: ${lane} of ${partition}`}
      back={{ href: partitionPath(key), name: partition }}
      mayAct={mayAct}
      effect={
        <>
          <p>
            {term.kind === "off" ? (
              <>Updates of lane {lane} are no longer given up.</>
            ) : (
              <>
                {EFFECT[degradation](window.name)}: <strong>{updates(affected)}</strong> now, of{" "}
                {updates(waiting)} that wait in this lane.
              </>
            )}
          </p>
          <ul className="list-disc space-y-1 pl-5 text-ink-soft">
            <li>
              {heading.backlogCost === 0
                ? "Nothing is ready to go at this moment."
                : `As things are, what is ready goes out ${drainMs === null ? "never" : `within ${duration(drainMs)}`}: ${isTooLate ? "too late for" : "well within"} a window of ${window.name}.`}
            </li>
            <li>
              Reminders, notices and sign-in codes are never given up; each update says what became of it.
            </li>
            {before !== undefined && (
              <li>
                Written down for this lane: {DEGRADATION_NAME[before.degradation]},{" "}
                {before.untilMs === null ? (
                  "off."
                ) : (
                  <>
                    acting until <When atMs={before.untilMs} timeZone={timeZone} nowMs={nowMs} />.
                  </>
                )}
              </li>
            )}
            {term.kind === "for" && (
              <li>
                It acts at once and once a minute, and ends by itself at about{" "}
                <When atMs={nowMs + term.ms} timeZone={timeZone} nowMs={nowMs} />.
              </li>
            )}
            {term.kind === "written" && (
              <li>It is written down only: nothing happens before it is switched on.</li>
            )}
          </ul>
        </>
      }
    >
      <ConfirmForm
        action={relieve.bind(null, key)}
        chosen={{ lane, policy: degradation, window: window.word, term: term.word }}
        button={`${term.kind === "off" ? "Switch off" : term.kind === "written" ? "Write down" : "Switch on"}: ${DEGRADATION_NAME[degradation]}`}
        kind={term.kind === "for" ? "danger" : "primary"}
        back={{ href: partitionPath(key), name: "Leave it as it is" }}
      />
    </LeverPage>
  );
}
