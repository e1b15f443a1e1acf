import { Heading } from "@react-email/components";
import { render } from "@react-email/render";
import { createElement } from "react";
import { config } from "../../db/config";
import type { EmailContent, MessageContent, PushContent, SmsContent } from "../../db/rules/message-content";
import { type MessageLocale, messageLocale } from "../../db/rules/message-locale";
import type { NoticeTemplate } from "../../db/rules/notice-schemas";
import type { Channel } from "../../db/rules/outcome";
import { countSmsSegments, toPlainPunctuation } from "../../db/rules/sms-segments";
import { LinkButton, MessageLayout, Paragraph, SmallPrint } from "./layout";
import { noticeWords } from "./notice-words";

export interface AccountNoticeTexts {
  template: NoticeTemplate;
  /** What happened; may be empty. */
  detail: string;
  url: string | null;
  locale: string;
}

/** Renders a notice about an account for its channels. */
export async function renderAccountNotice(
  texts: AccountNoticeTexts,
  channels: readonly Channel[],
): Promise<Map<Channel, { content: MessageContent; cost: number }>> {
  const rendered = await Promise.all(
    channels.map(async (channel) => {
      const content = await contentOf(channel, texts);
      return [channel, { content, cost: "segments" in content ? content.segments : 1 }] as const;
    }),
  );
  return new Map(rendered);
}

function contentOf(
  channel: Channel,
  texts: AccountNoticeTexts,
): Promise<EmailContent> | SmsContent | PushContent {
  switch (channel) {
    case "email":
      return emailOf(texts);
    case "sms":
      return smsOf(texts);
    case "push":
      return pushOf(texts);
  }
}

const lines = (parts: readonly (string | null)[]) =>
  parts.filter((part) => part !== null && part !== "").join("\n");

async function emailOf(texts: AccountNoticeTexts): Promise<EmailContent> {
  const language = messageLocale(texts.locale);
  const words = noticeWords(language);
  const headline = words.headline[texts.template];
  const advice = words.advice[texts.template];
  const html = await render(createElement(AccountNoticeEmail, { ...texts, language }));
  const text = [lines([headline, "", texts.detail, advice, texts.url]), "", "--", words.why].join("\n");
  return { subject: headline, html, text };
}

/** The link is the point of a reset: it is never cut; there is no rule under which a security message is shortened. */
function smsOf(texts: AccountNoticeTexts): SmsContent {
  const words = noticeWords(messageLocale(texts.locale));
  const said = texts.detail === "" ? words.advice[texts.template] : texts.detail;
  const text = lines([toPlainPunctuation(`${words.headline[texts.template]}: ${said}`), texts.url]);
  return { text, segments: countSmsSegments(text).segments };
}

function pushOf(texts: AccountNoticeTexts): PushContent {
  const words = noticeWords(messageLocale(texts.locale));
  const body = lines([texts.detail, words.advice[texts.template]]);
  return { title: words.headline[texts.template], body, url: texts.url ?? config().appUrl };
}

function AccountNoticeEmail({
  template,
  detail,
  url,
  language,
}: AccountNoticeTexts & { language: MessageLocale }) {
  const words = noticeWords(language);
  return (
    <MessageLayout
      language={language}
      preview={words.headline[template]}
      footer={<SmallPrint>{words.why}</SmallPrint>}
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
        {words.headline[template]}
      </Heading>
      {detail === "" ? null : <Paragraph>{detail}</Paragraph>}
      <Paragraph>{words.advice[template]}</Paragraph>
      {url === null ? null : <LinkButton href={url}>{words.open[template]}</LinkButton>}
    </MessageLayout>
  );
}
