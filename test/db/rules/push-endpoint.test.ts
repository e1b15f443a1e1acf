import { expect, test } from "vitest";
import { pushHost } from "../../../db/rules/push-endpoint";

test.each([
  ["https://fcm.googleapis.com/fcm/send/abc", "fcm.googleapis.com"],
  ["https://fcm.googleapis.com/wp/abc", "fcm.googleapis.com"],
  ["https://jmt17.google.com/fcm/send/abc", "jmt17.google.com"],
  ["https://updates.push.services.mozilla.com/wpush/v2/abc", "updates.push.services.mozilla.com"],
  ["https://eu.push.services.mozilla.com/wpush/v2/abc", "push.services.mozilla.com"],
  ["https://web.push.apple.com/abc", "web.push.apple.com"],
  ["https://api.push.apple.com/abc", "push.apple.com"],
  ["https://db5p.notify.windows.com/w/?token=abc", "notify.windows.com"],
  ["https://WNS2-by3p.Notify.Windows.Com/w/?token=abc", "notify.windows.com"],
  ["https://fcm.googleapis.com:443/fcm/send/abc", "fcm.googleapis.com"],
])("%s is limited as %s", (endpoint, host) => {
  expect(pushHost(endpoint)).toBe(host);
});

test.each([
  "http://fcm.googleapis.com/fcm/send/abc",
  "https://fcm.googleapis.com:8443/abc",
  "https://fcm.googleapis.com./abc",
  "https://fcm.googleapis.com.evil.example/abc",
  "https://evilfcm.googleapis.com/abc",
  "https://notify.windows.com/abc",
  "https://evilnotify.windows.com/abc",
  "https://user@fcm.googleapis.com/abc",
  "https://fcm.googleapis.com@evil.example/abc",
  "https://evil.example/#fcm.googleapis.com",
  "https://127.0.0.1/abc",
  "https://[::1]/abc",
  "http://169.254.169.254/latest/meta-data",
  "file:///etc/passwd",
  "ftp://fcm.googleapis.com/abc",
  "fcm.googleapis.com/abc",
  "",
  `https://fcm.googleapis.com/${"x".repeat(3000)}`,
  "https://fcm.googleapis.com/abc\0",
  "https://fcm.googleapis.com/\ud800",
])("%s is not called", (endpoint) => {
  expect(pushHost(endpoint)).toBeNull();
});

test("stand-ins are called where they are named, with their port if it is", () => {
  expect(pushHost("http://127.0.0.1:4010/push/1")).toBeNull();
  expect(pushHost("http://127.0.0.1:4010/push/1", ["127.0.0.1:4010"])).toBe("127.0.0.1:4010");
  expect(pushHost("https://127.0.0.1:4010/push/1", ["127.0.0.1"])).toBe("127.0.0.1");
  expect(pushHost("http://127.0.0.1:4011/push/1", ["127.0.0.1:4010"])).toBeNull();
  expect(pushHost("http://localhost/push/1", ["localhost:80"])).toBe("localhost:80");
  expect(pushHost("http://user@localhost/push/1", ["localhost"])).toBeNull();
});
