import { Heading, Link, Section, Text } from "@react-email/components";
import { LinkButton, MessageLayout, Paragraph, SmallPrint } from "./layout";
import type { ShipmentWords } from "./shipment-words";

export interface ShipmentUpdateProps {
  language: string;
  words: ShipmentWords;
  headline: string;
  /** Order, carrier and tracking number, as one line. */
  parcel: string;
  /** What the carrier says, and where; may be empty. */
  detail: string;
  /** May be empty. */
  pickUpCode: string;
  /** The expected day in words; may be empty. */
  expected: string;
  url: string | null;
  manageUrl: string;
  /** Where following can be ended without signing in. */
  stopUrl: string;
}

/** The HTML part of a shipment update. All texts are escaped by React; addresses are checked before. */
export function ShipmentUpdateEmail(props: ShipmentUpdateProps) {
  const { language, words, headline, parcel, detail, pickUpCode, expected, url, manageUrl, stopUrl } = props;
  const footer = (
    <>
      <SmallPrint>{words.why}</SmallPrint>
      <SmallPrint>
        <Link className="link" href={manageUrl} style={{ color: "#1d4fd7", textDecoration: "underline" }}>
          {words.manage}
        </Link>
      </SmallPrint>
      <SmallPrint>
        <Link className="link" href={stopUrl} style={{ color: "#1d4fd7", textDecoration: "underline" }}>
          {words.stop}
        </Link>
      </SmallPrint>
    </>
  );
  return (
    <MessageLayout language={language} preview={headline} footer={footer}>
      <Text
        className="quiet"
        style={{ margin: "0 0 4px", fontSize: "14px", lineHeight: "20px", color: "#5a6472" }}
      >
        {words.update}
      </Text>
      <Heading
        as="h1"
        className="ink"
        style={{
          margin: "0 0 16px",
          fontSize: "24px",
          lineHeight: "32px",
          fontWeight: 650,
          color: "#1b1f27",
        }}
      >
        {headline}
      </Heading>
      <Fact text={parcel} />
      {pickUpCode === "" ? null : <Fact label={words.pickUpCode} text={pickUpCode} strong />}
      {expected === "" ? null : <Fact label={words.expected} text={expected} />}
      {detail === "" ? null : <Paragraph>{detail}</Paragraph>}
      {url === null ? null : <LinkButton href={url}>{words.track}</LinkButton>}
    </MessageLayout>
  );
}

function Fact({ label, text, strong = false }: { label?: string; text: string; strong?: boolean }) {
  return (
    <Section
      className="box"
      style={{ backgroundColor: "#eef2f8", borderRadius: "8px", padding: "10px 14px", margin: "0 0 12px" }}
    >
      <Text
        className="ink"
        dir="auto"
        style={{
          margin: 0,
          fontSize: strong ? "22px" : "16px",
          lineHeight: strong ? "30px" : "24px",
          fontWeight: strong ? 700 : 400,
          color: "#1b1f27",
          overflowWrap: "anywhere",
        }}
      >
        {label === undefined ? null : <span>{label}: </span>}
        {text}
      </Text>
    </Section>
  );
}
