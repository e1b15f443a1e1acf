import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { readDeadLetter } from "../../../../db/console/dead-letters";
import { type DeliveryFacts, readDeliveryStory } from "../../../../db/console/delivery";
import { type Explanation, explain, explanationLines } from "../../../../db/console/explain";
import { tellTimeline } from "../../../../db/rules/delivery-timeline";
import { requireReader } from "../../../_auth/operator";
import { DeadSection } from "../../../_ops/dead-section";
import { Code, Fact, Facts } from "../../../_ops/facts";
import { StateMark } from "../../../_ops/state-mark";
import { Timeline } from "../../../_ops/timeline";
import {
  address,
  duration,
  fromPath,
  one,
  partitionName,
  partitionPath,
  plain,
  type Query,
} from "../../../_ops/words";
import { LiveUpdates } from "../../../_reminders/live-updates";
import { pathSegment } from "../../../_shell/path-segment";
import { TextLink } from "../../../_ui/button";
import { ChannelIcon } from "../../../_ui/channel-icon";
import { Notice } from "../../../_ui/notice";
import { BackLink, Card, PageHeading } from "../../../_ui/page-parts";
import { StatusMark } from "../../../_ui/status-mark";
import { When } from "../../../_ui/when";

export const metadata: Metadata = { title: "Delivery" };

const LOOK_AGAIN_MS = 3_000;

/** One delivery: where it stands, its four times, and everything that happened to it with the reason at each step. */
export default async function DeliveryPage({
  params,
  searchParams,
}: PageProps<"/ops/deliveries/[reference]">) {
  const name = fromPath((await params).reference);
  const { mayAct, timeZone, nowMs } = await requireReader(`/ops/deliveries/${pathSegment(name)}`);
  const story = await readDeliveryStory(name);
  if (story === null) notFound();
  const { delivery, calls, actions, forecast } = story;
  const steps = tellTimeline({ ...delivery, calls, actions, forecast }, nowMs);
  const live = delivery.finishedAtMs === null;
  const explained = await explain(delivery.reference);
  const letter = delivery.state === "dead" ? await readDeadLetter(delivery.reference) : null;
  const done = doneWords(await searchParams);
  return (
    <div className="space-y-6">
      <BackLink href="/ops/deliveries">Deliveries</BackLink>
      <PageHeading
        title={
          <span className="flex flex-wrap items-center gap-x-3 gap-y-2">
            <ChannelIcon channel={delivery.channel} className="size-6 text-ink-soft" />
            Delivery{" "}
            <span className="font-mono text-[0.8em] font-normal">{delivery.reference.slice(0, 10)}…</span>
            <StateMark state={delivery.state} reason={delivery.reason} />
          </span>
        }
        actions={live ? <LiveUpdates lookAgainMs={LOOK_AGAIN_MS} readAtMs={nowMs} /> : undefined}
      >
        <p className="text-sm">
          <Code>{delivery.key}</Code>
        </p>
      </PageHeading>
      {done !== null && (
        <Notice kind="good">
          <p>{done}</p>
        </Notice>
      )}
      <Times delivery={delivery} timeZone={timeZone} nowMs={nowMs} />
      {letter?.ok && <DeadSection letter={letter.value} mayAct={mayAct} timeZone={timeZone} nowMs={nowMs} />}
      <div className="grid items-start gap-6 xl:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="min-w-0 space-y-6">
          <Card className="space-y-5">
            <h2 className="text-lg font-semibold">What happened, and why</h2>
            <Timeline steps={steps} timeZone={timeZone} nowMs={nowMs} />
          </Card>
          {explained !== null && <Rules explanation={explained} />}
        </div>
        <Card className="space-y-4">
          <h2 className="text-lg font-semibold">Ledger</h2>
          <Ledger delivery={delivery} />
        </Card>
      </div>
    </div>
  );
}

const EFFECT_TONES = { passes: "good", waits: "waiting", stops: "attention" } as const;

/** The chain of rules from preference to provider: the text of `npm run ops -- explain <key>`. */
function Rules({ explanation }: { explanation: Explanation }) {
  return (
    <Card className="space-y-4">
      <h2 className="text-lg font-semibold">Which rule decides now</h2>
      <ol className="divide-y divide-line">
        {explanation.steps.map(({ step, rule, value, effect }) => (
          <li key={step} className="flex items-baseline justify-between gap-x-4 py-2.5">
            <span className="min-w-0">
              <span className="font-medium">{step}</span>
              <span className="block text-[0.9375rem] break-words text-ink-soft">
                {rule}: {value}
              </span>
            </span>
            <StatusMark tone={EFFECT_TONES[effect]}>{effect}</StatusMark>
          </li>
        ))}
      </ol>
      <details>
        <summary className="inline-flex min-h-9 items-center font-medium text-accent-ink">As text</summary>
        <pre className="mt-2 rounded-md bg-sunken p-3 font-mono text-[0.8125rem] break-words whitespace-pre-wrap">
          {explanationLines(explanation).join("\n")}
        </pre>
      </details>
    </Card>
  );
}

function doneWords(query: Query): string | null {
  switch (one(query, "done")) {
    case "arrived":
      return "It ends as delivered, on your word.";
    case "not-arrived":
      return "The doubt is gone. It stays dead and can be redriven like any other.";
    case "moved":
      return one(query, "moved") === "0" ? "Nothing changed: it is not as you saw it any more." : "Done.";
    default:
      return null;
  }
}

function Times({ delivery, timeZone, nowMs }: { delivery: DeliveryFacts; timeZone: string; nowMs: number }) {
  const time = (atMs: number | null, none: string) =>
    atMs === null ? none : <When atMs={atMs} timeZone={timeZone} nowMs={nowMs} seconds />;
  const { scheduledAtMs, firstAttemptAtMs } = delivery;
  const lateMs = firstAttemptAtMs === null ? null : firstAttemptAtMs - scheduledAtMs;
  return (
    <Card>
      <Facts>
        <Fact name="Due">{time(scheduledAtMs, "")}</Fact>
        <Fact name="First call">
          {time(firstAttemptAtMs, "not yet")}
          {lateMs !== null && lateMs > 0 && (
            <span className="block text-sm text-ink-soft">{duration(lateMs)} after it was due</span>
          )}
        </Fact>
        <Fact name="Latest call">{time(delivery.latestAttemptAtMs, "not yet")}</Fact>
        {delivery.finishedAtMs === null ? (
          <Fact name="Next eligible">{time(delivery.nextEligibleAtMs, "now")}</Fact>
        ) : (
          <Fact name="Ended">{time(delivery.finishedAtMs, "")}</Fact>
        )}
        <Fact name="Useful until">{time(delivery.expiresAtMs, "")}</Fact>
      </Facts>
    </Card>
  );
}

function Ledger({ delivery }: { delivery: DeliveryFacts }) {
  const { partition, reminderId, subscriberId } = delivery;
  return (
    <dl className="space-y-3 text-sm">
      <Fact name="Partition">
        {partition === null ? (
          "none"
        ) : (
          <TextLink href={partitionPath(partition)}>{partitionName(partition)}</TextLink>
        )}
      </Fact>
      <Fact name="Lane · cost">
        {delivery.lane} · {delivery.cost}
      </Fact>
      <Fact name="Calls · failures · 429s">
        {delivery.attempts} · {delivery.failures} · {delivery.throttles}
      </Fact>
      <Fact name="Last answer">{plain(delivery.lastClass ?? "none")}</Fact>
      <Fact name="Version · owner">
        {delivery.version} · {delivery.owner}
      </Fact>
      {reminderId !== null && (
        <Fact name="Reminder">
          <TextLink href={address("/ops/deliveries", { reminder: reminderId })}>
            <Code>{reminderId}</Code>
          </TextLink>
        </Fact>
      )}
      <Fact name="Subscriber">
        <TextLink href={address("/ops/deliveries", { subscriber: subscriberId })}>
          <Code>{subscriberId}</Code>
        </TextLink>
      </Fact>
      <Fact name="Payload">
        <Code>{delivery.payloadId ?? "none"}</Code>
      </Fact>
      <Fact name="Destination">
        <Code>{delivery.destinationId ?? "none"}</Code>
      </Fact>
      {delivery.providerMessageId !== null && (
        <Fact name="Provider’s id">
          <Code>{delivery.providerMessageId}</Code>
        </Fact>
      )}
      {delivery.redriveId !== null && (
        <Fact name="Redrive">
          <TextLink href={`/ops/redrives/${delivery.redriveId}`}>
            <Code>{delivery.redriveId}</Code>
          </TextLink>
        </Fact>
      )}
      <Fact name="Reference">
        <Code>{delivery.reference}</Code>
      </Fact>
    </dl>
  );
}
