import { pushHost } from "./push-endpoint";

/**
 * The name of a budget. Never a subscriber attribute: every delivery of one provider account (SMS: one sender; push: one
 * push service) shares one partition, one meter and one gate (P2).
 */
export function emailPartition(account: string): string {
  return `email:resend:${account}`;
}

/** Twilio limits calls of the whole account as well: a budget that its senders share, without deliveries of its own. */
export function smsAccount(account: string): string {
  return `sms:twilio:${account}`;
}

/** Twilio limits each sender of an account. */
export function smsPartition(account: string, sender: string): string {
  return `sms:twilio:${account}:${sender}`;
}

/** The sender whose budget an SMS partition is; null for any other partition. What is metered under a name leaves under it. */
export function smsSender(partition: string): string | null {
  return /^sms:twilio:[^:]+:(.+)$/.exec(partition)?.[1] ?? null;
}

/** Each push service limits and fails on its own; its name in the allow-list names the partition. */
export function pushPartition(endpoint: string, extraHosts: readonly string[]): string {
  return `push:${pushHost(endpoint, extraHosts) ?? new URL(endpoint).host}`;
}
