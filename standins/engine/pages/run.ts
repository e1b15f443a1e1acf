import { wireEvent } from "../intake";
import type { Context, StepRecord } from "../model";
import { type RunView, viewRun } from "../views";
import { badge, duration, html, instant, type Markup, page, pretty, stepBadge } from "./parts";

/** The page of one run: its event, its steps, every call, and what can be done with it. */
export function answerRun(context: Context, id: string): Response {
  const run = context.runs.get(id);
  if (!run) {
    const body = html`<div class="empty"><strong>This run is not known here</strong>Ended runs are kept for a while, and
nothing outlives the engine. <a href="/">All runs</a></div>`;
    return page("Unknown run", "runs", body, 404);
  }
  const view = viewRun(context, run);
  const nowMs = context.clock.nowMs();
  const body = html`
<p class="quiet"><a href="/">Runs</a> / <a href="/?function=${encodeURIComponent(view.functionId)}">${view.functionId}</a></p>
<h1>${view.functionId}</h1>
<div class="bar middle">${badge(view.status)}
<form method="post" action="/runs/${view.id}/rerun"><button>Rerun</button></form>
${view.endedAtMs === null && html`<form method="post" action="/runs/${view.id}/cancel"><button class="danger">Cancel run</button></form>`}</div>
${facts(view, nowMs)}
${view.error && html`<div class="problem"><strong>${view.error.name}</strong>: ${view.error.message}${stack(view.error.stack)}</div>`}
${steps(view, nowMs)}
${calls(view, nowMs)}
${view.status === "completed" && html`<h2>Output</h2>${pretty(view.output)}`}
<h2>Event</h2>${pretty(wireEvent(run.event))}`;
  return page(view.functionId, "runs", body);
}

function facts(run: RunView, nowMs: number): Markup {
  const fact = (name: string, value: Markup | string) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  const link = (id: string) => html`<a class="id" href="/runs/${id}">${id}</a>`;
  const spentMs = run.startedAtMs === null ? null : (run.endedAtMs ?? nowMs) - run.startedAtMs;
  const wakesInMs = run.endedAtMs === null && run.nextWakeAtMs !== null ? run.nextWakeAtMs - nowMs : null;
  return html`<dl>
${fact("Run", html`<span class="id">${run.id}</span>`)}
${fact("Created", instant(run.createdAtMs, nowMs))}
${fact("Started", instant(run.startedAtMs, nowMs))}
${fact("Duration", duration(spentMs))}
${fact("Attempt", String(run.attempt + 1))}
${wakesInMs !== null && fact("Next wake", html`${instant(run.nextWakeAtMs, nowMs)} <span class="quiet">(in ${duration(Math.max(0, wakesInMs))})</span>`)}
${run.rerunOf !== null && fact("Rerun of", link(run.rerunOf))}
${run.rerunAs !== null && fact("Rerun as", link(run.rerunAs))}
</dl>`;
}

function steps(run: RunView, nowMs: number): Markup {
  if (run.steps.length === 0) return html`<h2>Steps</h2><p class="quiet">No step has been reported.</p>`;
  return html`<h2>Steps</h2><table><thead><tr><th scope="col">Status</th><th scope="col">Step</th><th scope="col">Kind</th>
<th scope="col">Started</th><th scope="col" class="number">Duration</th><th scope="col" class="number">Attempts</th></tr></thead>
<tbody>${run.steps.map((step) => stepRow(step, nowMs))}</tbody></table>`;
}

function stepRow(step: StepRecord, nowMs: number): Markup {
  const wake =
    step.wakeAtMs !== null && html`<div class="quiet">until ${instant(step.wakeAtMs, nowMs)}</div>`;
  const error =
    step.error &&
    html`<details><summary>${step.error.name}: ${step.error.message}</summary>${pretty(step.error)}</details>`;
  const output =
    step.output !== undefined &&
    step.output !== null &&
    html`<details><summary>Output</summary>${pretty(step.output)}</details>`;
  const spentMs = step.endedAtMs === null ? null : step.endedAtMs - step.startedAtMs;
  return html`<tr><td>${stepBadge(step.status)}${wake}</td><td data-name="Step"><div>${step.name}${error}${output}</div></td>
<td data-name="Kind">${step.op}</td><td data-name="Started"><span>${instant(step.startedAtMs, nowMs)}</span></td>
<td data-name="Duration" class="number">${duration(spentMs)}</td>
<td data-name="Attempts" class="number">${step.attempts === 0 ? "–" : step.attempts}</td></tr>`;
}

function calls(run: RunView, nowMs: number): Markup | string {
  if (run.calls.length === 0) return "";
  const names = new Map(run.steps.map((step) => [step.id, step.name]));
  const rows = run.calls.map((call) => {
    const spentMs = call.endedAtMs === null ? null : call.endedAtMs - call.startedAtMs;
    const step = call.stepId === null ? "what comes next" : (names.get(call.stepId) ?? call.stepId);
    return html`<tr><td data-name="At"><span>${instant(call.startedAtMs, nowMs)}</span></td><td data-name="Asked for">${step}</td>
<td data-name="Answer"><span>${call.outcome}</span></td><td data-name="Attempt" class="number">${call.attempt + 1}</td>
<td data-name="Duration" class="number">${duration(spentMs)}</td></tr>`;
  });
  return html`<h2>Calls to the app</h2><table><thead><tr><th scope="col">At</th><th scope="col">Asked for</th>
<th scope="col">Answer</th><th scope="col" class="number">Attempt</th><th scope="col" class="number">Duration</th></tr></thead>
<tbody>${rows}</tbody></table>`;
}

function stack(text: string | undefined): Markup | string {
  return text ? html`<details><summary>Stack</summary>${pretty(text)}</details>` : "";
}
