import "@fontsource-variable/inter";
import type { Metadata, Viewport } from "next";
import { connection } from "next/server";
import type { ReactNode } from "react";
import { GiveWords } from "./_language/give-words";
import { pageLanguage } from "./_language/language";
import "./globals.css";

export async function generateMetadata(): Promise<Metadata> {
  const { words } = await pageLanguage();
  return {
    title: { default: "Punctual", template: "%s · Punctual" },
    description: words.frame.description,
    applicationName: "Punctual",
    appleWebApp: { capable: true, title: "Punctual" },
    formatDetection: { telephone: false, email: false, address: false },
  };
}

export const viewport: Viewport = {
  themeColor: [
    { media: "(prefers-color-scheme: light)", color: "#f7f7f5" },
    { media: "(prefers-color-scheme: dark)", color: "#111214" },
  ],
  colorScheme: "light dark",
};

export default async function RootLayout({ children }: { children: ReactNode }) {
  // No page is made ahead of its request: its scripts carry the nonce of this one answer.
  await connection();
  const { locale, dir, tag, words } = await pageLanguage();
  return (
    <html lang={locale} dir={dir}>
      <body className="flex min-h-dvh flex-col">
        <a
          href="#main"
          className="sr-only focus:not-sr-only focus:fixed focus:top-3 focus:start-3 focus:z-50 focus:rounded-lg focus:bg-accent focus:px-4 focus:py-2 focus:font-medium focus:text-on-accent"
        >
          {words.frame.skip}
        </a>
        <GiveWords tag={tag} words={{ frame: words.frame, failure: words.failure }}>
          {children}
        </GiveWords>
      </body>
    </html>
  );
}
