import { describe, expect, test } from "vitest";
import { breakButtons } from "../../../standins/providers/inbox-breaks";
import { email, push, sms, stage } from "./stage";

const page = (path = "/") => new Request(`http://standins.test${path}`);
const form = (path: string, fields: Record<string, string>) =>
  new Request(`http://standins.test${path}`, { method: "POST", body: new URLSearchParams(fields) });
const EVIL = `"><script>alert(1)</script><img src=x onerror='alert(2)'>`;

describe("the inbox page", () => {
  test("says what will appear when there is nothing, and how to leave a filter", async () => {
    const { send } = stage();
    expect(await (await send(page())).text()).toContain("No messages yet");
    expect(await (await send(page("/?to=ada@shopper.example"))).text()).toContain("Show all messages");
  });

  test("escapes everything that others wrote, and lets nothing of it run", async () => {
    const { providers, send, finish } = stage({ startMs: Date.now() });
    const device = providers.addPushDevice();
    const payload = JSON.stringify({ title: EVIL, body: EVIL, url: "javascript:alert(3)" });
    await finish(send(email({ subject: EVIL, html: EVIL, text: EVIL }, { "idempotency-key": EVIL })));
    await finish(send(sms({ Body: EVIL })));
    await finish(send(push(device, {}, payload)));
    const response = await send(page(`/?live=off&to=`));
    const html = await response.text();
    expect(html.match(/<script/g)).toHaveLength(1);
    expect(html).not.toContain("<img");
    expect(html).not.toContain('href="javascript:');
    expect(html).toContain("&lt;script&gt;alert(1)");
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    const nonce = /script-src 'nonce-([^']+)'/.exec(policy)?.[1];
    expect(html).toContain(`<script nonce="${nonce}">`);
    const filtered = await (
      await send(page(`/?to=${encodeURIComponent(EVIL)}&channel=${encodeURIComponent(EVIL)}`))
    ).text();
    expect(filtered.match(/<script/g)).toHaveLength(1);
  });

  test("shows each message with key, time and provider id, newest first, filtered by the URL", async () => {
    const { providers, send, finish } = stage();
    const { id } = await (await finish(send(email({}, { "idempotency-key": "key-1" })))).json();
    await finish(send(sms({ Body: "See https://p.example/r?a=1&b=2." })));
    const html = await (await send(page())).text();
    expect(html.indexOf("+15551234567")).toBeLessThan(html.indexOf("key-1"));
    for (const fact of ["key-1", id, "2026-11-30 09:00:00.020 UTC"]) expect(html).toContain(fact);
    expect(html).toContain('href="https://p.example/r?a=1&amp;b=2"');
    const filtered = await (await send(page("/?channel=sms"))).text();
    expect(filtered).not.toContain("key-1");
    expect(providers.messages()).toHaveLength(2);
  });

  test("changes limits and faults by form, and names what a form got wrong", async () => {
    const { providers, send } = stage();
    const fields = {
      ratePerSecond: "3",
      dailyQuota: "",
      fault: "throttle",
      faultCount: "2",
      faultTo: "",
      retryAfter: "soon",
    };
    const done = await send(form("/control-form/resend", fields));
    expect([done.status, done.headers.get("location")]).toEqual([303, "/#resend"]);
    expect(providers.settings("resend")).toMatchObject({
      ratePerSecond: 3,
      dailyQuota: null,
      fault: "throttle",
      faultCount: 2,
      faultTo: null,
      retryAfter: "soon",
    });
    const wrong = await send(form("/control-form/resend", { burst: "none" }));
    expect(wrong.status).toBe(422);
    expect(await wrong.text()).toContain("burst must be an integer");
    await send(form("/control-form/resend", { restore: "1" }));
    expect(providers.settings("resend")).toMatchObject({ ratePerSecond: 50, fault: null });
  });

  test("breaks a provider by one button of a plain form, says what to expect, and restores", async () => {
    const { providers, send } = stage();
    for (const provider of ["resend", "twilio", "push"] as const) {
      const initial = providers.settings(provider);
      for (const { name, expect: words, change } of breakButtons(provider)) {
        expect(await (await send(page())).text()).toContain(words);
        const done = await send(form(`/control-form/${provider}`, { break: name }));
        expect([done.status, done.headers.get("location")]).toEqual([303, `/#${provider}`]);
        expect(providers.settings(provider)).toMatchObject(change);
        expect(await (await send(page())).text()).toMatch(
          change.fault === undefined ? /quota of 0 is used up/ : `Fault: ${change.fault}`,
        );
        await send(form(`/control-form/${provider}`, { restore: "1" }));
        expect(providers.settings(provider)).toEqual(initial);
      }
    }
    expect((await send(form("/control-form/push", { break: "all" }))).status).toBe(422);
  });

  test("lets a reader answer a text", async () => {
    const { providers, send, finish } = stage();
    await finish(send(sms()));
    const reply = { from: "+15551234567", to: "+15005550006", body: "STOP" };
    expect((await send(form("/sms-replies", reply))).status).toBe(303);
    expect((await finish(send(sms()))).status).toBe(400);
    expect(providers.messages()).toHaveLength(1);
  });
});
