import { X } from "lucide-react";
import Link from "next/link";
import { LANES } from "../../../../db/rules/fair-share";
import { DEAD_REASONS, DELIVERY_STATES, EXPIRED_REASONS } from "../../../../db/rules/lifecycle";
import { Code } from "../../../_ops/facts";
import { partitionName, plain } from "../../../_ops/words";
import { buttonClass } from "../../../_ui/button";
import { Field, Input, Select } from "../../../_ui/field";
import { CLASSES, deliveriesAddress, type FilterName, type ReadFilters, WITHIN } from "./filters";

interface FilterFormProps {
  words: ReadFilters["words"];
  partitions: readonly string[];
}

const LABELS: Record<FilterName, string> = {
  state: "State",
  channel: "Channel",
  partition: "Partition",
  lane: "Lane",
  reason: "Reason",
  class: "Last answer",
  within: "Opened within",
  subscriber: "Subscriber",
  reminder: "Reminder",
};

/** Narrows the list down; each choice stands in the address, so that a list can be sent to somebody. */
export function FilterForm({ words, partitions }: FilterFormProps) {
  const given = Object.entries(words) as [FilterName, string][];
  return (
    <div className="space-y-4">
      <form
        action="/ops/deliveries"
        method="get"
        className="grid grid-cols-2 gap-3 sm:grid-cols-4 xl:grid-cols-7"
      >
        <Choice name="state" words={words} options={DELIVERY_STATES} />
        <Choice name="channel" words={words} options={["email", "sms", "push"]} />
        <Choice name="partition" words={words} options={partitions} nameOf={partitionName} />
        <Choice name="lane" words={words} options={LANES} />
        <ReasonChoice words={words} />
        <Choice name="class" words={words} options={CLASSES} />
        <Choice
          name="within"
          words={words}
          options={WITHIN.map(({ word }) => word)}
          nameOf={(word) => WITHIN.find((known) => known.word === word)?.name ?? word}
        />
        {words.subscriber !== undefined && <input type="hidden" name="subscriber" value={words.subscriber} />}
        {words.reminder !== undefined && <input type="hidden" name="reminder" value={words.reminder} />}
        <div className="col-span-full">
          <button type="submit" className={buttonClass("secondary")}>
            Filter
          </button>
        </div>
      </form>
      {given.length > 0 && (
        <ul aria-label="Filters in force" className="flex flex-wrap items-center gap-2">
          {given.map(([name, value]) => (
            <li key={name}>
              <Link
                href={deliveriesAddress({ ...words, [name]: undefined } as Partial<
                  Record<FilterName, string>
                >)}
                className="inline-flex min-h-8 max-w-full items-center gap-1.5 rounded-full border border-accent bg-accent-soft px-3 text-sm text-accent-ink"
              >
                <span className="sr-only">Remove the filter</span>
                <span className="break-all">
                  {LABELS[name].toLowerCase()}:{" "}
                  {name === "subscriber" || name === "reminder" ? <Code>{value}</Code> : plain(value)}
                </span>
                <X aria-hidden className="size-3.5 shrink-0" />
              </Link>
            </li>
          ))}
          <li>
            <Link
              href="/ops/deliveries"
              className="inline-flex min-h-8 items-center px-2 text-sm font-medium text-ink-soft underline underline-offset-2 hover:text-ink"
            >
              Clear all
            </Link>
          </li>
        </ul>
      )}
    </div>
  );
}

interface ChoiceProps {
  name: FilterName;
  words: ReadFilters["words"];
  options: readonly string[];
  nameOf?: (option: string) => string;
}

function Choice({ name, words, options, nameOf = plain }: ChoiceProps) {
  return (
    <Field id={name} label={LABELS[name]}>
      {(attributes) => (
        <Select {...attributes} name={name} defaultValue={words[name] ?? ""} className="min-h-10! text-sm!">
          <option value="">any</option>
          {options.map((option) => (
            <option key={option} value={option}>
              {nameOf(option)}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

function ReasonChoice({ words }: Pick<ChoiceProps, "words">) {
  return (
    <Field id="reason" label={LABELS.reason}>
      {(attributes) => (
        <Select
          {...attributes}
          name="reason"
          defaultValue={words.reason ?? ""}
          className="min-h-10! text-sm!"
        >
          <option value="">any</option>
          {[
            { label: "Dead", reasons: DEAD_REASONS },
            { label: "Expired", reasons: EXPIRED_REASONS },
          ].map(({ label, reasons }) => (
            <optgroup key={label} label={label}>
              {reasons.map((reason) => (
                <option key={reason} value={reason}>
                  {plain(reason)}
                </option>
              ))}
            </optgroup>
          ))}
        </Select>
      )}
    </Field>
  );
}

/** Finds one delivery by what a log, a trace, a provider or an answer of the API calls it. */
export function FindForm({ missing }: { missing: string | undefined }) {
  return (
    <form action="/ops/deliveries" method="get" className="flex flex-wrap items-end gap-3">
      <div className="min-w-0 grow basis-64">
        <Field
          id="name"
          label="Find one"
          error={missing === undefined ? undefined : "The ledger has no delivery of this key or reference."}
        >
          {(attributes) => (
            <Input
              {...attributes}
              name="name"
              autoComplete="off"
              spellCheck={false}
              placeholder="Key or reference"
              defaultValue={missing}
              className="min-h-10! text-sm!"
            />
          )}
        </Field>
      </div>
      <button type="submit" className={buttonClass("secondary")}>
        Find
      </button>
    </form>
  );
}
