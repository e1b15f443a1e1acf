import type { ReactNode } from "react";
import { Notice } from "../_ui/notice";
import { BackLink, Card, PageHeading } from "../_ui/page-parts";

interface LeverPageProps {
  title: string;
  back: { href: string; name: string };
  /** What will happen, in sentences with numbers. */
  effect: ReactNode;
  mayAct: boolean;
  /** The form that does it. */
  children: ReactNode;
}

/** A change before it is made: what it will do, then the reason and the button. Opening it changes nothing. */
export function LeverPage({ title, back, effect, mayAct, children }: LeverPageProps) {
  return (
    <div className="max-w-2xl space-y-6">
      <BackLink href={back.href}>{back.name}</BackLink>
      <PageHeading title={title} />
      <Card className="space-y-5">
        <section aria-labelledby="effect" className="space-y-2">
          <h2 id="effect" className="text-lg font-semibold">
            What it will do
          </h2>
          <div className="space-y-2">{effect}</div>
        </section>
        <div className="border-t border-line pt-5">
          {mayAct ? (
            children
          ) : (
            <Notice kind="info">
              <p>Your role is read-only: you see what this would do, and an operator does it.</p>
            </Notice>
          )}
        </div>
      </Card>
    </div>
  );
}
