"use client";

import { BellRing } from "lucide-react";
import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";
import type { Words } from "../../db/rules/speech";
import { useWords } from "../_language/give-words";
import { Button } from "../_ui/button";
import { Notice } from "../_ui/notice";

/** Under which name a browser remembers which of the devices in the list it is. */
const REMEMBERED = "punctual.device";

type Support = "unknown" | "here" | "install" | "none";

interface PushDeviceProps {
  /** The key that push services know us by. */
  publicKey: string;
  /** Devices that are registered, to tell whether this one still is. */
  deviceIds: readonly string[];
}

/**
 * Turns notifications on in this browser. It asks with its own words first; the browser's question comes only after a
 * click, because a browser that was refused does not ask again.
 */
export function PushDevice({ publicKey, deviceIds }: PushDeviceProps) {
  const { devices } = useWords("devices").words;
  const router = useRouter();
  const [support, setSupport] = useState<Support>("unknown");
  const [deviceId, setDeviceId] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);

  useEffect(() => {
    setSupport(supportHere());
    setDeviceId(localStorage.getItem(REMEMBERED));
  }, []);

  const turnOn = async () => {
    setBusy(true);
    setFailure(null);
    const result = await register(publicKey, devices);
    setBusy(false);
    if (result.ok) {
      localStorage.setItem(REMEMBERED, result.deviceId);
      setDeviceId(result.deviceId);
      router.refresh();
    } else {
      setFailure(result.why);
    }
  };

  if (deviceId !== null && deviceIds.includes(deviceId)) {
    return <Notice kind="good">{devices.on}</Notice>;
  }
  switch (support) {
    case "unknown":
      return null;
    case "install":
      return <Notice kind="info">{devices.install}</Notice>;
    case "none":
      return <Notice kind="info">{devices.none}</Notice>;
    case "here":
      return (
        <div>
          <p className="mb-3 text-ink-soft">{devices.text}</p>
          <Button onClick={turnOn} disabled={busy}>
            <BellRing aria-hidden className="size-4" />
            {devices.turnOn}
          </Button>
          <div aria-live="polite" className="mt-3 empty:mt-0">
            {failure !== null && <Notice kind="attention">{failure}</Notice>}
          </div>
        </div>
      );
  }
}

function supportHere(): Support {
  if ("serviceWorker" in navigator && "PushManager" in window && "Notification" in window) return "here";
  return /iPhone|iPad/.test(navigator.userAgent) ? "install" : "none";
}

type Registered = { ok: true; deviceId: string } | { ok: false; why: string };

async function register(publicKey: string, words: Words["devices"]): Promise<Registered> {
  if ((await Notification.requestPermission()) !== "granted") return { ok: false, why: words.denied };
  let subscription: PushSubscription;
  try {
    await navigator.serviceWorker.register("/service-worker.js");
    const registration = await navigator.serviceWorker.ready;
    subscription = await subscribe(registration.pushManager, publicKey);
  } catch {
    return { ok: false, why: words.noService };
  }
  try {
    const response = await fetch("/api/devices", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ subscription }),
    });
    const answer = (await response.json()) as { deviceId?: string };
    if (response.ok && answer.deviceId !== undefined) return { ok: true, deviceId: answer.deviceId };
    return { ok: false, why: words.notAdded };
  } catch {
    return { ok: false, why: words.noAnswer };
  }
}

/** A subscription that was made for another key of ours is of no use any more. */
async function subscribe(manager: PushManager, publicKey: string): Promise<PushSubscription> {
  const key = bytesOf(publicKey);
  const present = await manager.getSubscription();
  if (present !== null) {
    const made = new Uint8Array(present.options.applicationServerKey ?? new ArrayBuffer(0));
    if (made.length === key.length && made.every((byte, index) => byte === key[index])) return present;
    await present.unsubscribe();
  }
  return manager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64url.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
