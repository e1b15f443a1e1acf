"use client";

import "./globals.css";
import { Failure } from "./_ui/failure";

/** What is shown when even the frame around the pages failed. */
export default function GlobalError({ error, retry }: { error: unknown; retry: () => void }) {
  return (
    <html lang="en">
      <body>
        <title>Something went wrong · Punctual</title>
        <main className="px-5">
          <Failure error={error} retry={retry} />
        </main>
      </body>
    </html>
  );
}
