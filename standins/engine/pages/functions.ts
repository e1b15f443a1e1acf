import type { Context, RateRule, RegisteredFunction } from "../model";
import { upcomingTicks } from "../operate";
import { duration, html, instant, type Markup, page } from "./parts";

/** Ticks shown for each cron. */
const TICKS_SHOWN = 2;

/** The page of registered functions with their triggers, limits and next cron ticks. */
export function answerFunctions(context: Context): Response {
  const functions = [...context.functions.values()].sort((left, right) => left.id.localeCompare(right.id));
  const body = html`<h1>Functions</h1>${
    functions.length === 0
      ? html`<div class="empty"><strong>No app has registered yet</strong>The engine asks the app every few seconds.</div>`
      : html`<p class="quiet">As their app registered them.</p><table><thead><tr><th scope="col">Function</th>
<th scope="col">Starts on</th><th scope="col">Limits</th><th scope="col" class="number">Retries</th></tr></thead>
<tbody>${functions.map((fn) => row(context, fn))}</tbody></table>`
  }`;
  return page("Functions", "functions", body);
}

function row(context: Context, fn: RegisteredFunction): Markup {
  const limits = describeLimits(fn);
  return html`<tr><th scope="row"><a href="/?function=${encodeURIComponent(fn.id)}">${fn.id}</a>${
    fn.removed && html`<div class="quiet">no longer served; living runs go on</div>`
  }</th>
<td data-name="Starts on"><div>${triggers(context, fn)}</div></td>
<td data-name="Limits"><div>${limits.length > 0 ? limits.map((limit) => html`<div>${limit}</div>`) : html`<span class="quiet">none</span>`}</div></td>
<td data-name="Retries" class="number">${fn.retries}</td></tr>`;
}

function triggers(context: Context, fn: RegisteredFunction): Markup[] {
  const nowMs = context.clock.nowMs();
  const events = fn.triggers.map(
    ({ event, expression }) =>
      html`<div>${event}${expression && html` <span class="quiet">if ${expression}</span>`}</div>`,
  );
  const crons = fn.crons.map(({ cron }) => {
    const ticks = upcomingTicks(context, fn.id, cron, TICKS_SHOWN);
    return html`<div><span class="id">${cron}</span><div class="quiet">${
      ticks.length > 0
        ? html`next ${ticks.map((tick, index) => html`${index > 0 && ", "}${instant(tick, nowMs)}`)}`
        : "no next tick"
    }</div></div>`;
  });
  return [...events, ...crons];
}

function describeLimits(fn: RegisteredFunction): string[] {
  const by = (key: string | null) => (key ? ` by ${key}` : "");
  const rate = (name: string, rule: RateRule) =>
    `${name} ${rule.limit} per ${duration(rule.periodMs)}, ${rule.atOnce} at once${by(rule.key)}`;
  const limits = fn.concurrency.map(
    ({ limit, key, scope }) =>
      `concurrency ${limit}${by(key)}${scope === "fn" ? "" : `, shared in the ${scope}`}`,
  );
  if (fn.throttle) limits.push(rate("throttle", fn.throttle));
  if (fn.rateLimit) limits.push(rate("rate limit", fn.rateLimit));
  if (fn.priority) limits.push(`priority ${fn.priority}`);
  if (fn.singleton)
    limits.push(
      `singleton, ${fn.singleton.mode} the ${fn.singleton.mode === "skip" ? "newer" : "older"}${by(fn.singleton.key)}`,
    );
  if (fn.timeouts.startMs !== null)
    limits.push(`cancelled unless started in ${duration(fn.timeouts.startMs)}`);
  if (fn.timeouts.finishMs !== null)
    limits.push(`cancelled unless finished in ${duration(fn.timeouts.finishMs)}`);
  for (const rule of fn.cancel)
    limits.push(`cancelled by ${rule.event}${rule.expression ? ` if ${rule.expression}` : ""}`);
  return limits;
}
