import { Button, Container, Head, Hr, Html, Preview, Section, Text } from "@react-email/components";
import type { ReactNode } from "react";
import { textDirection } from "./words";

export interface LayoutProps {
  /** Language of the text, as a BCP 47 tag. */
  language: string;
  /** What a mailbox shows beside the subject. */
  preview: string;
  /** Small print under the message. */
  footer: ReactNode;
  children: ReactNode;
}

const FONT =
  '-apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, "Helvetica Neue", Arial, "Noto Sans", sans-serif';

/**
 * Colours are written inline, for clients that read nothing else. Clients with a dark mode of their own take these
 * instead, by class; those that invert by themselves find plain backgrounds without pictures to spoil.
 */
const DARK = `
  @media (prefers-color-scheme: dark) {
    .page { background-color: #14161a !important; }
    .card { background-color: #1e2127 !important; border-color: #31353d !important; }
    .ink { color: #f2f4f7 !important; }
    .quiet { color: #a9b0bb !important; }
    .box { background-color: #2a2e36 !important; }
    .rule { border-color: #31353d !important; }
    .button { background-color: #8ab4ff !important; color: #0d1b33 !important; }
    .link { color: #8ab4ff !important; }
  }
`;

const CARD = {
  backgroundColor: "#ffffff",
  border: "1px solid #dfe3e8",
  borderRadius: "12px",
  padding: "28px 28px 24px",
};

/** What all emails share: one column, one card, no pictures, readable without styles. */
export function MessageLayout({ language, preview, footer, children }: LayoutProps) {
  return (
    <Html lang={language} dir={textDirection(language)}>
      <Head>
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <style>{DARK}</style>
      </Head>
      {/* Not the library's Body: it paints an inner cell as well, which a class cannot reach in dark mode. */}
      <body className="page" style={{ margin: 0, padding: 0, backgroundColor: "#f3f4f6", fontFamily: FONT }}>
        <Preview>{preview}</Preview>
        <Section style={{ padding: "24px 12px" }}>
          <Container style={{ maxWidth: "560px", margin: "0 auto" }}>
            <Text
              className="quiet"
              style={{ margin: "0 4px 12px", fontSize: "14px", fontWeight: 600, color: "#5a6472" }}
            >
              Punctual
            </Text>
            <Section className="card" style={CARD}>
              {children}
            </Section>
            <Hr className="rule" style={{ margin: "24px 0 12px", borderColor: "#dfe3e8" }} />
            <Section style={{ padding: "0 4px" }}>{footer}</Section>
          </Container>
        </Section>
      </body>
    </Html>
  );
}

/** A paragraph of the message. User text keeps its line breaks and never runs out of the card. */
export function Paragraph({ children }: { children: ReactNode }) {
  return (
    <Text
      className="ink"
      dir="auto"
      style={{
        margin: "0 0 16px",
        fontSize: "16px",
        lineHeight: "24px",
        color: "#1b1f27",
        whiteSpace: "pre-line",
        overflowWrap: "anywhere",
      }}
    >
      {children}
    </Text>
  );
}

/** The one thing that a message asks for. */
export function LinkButton({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Button
      className="button"
      href={href}
      style={{
        display: "inline-block",
        padding: "12px 20px",
        borderRadius: "8px",
        backgroundColor: "#1d4fd7",
        color: "#ffffff",
        fontSize: "16px",
        fontWeight: 600,
        textDecoration: "none",
      }}
    >
      {children}
    </Button>
  );
}

/** Small print. */
export function SmallPrint({ children }: { children: ReactNode }) {
  return (
    <Text
      className="quiet"
      style={{ margin: "0 0 8px", fontSize: "13px", lineHeight: "20px", color: "#5a6472" }}
    >
      {children}
    </Text>
  );
}
