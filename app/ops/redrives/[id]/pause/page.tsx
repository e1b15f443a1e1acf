import type { Metadata } from "next";
import { requireReader } from "../../../../_auth/operator";
import { count, counted, fromPath } from "../../../../_ops/words";
import { pathSegment } from "../../../../_shell/path-segment";
import { pause } from "../../actions";
import { ControlPage } from "../../control-page";

export const metadata: Metadata = { title: "Pause redrive" };

/** What a pause of a redrive does, and the button. */
export default async function PauseRedrivePage({ params }: PageProps<"/ops/redrives/[id]/pause">) {
  const id = fromPath((await params).id);
  const { mayAct } = await requireReader(`/ops/redrives/${pathSegment(id)}/pause`);
  return (
    <ControlPage
      id={id}
      mayAct={mayAct}
      title="Pause the redrive"
      effect={({ progress }) => (
        <p>
          {count(progress.pending)} that have not gone wait; {count(progress.out)} that are on their way
          arrive. Nothing else changes, and it can go on later.
        </p>
      )}
      action={pause}
      button={({ progress }) =>
        `Pause the redrive with ${counted(progress.pending, "message", "messages")} to go`
      }
      kind="secondary"
    />
  );
}
