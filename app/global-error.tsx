"use client";

import "./globals.css";
import { Failure } from "./_ui/failure";

/** In English for everybody: the frame that knows the reader's language is what failed. */
const WORDS = {
  heading: "This page could not be shown",
  text: "Something went wrong on our side. Reminders that you have set are stored and go out as planned, whatever this page does.",
  again: "Try again",
  reminders: "Go to your reminders",
  reference: "Reference for support: {reference}",
};

/** What is shown when even the frame around the pages failed. */
export default function GlobalError({ error, retry }: { error: unknown; retry: () => void }) {
  return (
    <html lang="en">
      <body>
        <title>Something went wrong · Punctual</title>
        <main className="px-5">
          <Failure error={error} retry={retry} words={WORDS} />
        </main>
      </body>
    </html>
  );
}
