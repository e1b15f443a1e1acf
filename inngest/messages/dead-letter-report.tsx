import { Heading } from "@react-email/components";
import { MessageLayout, Paragraph, SmallPrint } from "./layout";

export interface DeadLetterReportEmailProps {
  heading: string;
  lines: readonly string[];
  footer: string;
}

/** The HTML part of a report to operators: one line per partition, reason and age. */
export function DeadLetterReportEmail({ heading, lines, footer }: DeadLetterReportEmailProps) {
  return (
    <MessageLayout language="en" preview={heading} footer={<SmallPrint>{footer}</SmallPrint>}>
      <Heading
        as="h1"
        className="ink"
        style={{
          margin: "0 0 12px",
          fontSize: "20px",
          lineHeight: "28px",
          fontWeight: 650,
          color: "#1b1f27",
        }}
      >
        {heading}
      </Heading>
      {lines.map((line) => (
        <Paragraph key={line}>{line}</Paragraph>
      ))}
    </MessageLayout>
  );
}
