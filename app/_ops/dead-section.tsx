import { EyeOff, RotateCcw, Scale } from "lucide-react";
import type { DeadLetterDetail } from "../../db/console/dead-letters";
import { ButtonLink, TextLink } from "../_ui/button";
import { Card } from "../_ui/page-parts";
import { StatusMark } from "../_ui/status-mark";
import { When } from "../_ui/when";
import { Code, Fact, Facts } from "./facts";
import { address, plain } from "./words";

interface DeadSectionProps {
  letter: DeadLetterDetail;
  mayAct: boolean;
  timeZone: string;
  nowMs: number;
}

/** What a dead letter needs a decision about: where it went, what was sent, its redrives, and what can be done. */
export function DeadSection({ letter, mayAct, timeZone, nowMs }: DeadSectionProps) {
  const { request, destination, redrives, dismissedAtMs } = letter;
  const time = (atMs: number) => <When atMs={atMs} timeZone={timeZone} nowMs={nowMs} seconds />;
  return (
    <Card className="space-y-5">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h2 className="text-lg font-semibold">Needs a decision</h2>
        {dismissedAtMs !== null && <StatusMark tone="quiet">dismissed</StatusMark>}
      </div>
      <Facts>
        <Fact name="Went to">
          {destination.masked} ({plain(destination.state)}
          {destination.stateReason !== null && `, ${plain(destination.stateReason)}`})
        </Fact>
        <Fact name="Carried">
          version {request.version}
          {request.wiped && ", text wiped"}
          <span className="block text-sm">
            <Code>{request.contentHash?.slice(0, 16) ?? "never sent"}</Code>
          </span>
        </Fact>
        <Fact name="Useful until">
          {time(letter.expiresAtMs)}
          {letter.expiresAtMs <= nowMs && (
            <span className="block text-sm text-bad">past: a redrive leaves it out</span>
          )}
        </Fact>
        {letter.unresolvedSinceMs !== null && (
          <Fact name="Unknown since">{time(letter.unresolvedSinceMs)}</Fact>
        )}
      </Facts>
      {redrives.length > 0 && (
        <div>
          <h3 className="text-sm text-ink-soft">Redrives</h3>
          <ul className="mt-1 space-y-1">
            {redrives.map((redrive) => (
              <li key={redrive.id}>
                <TextLink href={`/ops/redrives/${redrive.id}`}>{time(redrive.createdAtMs)}</TextLink>:{" "}
                {plain(redrive.outcome ?? redrive.memberState)}
              </li>
            ))}
          </ul>
        </div>
      )}
      {mayAct && (
        <div className="flex flex-wrap gap-3 border-t border-line pt-5">
          {letter.reason === "outcome_unknown" && (
            <ButtonLink href={`/ops/deliveries/${letter.reference}/resolve`} prefetch={false}>
              <Scale aria-hidden className="size-4" />
              Resolve outcome…
            </ButtonLink>
          )}
          {dismissedAtMs === null && (
            <ButtonLink
              kind={letter.reason === "outcome_unknown" ? "secondary" : "primary"}
              href={address("/ops/redrives/new", { delivery: letter.reference })}
              prefetch={false}
            >
              <RotateCcw aria-hidden className="size-4" />
              Redrive it…
            </ButtonLink>
          )}
          <ButtonLink kind="secondary" href={`/ops/deliveries/${letter.reference}/dismiss`} prefetch={false}>
            <EyeOff aria-hidden className="size-4" />
            {dismissedAtMs === null ? "Dismiss it…" : "Take the dismissal back…"}
          </ButtonLink>
        </div>
      )}
    </Card>
  );
}
