// Shows what is pushed, opens what is clicked, and keeps the subscription known when the browser changes it.

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

/** What a push says. Browsers insist that something is shown, so there are words for one that cannot be read. */
function read(data) {
  try {
    const { title, body, url, tag } = data.json();
    if (typeof title === "string" && title !== "") return { title, body, url, tag };
  } catch {
    // Falls through to the words below.
  }
  return { title: "You have a reminder", body: "", url: "/reminders", tag: "unreadable" };
}

self.addEventListener("push", (event) => {
  const { title, body, url, tag } = read(event.data);
  const shown = self.registration.showNotification(title, {
    body: typeof body === "string" ? body : "",
    // The delivery's reference: a repeat after an unclear answer replaces the first instead of standing beside it.
    tag: typeof tag === "string" ? tag : undefined,
    data: { url },
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

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data?.url));
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
