import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";

/** WCAG 2.2, levels A and AA. */
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

type Violations = Awaited<ReturnType<AxeBuilder["analyze"]>>["violations"];

const told = (violations: Violations) =>
  violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" | ")}`);

/** Axe for a page as it is, without what is only for frames of other origins and without telling what is in order. */
const axe = (page: Page) =>
  new AxeBuilder({ page }).options({ resultTypes: ["violations"] }).setLegacyMode(true);

/** What axe objects to on a page as it stands, each with its elements. */
export async function objections(page: Page): Promise<string[]> {
  return told((await axe(page).withTags(RULES).analyze()).violations);
}

/**
 * What axe objects to in either colour scheme. The second changes colours alone, so it is asked for contrasts alone; a
 * colour that is on its way would be neither, so the page's visitor prefers reduced motion.
 */
export async function objectionsInBothSchemes(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: "light" });
  const light = await objections(page);
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = told((await axe(page).withRules(["color-contrast"]).analyze()).violations);
  return [...light, ...dark.map((one) => `dark: ${one}`)];
}
