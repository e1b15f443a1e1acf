import { type Markup, markup, withLinks } from "./markup";
import type { Message } from "./message-store";

/** One message as its reader would see it, with what an observer wants to know below. */
export function messageCard(message: Message, appUrl: string | null): Markup {
  const version = `${message.status} ${message.replacedBy ?? ""}`;
  const body = { email: emailBody, sms: smsBody, push: pushBody }[message.channel](message, appUrl);
  const replaced =
    message.replacedBy && markup`<p class="notice">Replaced by a later push with the same topic.</p>`;
  return markup`<article class="card" id="m-${message.providerMessageId}" data-version="${version}">
${body}
<div class="replaced">${replaced}</div>
${message.note && markup`<p class="notice">${message.note}</p>`}
${facts(message)}
</article>`;
}

function facts({ key, at, providerMessageId, status }: Message): Markup {
  const iso = new Date(at).toISOString();
  return markup`<dl class="facts">
<dt>Accepted</dt><dd><time datetime="${iso}">${iso.replace("T", " ").replace("Z", " UTC")}</time></dd>
<dt>Status</dt><dd>${status}</dd>
<dt>Key</dt><dd>${key === null ? "none" : markup`<code>${key}</code>`}</dd>
<dt>Provider id</dt><dd><code>${providerMessageId}</code></dd>
</dl>`;
}

function emailBody({ subject, from, to, text, html }: Message): Markup {
  const letter = text !== null && markup`<pre class="letter">${withLinks(text)}</pre>`;
  const picture =
    html !== null &&
    markup`<iframe title="Email: ${subject ?? ""}" loading="lazy" sandbox="allow-popups allow-popups-to-escape-sandbox" srcdoc="${openingElsewhere(html)}"></iframe>`;
  const plain =
    html === null ? letter : letter && markup`<details><summary>Plain text</summary>${letter}</details>`;
  return markup`<header>
<p class="channel">Email</p>
<h2 class="address">${subject ?? ""}</h2>
<p class="quiet address">From ${from}</p>
<p class="quiet address">To ${to}</p>
</header>
${picture}
${plain}`;
}

/** Makes every link of an email open outside its frame, where scripts may run. */
function openingElsewhere(html: string): string {
  const base = '<base target="_blank">';
  return /<head[^>]*>/i.test(html) ? html.replace(/<head[^>]*>/i, (head) => head + base) : base + html;
}

function smsBody({ from, to, text }: Message): Markup {
  const isNumber = to.startsWith("+");
  const reply = markup`<form class="reply" method="post" action="/sms-replies">
<input type="hidden" name="from" value="${to}"><input type="hidden" name="to" value="${from}">
<input name="body" value="STOP" aria-label="Reply to ${from} as ${to}"><button>Reply</button>
</form>`;
  return markup`<header>
<p class="channel">SMS</p>
<h2 class="address">${to}</h2>
<p class="quiet address">From ${from}</p>
</header>
<p class="bubble">${withLinks(text ?? "")}</p>
${isNumber && reply}`;
}

function pushBody({ subject, text, to, url, from }: Message, appUrl: string | null): Markup {
  const target = url === undefined ? null : absolute(url, appUrl);
  const link = target
    ? markup`<a href="${target}" target="_blank" rel="noreferrer">${url}</a>`
    : markup`<code>${url}</code>`;
  const payload =
    text !== null && markup`<details><summary>Payload</summary><pre class="letter">${text}</pre></details>`;
  return markup`<header>
<p class="channel">Push, ${from} manner</p>
<p class="quiet address">To ${to}</p>
</header>
<div class="notification"><h2>${subject ?? "Untitled notification"}</h2><p>${bodyOf(text)}</p><div>${url !== undefined && link}</div></div>
${payload}`;
}

/** Where a push leads: its own address, or one of the app's. Null for anything a browser should not follow. */
function absolute(url: string, appUrl: string | null): string | null {
  try {
    const target = new URL(url, appUrl ?? undefined);
    return /^https?:$/.test(target.protocol) ? target.href : null;
  } catch {
    return null;
  }
}

/** The words of a notification's body, plain or declarative. */
function bodyOf(text: string | null): string {
  try {
    const outer = JSON.parse(text ?? "null");
    const body = outer?.notification?.body ?? outer?.body;
    return typeof body === "string" ? body : "";
  } catch {
    return text ?? "";
  }
}
