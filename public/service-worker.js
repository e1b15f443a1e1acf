// Shows what is pushed, opens what is clicked, and keeps the subscription known when the browser changes it.

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

/** What a push says. Browsers insist that something is shown, so there are words for one that cannot be read. */
function read(data) {
  try {
    const { title, body, url, tag, token, actions } = data.json();
    if (typeof title === "string" && title !== "") return { title, body, url, tag, token, actions };
  } catch {
    // Falls through to the words below.
  }
  return { title: "You have a reminder", body: "", url: "/reminders", tag: "unreadable" };
}

self.addEventListener("push", (event) => {
  const { title, body, url, tag, token, actions } = read(event.data);
  const shown = self.registration.showNotification(title, {
    body: typeof body === "string" ? body : "",
    // The delivery's reference: a repeat after an unclear answer replaces the first instead of standing beside it.
    tag: typeof tag === "string" ? tag : undefined,
    data: { url, token },
    // Without a token the buttons could do nothing; browsers that have no buttons leave them out.
    actions: typeof token === "string" && Array.isArray(actions) ? actions : [],
    icon: "/icon-192.png",
    badge: "/badge-96.png",
  });
  event.waitUntil(shown);
});

/** Where a click leads: a web address, else the list. */
function target(url) {
  try {
    const address = new URL(url, self.location.origin);
    if (address.protocol === "https:" || address.protocol === "http:") return address;
  } catch {
    // Not an address.
  }
  return new URL("/reminders", self.location.origin);
}

async function open(url) {
  const address = target(url);
  if (address.origin === self.location.origin) {
    const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
    const there = windows.find((client) => client.url === address.href);
    if (there !== undefined) return there.focus();
  }
  return self.clients.openWindow(address.href);
}

/** Tells us what was pressed. The token is the right to: no session is needed, and none is sent. */
async function answer(token, action) {
  const response = await fetch(`/api/answers/${encodeURIComponent(token)}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    credentials: "omit",
    body: JSON.stringify({ action }),
  });
  if (!response.ok && response.status !== 404) throw new Error(`answered ${response.status}`);
}

/** A button acts without opening anything; when it does not get through, the reminder's page opens instead. */
async function press({ token }, action) {
  try {
    await answer(token, action);
  } catch {
    await open(`/r/${encodeURIComponent(token)}`);
  }
}

async function click({ url, token }) {
  const told = typeof token === "string" ? answer(token, "opened").catch(() => undefined) : undefined;
  await open(url);
  await told;
}

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const data = event.notification.data ?? {};
  const pressed = event.action !== "" && typeof data.token === "string";
  event.waitUntil(pressed ? press(data, event.action) : click(data));
});

async function subscribeAgain(event) {
  const { oldSubscription, newSubscription } = event;
  const options = oldSubscription?.options;
  const subscription =
    newSubscription ??
    (options && (await self.registration.pushManager.subscribe(options))) ??
    (await self.registration.pushManager.getSubscription());
  if (!subscription) return;
  await fetch("/api/devices", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ subscription, replaces: oldSubscription?.endpoint ?? null }),
  });
}

self.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(subscribeAgain(event)));
