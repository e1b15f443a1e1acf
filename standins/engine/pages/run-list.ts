import { listRuns } from "../api";
import type { Context } from "../model";
import { failedRuns, MOST_RERUNS } from "../operate";
import { type RunView, VIEW_STATUSES, type ViewStatus, viewStatus } from "../views";
import { badge, duration, html, instant, type Markup, page, statusWord } from "./parts";

/** Rows of one page of the list. */
const ROWS = 100;

/** The list of runs, newest first, of the filter in the URL. */
export function answerRuns(context: Context, url: URL): Response {
  const functionId = url.searchParams.get("function") ?? "";
  const status = url.searchParams.get("status") ?? "";
  const number = Math.max(1, Number(url.searchParams.get("page")) || 1);
  const matching = listRuns(context, url, number * ROWS + 1);
  const rows = matching.slice((number - 1) * ROWS, number * ROWS);
  const older = matching.length > number * ROWS;
  const query = filterQuery(functionId, status);
  const pageLink = (to: number, word: string) =>
    html`<a class="button" href="/?${query}&page=${to}">${word}</a>`;
  const body = html`
<h1>Runs</h1>
${counts(context, functionId)}
${notice(url)}
<div class="bar">${filterForm(context, functionId, status)}${bulkForm(context, functionId, status)}</div>
${rows.length > 0 ? table(rows, context.clock.nowMs()) : empty(context, functionId !== "" || status !== "")}
${number > 1 || older ? html`<div class="bar">${number > 1 && pageLink(number - 1, "Newer")}${older && pageLink(number + 1, "Older")}</div>` : ""}`;
  return page("Runs", "runs", body);
}

/** The filter as a query. */
export function filterQuery(functionId: string | null, status: string | null): string {
  return new URLSearchParams({ function: functionId ?? "", status: status ?? "" }).toString();
}

function counts(context: Context, functionId: string): Markup {
  const byStatus = new Map<ViewStatus, number>();
  for (const run of context.runs.values()) {
    if (functionId !== "" && run.fn.id !== functionId) continue;
    const status = viewStatus(context, run);
    byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
  }
  const present = VIEW_STATUSES.filter((status) => byStatus.has(status));
  if (present.length === 0) return html``;
  return html`<ul class="counts" aria-label="Runs by status">${present.map(
    (status) =>
      html`<li><a href="/?${filterQuery(functionId, status)}">${badge(status, `${byStatus.get(status)} ${statusWord(status).toLowerCase()}`)}</a></li>`,
  )}</ul>`;
}

function notice(url: URL): Markup | string {
  const count = url.searchParams.get("rerun");
  if (count === null) return "";
  if (count === "0")
    return html`<p class="notice" role="status">Nothing was rerun: no failed run matches, or each has been rerun already.</p>`;
  return html`<p class="notice" role="status">${count} ${count === "1" ? "run was" : "runs were"} started again.</p>`;
}

function filterForm(context: Context, functionId: string, status: string): Markup {
  const option = (value: string, word: string, chosen: string) =>
    html`<option value="${value}" ${value === chosen ? { markup: "selected" } : ""}>${word}</option>`;
  const names = [...context.functions.keys()].sort();
  return html`<form method="get" action="/">
<label>Function<select name="function">${option("", "All functions", functionId)}${names.map((name) => option(name, name, functionId))}</select></label>
<label>Status<select name="status">${option("", "Any status", status)}${VIEW_STATUSES.map((word) => option(word, statusWord(word), status))}</select></label>
<button>Show</button></form>`;
}

function bulkForm(context: Context, functionId: string, status: string): Markup | string {
  if (status !== "" && status !== "failed") return "";
  const count = Math.min(failedRuns(context, functionId).length, MOST_RERUNS);
  if (count === 0) return "";
  return html`<form method="post" action="/runs/rerun"><input type="hidden" name="function" value="${functionId}">
<button>Rerun ${count} failed ${count === 1 ? "run" : "runs"}</button></form>`;
}

function table(rows: RunView[], nowMs: number): Markup {
  return html`<table><thead><tr><th scope="col">Status</th><th scope="col">Function</th><th scope="col">Run</th>
<th scope="col">Started</th><th scope="col" class="number">Duration</th><th scope="col" class="number">Attempt</th></tr></thead>
<tbody>${rows.map((run) => row(run, nowMs))}</tbody></table>`;
}

function row(run: RunView, nowMs: number): Markup {
  const startedAtMs = run.startedAtMs ?? run.createdAtMs;
  const spentMs = (run.endedAtMs ?? nowMs) - startedAtMs;
  const next =
    run.endedAtMs === null && run.nextWakeAtMs !== null && run.nextWakeAtMs > nowMs
      ? html`<div class="quiet">next in ${duration(run.nextWakeAtMs - nowMs)}</div>`
      : "";
  return html`<tr><td>${badge(run.status)}${next}</td>
<td data-name="Function"><span>${run.functionId}<span class="quiet"><br>${run.event.name}</span></span></td>
<td data-name="Run"><a class="id" href="/runs/${run.id}">${run.id}</a></td>
<td data-name="Started"><span>${instant(startedAtMs, nowMs)}</span></td>
<td data-name="Duration" class="number">${run.startedAtMs === null ? "–" : duration(spentMs)}</td>
<td data-name="Attempt" class="number">${run.attempt + 1}</td></tr>`;
}

function empty(context: Context, filtered: boolean): Markup {
  if (filtered) {
    return html`<div class="empty"><strong>No run matches this filter</strong><a href="/">Show all runs</a></div>`;
  }
  if (context.functions.size === 0) {
    return html`<div class="empty"><strong>No app has registered yet</strong>The engine asks the app every few seconds.
An app can also register itself: <code>curl -X PUT http://localhost:3000/api/inngest</code></div>`;
  }
  return html`<div class="empty"><strong>No runs yet</strong>${context.functions.size} functions are registered.
They run when an event arrives or a cron ticks.</div>`;
}
