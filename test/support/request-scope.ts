import "next/dist/server/node-environment-baseline";
import { AfterContext } from "next/dist/server/after/after-context";
import { workAsyncStorage } from "next/dist/server/app-render/work-async-storage.external";
import { workUnitAsyncStorage } from "next/dist/server/app-render/work-unit-async-storage.external";
import { HeadersAdapter } from "next/dist/server/web/spec-extension/adapters/headers";
import {
  MutableRequestCookiesAdapter,
  RequestCookiesAdapter,
} from "next/dist/server/web/spec-extension/adapters/request-cookies";
import { RequestCookies } from "next/dist/server/web/spec-extension/cookies";

/** The scope in which Next runs a handler, with its own `AfterContext`: that is what `after()` writes to. */
export function requestScope(headers = new Headers()) {
  const closing: (() => void)[] = [];
  const pending: Promise<unknown>[] = [];
  const afterContext = new AfterContext({
    waitUntil: (promise) => void pending.push(promise),
    onClose: (callback) => void closing.push(callback),
    onTaskError: undefined,
  });
  // Of both stores only what handlers, actions and pages read.
  const work = { route: "/api", page: "/page", afterContext } as never;
  const cookies = new RequestCookies(headers);
  const unit = {
    type: "request",
    phase: "action",
    headers: HeadersAdapter.seal(headers),
    cookies: RequestCookiesAdapter.seal(cookies),
    mutableCookies: MutableRequestCookiesAdapter.wrap(cookies, () => {}),
    userspaceMutableCookies: MutableRequestCookiesAdapter.wrap(cookies, () => {}),
  } as never;
  return {
    run: <T>(handler: () => Promise<T>): Promise<T> =>
      workAsyncStorage.run(work, () => workUnitAsyncStorage.run(unit, handler)),
    close: async () => {
      for (const callback of closing.splice(0)) callback();
      await Promise.all(pending.splice(0));
    },
  };
}
