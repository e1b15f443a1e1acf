import Link from "next/link";
import type { ReactNode } from "react";
import { Logo } from "../_ui/logo";
import { Card } from "../_ui/page-parts";

/** The frame of both steps of signing in. */
export function SignInFrame({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main id="main" className="mx-auto flex w-full max-w-md grow flex-col justify-center gap-8 px-5 py-12">
      <Link href="/" className="self-center rounded-lg" aria-label="Punctual, to the start page">
        <Logo />
      </Link>
      <Card className="space-y-5">
        <h1 className="text-2xl font-semibold">{title}</h1>
        {children}
      </Card>
    </main>
  );
}
