/** The page's whole style sheet: one column on a phone, messages beside controls from 1000 px. */
export const INBOX_STYLE = `
:root {
  color-scheme: light dark;
  --page: #f4f5f7; --card: #ffffff; --ink: #1a1d23; --quiet: #5a6270; --line: #d9dde3;
  --accent: #2456c7; --accent-ink: #ffffff; --bubble: #dfe9ff; --warn: #8a4b00; --warn-ground: #fff1dc; --bad: #a3161f;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14161a; --card: #1e2127; --ink: #e8eaee; --quiet: #a3abb8; --line: #363b45;
    --accent: #8fb1ff; --accent-ink: #10131a; --bubble: #27365c; --warn: #ffcf8f; --warn-ground: #3a2a12; --bad: #ff9aa0;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
a { color: var(--accent); }
h1 { font-size: 1.35rem; margin: 0; } h2 { font-size: 1.05rem; margin: 0; } h3 { font-size: 1rem; margin: 0; }
p { margin: 0; }
code { font: 0.85em ui-monospace, monospace; overflow-wrap: anywhere; }
.quiet { color: var(--quiet); }
.skip { position: absolute; left: -999px; }
.skip:focus { left: 8px; top: 8px; background: var(--card); padding: 8px 12px; z-index: 2; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.page { max-width: 1240px; margin: 0 auto; padding: 16px; display: grid; gap: 16px; }
.top { display: grid; gap: 12px; }
.bar { display: flex; flex-wrap: wrap; gap: 8px 12px; align-items: center; }
.tabs { display: flex; flex-wrap: wrap; gap: 4px; list-style: none; margin: 0; padding: 0; }
.tabs a, .button, button {
  display: inline-flex; align-items: center; min-height: 36px; padding: 4px 12px; border-radius: 8px;
  border: 1px solid var(--line); background: var(--card); color: var(--ink); font: inherit; text-decoration: none; cursor: pointer;
}
.tabs a[aria-current] { background: var(--accent); color: var(--accent-ink); border-color: var(--accent); }
button.first { background: var(--accent); color: var(--accent-ink); border-color: var(--accent); }
input, select {
  width: 100%; min-height: 36px; padding: 4px 8px; border-radius: 8px; border: 1px solid var(--line);
  background: var(--card); color: var(--ink); font: inherit;
}
.find { display: flex; flex: 1 1 260px; gap: 8px; max-width: 460px; }
.columns { display: grid; gap: 24px; align-items: start; }
@media (min-width: 1000px) { .columns { grid-template-columns: minmax(0, 1fr) 370px; } }
.list { display: grid; gap: 16px; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 14px; display: grid; gap: 10px; min-width: 0; }
.card > header { display: grid; gap: 2px; min-width: 0; }
.address { overflow-wrap: anywhere; }
.channel { font-size: 0.75rem; letter-spacing: 0.06em; text-transform: uppercase; color: var(--quiet); }
iframe { width: 100%; height: 360px; border: 1px solid var(--line); border-radius: 8px; background: #ffffff; resize: vertical; }
.letter { white-space: pre-wrap; overflow-wrap: anywhere; margin: 8px 0 0; font: inherit; }
.bubble { justify-self: start; max-width: min(100%, 440px); background: var(--bubble); border-radius: 16px 16px 16px 4px; padding: 8px 14px; white-space: pre-wrap; overflow-wrap: anywhere; }
.reply { display: flex; gap: 8px; max-width: 300px; }
.notification { border: 1px solid var(--line); border-radius: 12px; padding: 10px 14px; max-width: 440px; box-shadow: 0 1px 4px rgb(0 0 0 / 0.12); overflow-wrap: anywhere; }
.notice { background: var(--warn-ground); color: var(--warn); border-radius: 8px; padding: 6px 10px; }
.wrong { color: var(--bad); overflow-wrap: anywhere; }
.facts { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 2px 12px; margin: 0; padding-top: 10px; border-top: 1px solid var(--line); font-size: 0.85rem; }
.facts dt { color: var(--quiet); } .facts dd { margin: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
.replaced:empty { display: none; }
.notification h2 { font-size: 1rem; }
summary { cursor: pointer; color: var(--quiet); padding: 4px 0; }
.empty { text-align: center; padding: 48px 16px; justify-items: center; }
.controls { display: grid; gap: 16px; }
.figures { display: grid; grid-template-columns: repeat(4, 1fr); gap: 8px; margin: 0; text-align: center; }
.figures dt { font-size: 0.75rem; color: var(--quiet); } .figures dd { margin: 0; font-weight: 600; font-variant-numeric: tabular-nums; }
.figures div { display: flex; flex-direction: column-reverse; }
h4 { font-size: 0.9rem; margin: 0 0 8px; }
.breaks { display: grid; gap: 10px; list-style: none; margin: 0; padding: 0; }
.breaks li { display: grid; grid-template-columns: 96px minmax(0, 1fr); gap: 12px; align-items: start; }
.breaks button { justify-content: center; width: 100%; } .breaks p { font-size: 0.85rem; color: var(--quiet); }
.fields { display: grid; grid-template-columns: 1fr 1fr; gap: 10px; }
.fields label { display: grid; gap: 2px; font-size: 0.8rem; color: var(--quiet); align-content: end; min-width: 0; }
.fields .wide { grid-column: 1 / -1; }
`;

/**
 * Keeps the list fresh without losing place, focus or opened parts: new cards are put in, known ones get new facts only.
 * Runs every three seconds: quick enough to wait for a sign-in code, slow enough to read.
 */
export const INBOX_SCRIPT = `
const said = document.getElementById("said");
async function refresh() {
  if (document.hidden) return;
  const answer = await fetch(document.body.dataset.url).catch(() => null);
  if (!answer || !answer.ok) { said.textContent = "The stand-ins do not answer."; return; }
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const list = document.getElementById("messages");
  const ids = new Set([...fresh.getElementById("messages").children].map((card) => card.id));
  for (const card of [...list.children]) if (!ids.has(card.id)) card.remove();
  let place = list.firstElementChild, added = 0;
  for (const card of [...fresh.getElementById("messages").children]) {
    const known = document.getElementById(card.id);
    if (!known) { list.insertBefore(card, place); added += 1; continue; }
    place = known.nextElementSibling;
    if (known.dataset.version === card.dataset.version) continue;
    known.dataset.version = card.dataset.version;
    for (const part of [".facts", ".replaced"]) {
      const [now, next] = [known.querySelector(part), card.querySelector(part)];
      if (now && next) now.replaceWith(next);
    }
  }
  for (const part of fresh.querySelectorAll("[data-live]")) {
    const known = document.getElementById(part.id);
    if (known && known.innerHTML !== part.innerHTML) known.innerHTML = part.innerHTML;
  }
  document.title = fresh.title;
  said.textContent = added > 0 ? added + (added === 1 ? " new message." : " new messages.") : "";
}
if (document.body.dataset.url) setInterval(refresh, 3000);
`;
