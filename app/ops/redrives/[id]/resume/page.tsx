import type { Metadata } from "next";
import { requireReader } from "../../../../_auth/operator";
import { count, counted, fromPath } from "../../../../_ops/words";
import { pathSegment } from "../../../../_shell/path-segment";
import { resume } from "../../actions";
import { ControlPage } from "../../control-page";

export const metadata: Metadata = { title: "Resume redrive" };

/** What resuming a redrive does, and the button. */
export default async function ResumeRedrivePage({ params }: PageProps<"/ops/redrives/[id]/resume">) {
  const id = fromPath((await params).id);
  const { mayAct } = await requireReader(`/ops/redrives/${pathSegment(id)}/resume`);
  return (
    <ControlPage
      id={id}
      mayAct={mayAct}
      title="Resume the redrive"
      effect={({ progress }) => (
        <p>
          It begins with its canaries again, one and then five, because what stopped it may not be over.{" "}
          {count(progress.pending)} are to go.
        </p>
      )}
      action={resume}
      button={({ progress }) =>
        `Resume the redrive with ${counted(progress.pending, "message", "messages")} to go`
      }
      kind="primary"
    />
  );
}
