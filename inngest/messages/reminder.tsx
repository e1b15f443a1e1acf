import { Heading, Link, Section, Text } from "@react-email/components";
import { LinkButton, MessageLayout, Paragraph, SmallPrint } from "./layout";
import type { MessageWords } from "./words";

export interface ReminderEmailProps {
  language: string;
  words: MessageWords;
  title: string;
  note: string;
  /** The due time in the subscriber's words and zone. */
  whenText: string;
  url: string | null;
  manageUrl: string;
  /** Where reminders by email can be stopped; null: nothing is said of it. */
  stopUrl: string | null;
}

/** The HTML part of a reminder. All texts are escaped by React; addresses are checked before. */
export function ReminderEmail({
  language,
  words,
  title,
  note,
  whenText,
  url,
  manageUrl,
  stopUrl,
}: ReminderEmailProps) {
  const footer = (
    <>
      <SmallPrint>{words.why}</SmallPrint>
      <SmallPrint>
        <Link className="link" href={manageUrl} style={{ color: "#1d4fd7", textDecoration: "underline" }}>
          {words.manage}
        </Link>
      </SmallPrint>
      {stopUrl === null ? null : (
        <SmallPrint>
          <Link className="link" href={stopUrl} style={{ color: "#1d4fd7", textDecoration: "underline" }}>
            {words.stopEmail}
          </Link>
        </SmallPrint>
      )}
    </>
  );
  return (
    <MessageLayout language={language} preview={`${words.when}: ${whenText}`} footer={footer}>
      <Text
        className="quiet"
        style={{ margin: "0 0 4px", fontSize: "14px", lineHeight: "20px", color: "#5a6472" }}
      >
        {words.reminder}
      </Text>
      <Heading
        as="h1"
        className="ink"
        dir="auto"
        style={{
          margin: "0 0 16px",
          fontSize: "24px",
          lineHeight: "32px",
          fontWeight: 650,
          color: "#1b1f27",
          overflowWrap: "anywhere",
        }}
      >
        {title}
      </Heading>
      <Section
        className="box"
        style={{ backgroundColor: "#eef2f8", borderRadius: "8px", padding: "10px 14px", margin: "0 0 20px" }}
      >
        <Text className="ink" style={{ margin: 0, fontSize: "16px", lineHeight: "24px", color: "#1b1f27" }}>
          <span className="quiet" style={{ color: "#5a6472" }}>
            {words.when}:{" "}
          </span>
          <strong>{whenText}</strong>
        </Text>
      </Section>
      {note === "" ? null : <Paragraph>{note}</Paragraph>}
      {url === null ? null : <LinkButton href={url}>{words.openLink}</LinkButton>}
    </MessageLayout>
  );
}
