import type { RunStatus } from "../model";
import type { ViewStatus } from "../views";

/** Markup that is already safe; everything else is escaped when it enters a page. */
export type Markup = { markup: string };

type Part = Markup | string | number | null | undefined | false | readonly Part[];

/** Builds markup; text in `${}` is escaped, markup and lists of it are not. */
export function html(texts: TemplateStringsArray, ...parts: Part[]): Markup {
  return {
    markup: texts.map((text, index) => text + (index < parts.length ? write(parts[index]) : "")).join(""),
  };
}

function write(part: Part): string {
  if (part === null || part === undefined || part === false) return "";
  if (Array.isArray(part)) return part.map(write).join("");
  if (typeof part === "object") return (part as Markup).markup;
  return String(part).replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

const WORDS: Record<ViewStatus, string> = {
  queued: "Queued",
  running: "Running",
  waiting: "Waiting",
  completed: "Completed",
  failed: "Failed",
  cancelled: "Cancelled",
  skipped: "Skipped",
};

/** One shape per status, so that nobody needs the colour: drawn in a box of 12. */
const SHAPES: Record<ViewStatus, string> = {
  queued: '<circle cx="6" cy="6" r="4.5" class="line"/>',
  running: '<circle cx="6" cy="6" r="4.5" class="line"/><path d="M6 1.5a4.5 4.5 0 0 1 0 9z"/>',
  waiting: '<circle cx="6" cy="6" r="4.5" class="line"/><path d="M6 3.5V6l1.8 1.2" class="line"/>',
  completed: '<path d="M1.5 6.5 4.5 9.5 10.5 2.5" class="line"/>',
  failed: '<path d="M2 2l8 8M10 2l-8 8" class="line"/>',
  cancelled: '<circle cx="6" cy="6" r="4.5" class="line"/><path d="M2.8 9.2 9.2 2.8" class="line"/>',
  skipped: '<path d="M2 6h8" class="line"/>',
};

/** The status in a reader's word. */
export function statusWord(status: ViewStatus): string {
  return WORDS[status];
}

/** Shape and word of a status. */
export function badge(status: ViewStatus, word = WORDS[status]): Markup {
  const shape: Markup = { markup: `<svg viewBox="0 0 12 12" aria-hidden="true">${SHAPES[status]}</svg>` };
  return html`<span class="badge ${status}">${shape}${word}</span>`;
}

/** The badge whose look suits a step's state. */
export function stepBadge(status: string): Markup {
  const look: Record<string, ViewStatus> = {
    planned: "queued",
    retrying: "running",
    sleeping: "waiting",
    waiting: "waiting",
    invoking: "waiting",
  };
  return badge(look[status] ?? (status as RunStatus), status.charAt(0).toUpperCase() + status.slice(1));
}

/** An instant in UTC, to the millisecond; the day is named unless it is today. */
export function instant(ms: number | null, nowMs: number): Markup | string {
  if (ms === null) return "–";
  const iso = new Date(ms).toISOString();
  const [day = "", time = ""] = iso.slice(0, -1).split("T");
  const today = new Date(nowMs).toISOString().startsWith(day);
  return html`<time datetime="${iso}" title="${iso}">${today ? time : `${day} ${time.slice(0, 8)}`}</time>`;
}

/** A duration in at most two units: "38 ms", "4.2 s", "3 min 5 s", "2 d 4 h". */
export function duration(ms: number | null): string {
  if (ms === null) return "–";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  // Just under a minute would read 60.0 s.
  if (ms < 59_950) return `${(ms / 1000).toFixed(1).replace(".0", "")} s`;
  const units: [number, string][] = [
    [86_400_000, "d"],
    [3_600_000, "h"],
    [60_000, "min"],
    [1000, "s"],
  ];
  const first = units.findIndex(([size]) => ms >= size);
  const [size, name] = units[first] as [number, string];
  const next = units[first + 1];
  const rest = next ? Math.floor((ms % size) / next[0]) : 0;
  return `${Math.floor(ms / size)} ${name}${next && rest > 0 ? ` ${rest} ${next[1]}` : ""}`;
}

/** A value as indented JSON. */
export function pretty(value: unknown): Markup {
  return html`<pre tabindex="0">${typeof value === "string" ? value : JSON.stringify(value, null, 2)}</pre>`;
}

/** A whole page. */
export function page(title: string, current: "runs" | "functions", body: Markup, status = 200): Response {
  const link = (href: string, name: string, key: string) =>
    html`<a href="${href}" ${current === key ? { markup: 'aria-current="page"' } : ""}>${name}</a>`;
  const whole = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Engine</title>
<link rel="icon" href="data:,">
<style>${{ markup: STYLE }}</style>
</head>
<body>
<header><strong>Engine</strong><nav aria-label="Pages">${link("/", "Runs", "runs")}${link("/functions", "Functions", "functions")}</nav>
<span class="quiet">Local stand-in, kept in memory. Times are UTC.</span></header>
<main>${body}</main>
</body>
</html>`;
  const headers = { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" };
  return new Response(whole.markup, { status, headers });
}

const STYLE = `
:root{color-scheme:light dark;--ground:light-dark(#fbfbfa,#151618);--card:light-dark(#fff,#1c1e21);--ink:light-dark(#1d1f23,#e9e9e6);
--quiet:light-dark(#5d6168,#a2a6ad);--rule:light-dark(#e3e3df,#303338);--link:light-dark(#1d4fa8,#8db6ff);
--good:light-dark(#1b6b3a,#6fd196);--bad:light-dark(#b3261e,#ff9b93);--busy:light-dark(#1d4fa8,#8db6ff);--warm:light-dark(#7a5200,#e8bd6a)}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,sans-serif;font-variant-numeric:tabular-nums}
a{color:var(--link);text-underline-offset:3px}
a:focus-visible,button:focus-visible,select:focus-visible,summary:focus-visible,pre:focus-visible{outline:2px solid var(--link);outline-offset:2px}
header{display:flex;flex-wrap:wrap;align-items:baseline;gap:4px 20px;padding:14px 24px;border-bottom:1px solid var(--rule);background:var(--card)}
nav{display:flex;gap:16px}nav a{text-decoration:none;color:var(--quiet);padding:4px 0}
nav a[aria-current]{color:var(--ink);box-shadow:inset 0 -2px var(--link)}
.quiet{color:var(--quiet);font-size:13px}header .quiet{margin-left:auto}
main{max-width:1180px;margin:0 auto;padding:24px}
h1{font-size:22px;line-height:1.25;margin:0 0 4px;overflow-wrap:anywhere}h2{font-size:16px;margin:32px 0 10px}
.bar{display:flex;flex-wrap:wrap;gap:10px 16px;align-items:end;margin:16px 0}
.bar.middle{align-items:center}
.bar form{display:flex;flex-wrap:wrap;gap:10px;align-items:end}
.counts{display:flex;flex-wrap:wrap;gap:6px 18px;padding:0;margin:12px 0;list-style:none}.counts a{color:inherit;text-decoration:none;padding:4px 0}.counts a:hover{text-decoration:underline}
label{display:grid;gap:3px;font-size:13px;color:var(--quiet)}
select,button,.button{font:inherit;color:var(--ink);background:var(--card);border:1px solid var(--rule);border-radius:7px;padding:7px 12px;min-height:38px;max-width:100%}
button,.button{cursor:pointer;text-decoration:none;border-color:light-dark(#b9bbbd,#54585e)}button:hover{border-color:var(--link)}
.danger{color:var(--bad)}
.notice,.problem{border:1px solid var(--rule);border-left:4px solid var(--busy);border-radius:7px;background:var(--card);padding:10px 14px;margin:16px 0;overflow-wrap:anywhere}.problem{border-left-color:var(--bad)}
table{width:100%;border-collapse:separate;border-spacing:0;background:var(--card);border:1px solid var(--rule);border-radius:9px;overflow:hidden}
th,td{text-align:left;vertical-align:top;padding:9px 14px;border-top:1px solid var(--rule)}
th{font-weight:500}thead th{font-size:13px;color:var(--quiet);border-top:0;white-space:nowrap}
tbody tr:hover{background:light-dark(#f5f6f8,#22252a)}
td.number,th.number{text-align:right;white-space:nowrap}td time{white-space:nowrap}
.id{font:12.5px/1.5 ui-monospace,monospace;overflow-wrap:anywhere}
.badge{display:inline-flex;align-items:center;gap:7px;white-space:nowrap}.badge svg{width:12px;height:12px;flex:none;fill:currentColor}
.badge .line{fill:none;stroke:currentColor;stroke-width:1.6;stroke-linecap:round;stroke-linejoin:round}
.completed svg{color:var(--good)}.failed{color:var(--bad)}.running svg{color:var(--busy)}.waiting svg,.queued svg{color:var(--warm)}.cancelled svg,.skipped svg{color:var(--quiet)}
dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(210px,1fr));gap:14px 24px;margin:20px 0}dt{font-size:13px;color:var(--quiet)}dd{margin:0;overflow-wrap:anywhere}
pre{margin:0;padding:12px 14px;max-height:380px;overflow:auto;background:var(--card);border:1px solid var(--rule);border-radius:7px;font:12.5px/1.55 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}
summary{cursor:pointer;color:var(--quiet);font-size:13px;padding:4px 0}
.empty{border:1px dashed var(--rule);border-radius:9px;padding:36px 24px;text-align:center;color:var(--quiet)}.empty strong{color:var(--ink);display:block;font-size:16px;margin-bottom:4px}
.empty code{font:12.5px ui-monospace,monospace}
@media(max-width:700px){main{padding:16px}header{padding:12px 16px}header .quiet{margin-left:0}
thead{position:absolute;clip-path:inset(50%);height:1px;width:1px;overflow:hidden}table,tbody,tr,td,th{display:block}
tbody tr{padding:10px 14px;border-top:1px solid var(--rule)}tbody tr:first-child{border-top:0}
tbody th,tbody td{border:0;padding:2px 0}td.number{text-align:left}
td[data-name]{display:grid;grid-template-columns:92px minmax(0,1fr);gap:8px}td[data-name]::before{content:attr(data-name);color:var(--quiet);font-size:13px}
dl{grid-template-columns:1fr 1fr}dl>:first-child{grid-column:1/-1}
.bar form[method=get]{width:100%;display:grid;grid-template-columns:1fr 1fr}.bar select{width:100%}}
`;
