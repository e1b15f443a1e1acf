import type { Metadata } from "next";
import { readCleanupSwitch } from "../../../../db/cleanup/runs";
import { requireReader } from "../../../_auth/operator";
import { ConfirmForm } from "../../../_ops/confirm-form";
import { LeverPage } from "../../../_ops/lever-page";
import { flip } from "./actions";

export const metadata: Metadata = { title: "Switch cleanup" };

/** What switching cleanup does, and the button. */
export default async function SwitchPage() {
  const { mayAct } = await requireReader("/ops/cleanup/switch");
  const { on } = await readCleanupSwitch();
  return (
    <LeverPage
      title={on ? "Switch cleanup off" : "Switch cleanup on"}
      back={{ href: "/ops/cleanup", name: "Cleanup" }}
      mayAct={mayAct}
      effect={
        <p>
          {on
            ? "Nothing is removed any more, a run that is under way stops after its batch, and the ledger grows until somebody switches it on again."
            : "The next run removes what is past its retention, of the states that two people have approved."}
        </p>
      }
    >
      <ConfirmForm
        action={flip}
        chosen={{ to: on ? "off" : "on" }}
        button={on ? "Switch cleanup off" : "Switch cleanup on"}
        kind={on ? "danger" : "primary"}
        back={{ href: "/ops/cleanup", name: "Leave it as it is" }}
      />
    </LeverPage>
  );
}
