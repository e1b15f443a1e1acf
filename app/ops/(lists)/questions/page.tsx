import type { Metadata } from "next";
import { readAnswers } from "../../../../db/console/questions";
import { requireReader } from "../../../_auth/operator";
import { FourQuestions } from "../../../_ops/four-questions";
import { PageHeading } from "../../../_ui/page-parts";
import { When } from "../../../_ui/when";

export const metadata: Metadata = { title: "Four questions" };

/** The window of the four questions, as `/api/metrics` has it. */
const WINDOW_MS = 900_000;

/**
 * The operators' four questions. A page of their own, read when somebody asks: percentiles look at every call of the
 * window, and the overview is read every few seconds.
 */
export default async function QuestionsPage() {
  const { timeZone, nowMs } = await requireReader("/ops/questions");
  const answers = await readAnswers(WINDOW_MS);
  return (
    <div className="space-y-6">
      <PageHeading title="Four questions">
        <p className="max-w-2xl text-ink-soft">
          Asked at <When atMs={answers.atMs} timeZone={timeZone} nowMs={nowMs} seconds />, by the same verb as{" "}
          <code className="text-ink">/api/metrics</code>: the numbers are equal.
        </p>
      </PageHeading>
      <FourQuestions answers={answers} />
    </div>
  );
}
