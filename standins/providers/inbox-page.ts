import { PROVIDERS, type ProviderName } from "./answer";
import { controlSection } from "./inbox-controls";
import { messageCard } from "./inbox-messages";
import { INBOX_SCRIPT, INBOX_STYLE } from "./inbox-style";
import { Markup, markup } from "./markup";
import type { MessageFilter } from "./message-store";
import type { SettingsProblem } from "./settings";
import type { World } from "./world";

export type InboxView = {
  filter: MessageFilter;
  /** The list stands still. */
  paused: boolean;
  /** Marks the page's own script as the only one that may run. */
  nonce: string;
  /** What a form that was just sent got wrong. */
  problems?: { provider: ProviderName; list: SettingsProblem[] };
};

/** Messages on one page: more make the page slow, and older ones are found by address. */
const MOST_SHOWN = 100;
/** Addresses offered while typing. */
const MOST_SUGGESTED = 50;

/** The inbox: every accepted message as its reader would see it, beside the providers' limits and faults. */
export function inboxPage(world: World, view: InboxView): string {
  const { filter, paused, nonce, problems } = view;
  const found = world.messages.list(filter);
  const shown = found.slice(0, MOST_SHOWN);
  const controls = PROVIDERS.map((name) =>
    controlSection(world, name, problems?.provider === name ? problems.list : []),
  );
  const live = paused || problems ? "" : address(filter, false);
  const page = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Inbox (${found.length})</title>
<style>${new Markup(INBOX_STYLE)}</style>
</head>
<body data-url="${live}">
<a class="skip" href="#messages">Skip to messages</a>
<div class="page">
<header class="top">
<div><h1>Inbox</h1><p class="quiet">What the stand-ins for Resend, Twilio and Web Push accepted, as readers see it.</p></div>
${bar(world, view)}
</header>
<div class="columns">
<main class="list">
<div class="bar quiet"><p id="count" data-live>${countOf(found.length, shown.length)}</p><p id="said" role="status"></p></div>
<div class="list" id="messages">${shown.length > 0 ? shown.map((message) => messageCard(message, world.appUrl)) : emptyState(filter)}</div>
</main>
<aside class="controls" aria-label="Limits and faults"><h2 id="controls">Limits and faults</h2>${controls}</aside>
</div>
</div>
<datalist id="retry-after-forms"><option value="seconds"><option value="http-date"><option value="absent"></datalist>
<script nonce="${nonce}">${new Markup(INBOX_SCRIPT)}</script>
</body>
</html>`;
  return page.html;
}

function bar(world: World, { filter, paused }: InboxView): Markup {
  const tab = (channel: string | null, label: string) => {
    const current = (filter.channel ?? null) === channel && markup` aria-current="page"`;
    return markup`<li><a href="${address({ ...filter, channel }, paused)}"${current}>${label}</a></li>`;
  };
  const known = new Set(
    world.messages.list({ channel: filter.channel }).flatMap(({ recipients }) => recipients),
  );
  const suggestions = [...known].slice(0, MOST_SUGGESTED).map((name) => markup`<option value="${name}">`);
  const clear =
    filter.to &&
    markup`<a class="button" href="${address({ channel: filter.channel }, paused)}">Everybody</a>`;
  return markup`<nav class="bar" aria-label="Filter">
<ul class="tabs">${[tab(null, "All"), tab("email", "Email"), tab("sms", "SMS"), tab("push", "Push")]}</ul>
<form class="find" role="search">
${filter.channel && markup`<input type="hidden" name="channel" value="${filter.channel}">`}
${paused && markup`<input type="hidden" name="live" value="off">`}
<input name="to" value="${filter.to}" placeholder="Address, number or device" aria-label="Address, number or device" list="known" autocomplete="off">
<button>Find</button>${clear}
</form>
<datalist id="known">${suggestions}</datalist>
<a class="button" href="${address(filter, !paused)}">${paused ? "Resume updates" : "Pause updates"}</a>
<a href="#controls">Limits and faults</a>
</nav>`;
}

/** The page's address for a filter: the URL is the state. */
function address(filter: MessageFilter, paused: boolean): string {
  const query = new URLSearchParams();
  if (filter.channel) query.set("channel", filter.channel);
  if (filter.to) query.set("to", filter.to);
  if (paused) query.set("live", "off");
  return query.size > 0 ? `/?${query}` : "/";
}

function countOf(found: number, shown: number): string {
  if (found === 0) return "";
  const messages = found === 1 ? "1 message" : `${found} messages`;
  return shown < found ? `${messages}, the newest ${shown} shown.` : `${messages}, newest first.`;
}

function emptyState(filter: MessageFilter): Markup {
  if (filter.to || filter.channel) {
    const what = filter.to ? markup` to <code>${filter.to}</code>` : "";
    return markup`<div class="card empty" id="empty"><h2>Nothing${what} yet</h2>
<p class="quiet">The filter takes a whole address, number, endpoint or device id. <a href="/">Show all messages</a></p></div>`;
  }
  return markup`<div class="card empty" id="empty"><h2>No messages yet</h2>
<p class="quiet">Emails, texts and pushes appear here as soon as a provider accepts them.</p></div>`;
}
