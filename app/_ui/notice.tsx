import { CircleCheck, CircleX, Info, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";

type Kind = "good" | "bad" | "attention" | "info";

const KINDS: Record<Kind, { className: string; Icon: typeof Info }> = {
  good: { className: "bg-good-soft text-good", Icon: CircleCheck },
  bad: { className: "bg-bad-soft text-bad", Icon: CircleX },
  attention: { className: "bg-attention-soft text-attention", Icon: TriangleAlert },
  info: { className: "bg-waiting-soft text-waiting", Icon: Info },
};

/** A message about what has just happened or needs a look. Read out without moving the focus. */
export function Notice({ kind, children }: { kind: Kind; children: ReactNode }) {
  const { className, Icon } = KINDS[kind];
  return (
    <div
      role={kind === "bad" ? "alert" : "status"}
      className={`flex gap-3 rounded-xl px-4 py-3 text-[0.9375rem] ${className}`}
    >
      <Icon aria-hidden className="mt-0.5 size-5 shrink-0" />
      <div className="min-w-0 space-y-1">{children}</div>
    </div>
  );
}
