import Link from "next/link";
import type { ReactNode } from "react";
import type { Language } from "../../db/rules/languages";
import { GiveWords } from "../_language/give-words";
import { Logo } from "../_ui/logo";
import { Card } from "../_ui/page-parts";

interface SignInFrameProps {
  title: string;
  language: Language;
  children: ReactNode;
}

/** The frame of both steps of signing in. */
export function SignInFrame({ title, language, children }: SignInFrameProps) {
  const { tag, words } = language;
  return (
    <main id="main" className="mx-auto flex w-full max-w-md grow flex-col justify-center gap-8 px-5 py-12">
      <Link href="/" className="self-center rounded-lg" aria-label={words.frame.toStart}>
        <Logo />
      </Link>
      <Card className="space-y-5">
        <h1 className="text-2xl font-semibold">{title}</h1>
        <GiveWords tag={tag} words={{ signIn: words.signIn }}>
          {children}
        </GiveWords>
      </Card>
    </main>
  );
}
