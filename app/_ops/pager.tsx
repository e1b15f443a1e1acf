import { ButtonLink } from "../_ui/button";

interface PagerProps {
  /** Where the first page is; null on it. */
  first: string | null;
  next: string | null;
  nextName?: string;
}

/** The way through a list that is newest first. It names the last row seen, so that nothing is skipped or repeated. */
export function Pager({ first, next, nextName = "Older" }: PagerProps) {
  if (first === null && next === null) return null;
  return (
    <nav aria-label="Pages" className="flex flex-wrap justify-between gap-3">
      {first === null ? (
        <span />
      ) : (
        <ButtonLink kind="secondary" href={first}>
          Back to the newest
        </ButtonLink>
      )}
      {next !== null && (
        <ButtonLink kind="secondary" href={next}>
          {nextName}
        </ButtonLink>
      )}
    </nav>
  );
}
