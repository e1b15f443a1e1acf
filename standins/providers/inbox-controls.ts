import type { ProviderName } from "./answer";
import { suggestedFaults } from "./faults";
import { breakPanel } from "./inbox-breaks";
import { type Markup, markup } from "./markup";
import type { SettingsProblem } from "./settings";
import type { World } from "./world";

const TITLES: Record<ProviderName, string> = {
  resend: "Resend (email)",
  twilio: "Twilio (SMS)",
  push: "Web Push",
};

/** One provider's figures, its standing fault, and the form that changes its limits and faults. */
export function controlSection(world: World, provider: ProviderName, problems: SettingsProblem[]): Markup {
  const { settings } = world.lines[provider];
  const option = (value: string, chosen: string) =>
    markup`<option${value === chosen && markup` selected`}>${value}</option>`;
  const wrong = problems.map(
    ({ field, accepted }) => markup`<p class="wrong" role="alert">${field} must be ${accepted}.</p>`,
  );
  const text = (name: string, label: string, value: string | number | null, list?: string) =>
    markup`<label>${label}<input name="${name}" value="${value}"${list && markup` list="${list}"`} placeholder="none" autocomplete="off"></label>`;
  return markup`<section class="card" id="${provider}" aria-labelledby="${provider}-title">
<h3 id="${provider}-title">${TITLES[provider]}</h3>
<div id="${provider}-standing" data-live>${standing(world, provider)}</div>
${wrong}
${breakPanel(provider)}
<details${problems.length > 0 && markup` open`}><summary>All settings</summary>
<form method="post" action="/control-form/${provider}">
<div class="fields">
${text("ratePerSecond", "Rate per second", settings.ratePerSecond)}
${text("burst", "Burst", settings.burst)}
${text("dailyQuota", "Daily quota", settings.dailyQuota)}
${text("latencyMs", "Latency, ms", settings.latencyMs)}
${text("retryAfter", "Retry-After", settings.retryAfter, "retry-after-forms")}
${text("retryAfterSeconds", "Seconds it names", settings.retryAfterSeconds)}
<label class="wide">Fault<input name="fault" value="${settings.fault}" list="${provider}-faults" placeholder="none" autocomplete="off"></label>
<label>Takes hold<select name="faultWhen">${["before", "after"].map((when) => option(when, settings.faultWhen))}</select></label>
${text("faultCount", "For so many calls", settings.fault === null ? null : settings.faultCount)}
<label class="wide">Only to<input name="faultTo" value="${settings.faultTo}" placeholder="everybody" autocomplete="off"></label>
${provider !== "push" && markup`<label>Receipts<select name="receipts">${["normal", "twice", "reversed", "absent"].map((how) => option(how, settings.receipts))}</select></label>`}
</div>
<datalist id="${provider}-faults">${suggestedFaults(provider).map((name) => markup`<option value="${name}">`)}</datalist>
<p class="bar" style="margin-top: 12px"><button class="first">Apply</button><button name="restore" value="1">Restore defaults</button></p>
</form>
</details>
</section>`;
}

function standing(world: World, provider: ProviderName): Markup {
  const { settings, daily } = world.lines[provider];
  const summary = world.ledger.summary(provider);
  const figures = [
    ["Accepted", summary.accepted],
    ["Duplicates", summary.duplicates],
    ["Throttled", summary.throttled],
    ["Most in 1 s", summary.maxInOneSecond],
  ] as const;
  const count = settings.faultCount === null ? "until changed" : `for ${settings.faultCount} more`;
  const fault = settings.fault !== null && markup`<p class="notice">Fault: ${settings.fault}, ${count}.</p>`;
  const used = daily.used(world.clock.nowMs());
  const quota =
    settings.dailyQuota !== null &&
    (used < settings.dailyQuota
      ? markup`<p class="quiet">${used} of ${settings.dailyQuota} used in 24 hours.</p>`
      : markup`<p class="notice">The day’s quota of ${settings.dailyQuota} is used up: ${used} in 24 hours.</p>`);
  return markup`<dl class="figures">${figures.map(
    ([name, value]) => markup`<div><dt>${name}</dt><dd>${value}</dd></div>`,
  )}</dl>${quota}${fault}`;
}
