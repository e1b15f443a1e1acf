import { render } from "@react-email/render";
import { createElement } from "react";
import type { EmailContent } from "../../db/rules/message-content";
import { DeadLetterReportEmail } from "./dead-letter-report";

/** Renders a report to operators from its lines; they hold counts and partition keys, nothing personal. */
export async function renderDeadLetterReport(
  heading: string,
  lines: readonly string[],
  footer: string,
): Promise<EmailContent> {
  const html = await render(createElement(DeadLetterReportEmail, { heading, lines, footer }));
  return { subject: heading, html, text: [heading, "", ...lines, "", "--", footer].join("\n") };
}
