import { Heading, Text } from "@react-email/components";
import { MessageLayout, Paragraph, SmallPrint } from "./layout";
import type { MessageWords } from "./words";

export interface SignInCodeEmailProps {
  language: string;
  words: MessageWords;
  code: string;
  minutes: number;
}

/** The HTML part of a sign-in code: the code stands alone, so that it is copied with one tap. */
export function SignInCodeEmail({ language, words, code, minutes }: SignInCodeEmailProps) {
  return (
    <MessageLayout
      language={language}
      preview={words.validFor(minutes)}
      footer={<SmallPrint>{words.notYou}</SmallPrint>}
    >
      <Heading
        as="h1"
        className="ink"
        style={{
          margin: "0 0 12px",
          fontSize: "22px",
          lineHeight: "30px",
          fontWeight: 650,
          color: "#1b1f27",
        }}
      >
        {words.signInHeading}
      </Heading>
      <Paragraph>{words.signInExplanation}</Paragraph>
      <Text
        className="ink box"
        style={{
          margin: "0 0 16px",
          padding: "14px 18px",
          borderRadius: "8px",
          backgroundColor: "#eef2f8",
          color: "#1b1f27",
          fontFamily: "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace",
          fontSize: "32px",
          lineHeight: "40px",
          fontWeight: 700,
          letterSpacing: "6px",
          textAlign: "center",
        }}
      >
        {code}
      </Text>
      <Paragraph>{words.validFor(minutes)}</Paragraph>
    </MessageLayout>
  );
}
