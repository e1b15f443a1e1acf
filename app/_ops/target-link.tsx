import { pathSegment } from "../_shell/path-segment";
import { TextLink } from "../_ui/button";
import { Code } from "./facts";
import { partitionName, partitionPath } from "./words";

const PARTITION = /^(email|sms|push):/;
const DELIVERY = /^(reminder|notice|shipment):|^[\w-]{32}$/;

/** What an action was done to, with the way to its page where it has one. */
export function TargetLink({ target }: { target: string }) {
  if (PARTITION.test(target))
    return <TextLink href={partitionPath(target)}>{partitionName(target)}</TextLink>;
  if (DELIVERY.test(target)) {
    return (
      <TextLink href={`/ops/deliveries/${pathSegment(target)}`} className="break-all">
        {target}
      </TextLink>
    );
  }
  return <Code>{target}</Code>;
}
