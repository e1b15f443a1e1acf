import type { Metadata } from "next";
import { requireReader } from "../../../../_auth/operator";
import { count, counted, fromPath } from "../../../../_ops/words";
import { pathSegment } from "../../../../_shell/path-segment";
import { stop } from "../../actions";
import { ControlPage } from "../../control-page";

export const metadata: Metadata = { title: "Stop redrive" };

/** What stopping a redrive does, and the button. */
export default async function StopRedrivePage({ params }: PageProps<"/ops/redrives/[id]/stop">) {
  const id = fromPath((await params).id);
  const { mayAct } = await requireReader(`/ops/redrives/${pathSegment(id)}/stop`);
  return (
    <ControlPage
      id={id}
      mayAct={mayAct}
      title="Stop the redrive"
      effect={({ progress }) => (
        <p>
          {count(progress.pending)} that have not gone stay dead and can be chosen for another redrive;{" "}
          {count(progress.out)} that are on their way arrive. A stopped redrive does not go on.
        </p>
      )}
      action={stop}
      button={({ progress }) =>
        `Stop the redrive with ${counted(progress.pending, "message", "messages")} to go`
      }
      kind="danger"
    />
  );
}
