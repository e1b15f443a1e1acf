import type { DeliveryState } from "../../db/rules/lifecycle";
import type { Tone } from "../../db/rules/words";
import { StatusMark } from "../_ui/status-mark";
import { plain } from "./words";

const TONES: Record<DeliveryState, Tone> = {
  scheduled: "waiting",
  ready: "waiting",
  sending: "working",
  deferred: "waiting",
  delivered: "good",
  dead: "bad",
  expired: "quiet",
};

/** A delivery's state in the ledger's own word, as operators, logs and metrics call it. */
export function StateMark({ state, reason }: { state: DeliveryState; reason: string | null }) {
  const unknown = reason === "outcome_unknown";
  return (
    <StatusMark tone={unknown ? "attention" : TONES[state]}>
      {unknown ? "dead: unknown" : plain(state)}
    </StatusMark>
  );
}
