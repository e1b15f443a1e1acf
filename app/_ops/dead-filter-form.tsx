import type { DeadLetterFilter } from "../../db/redrive/filter";
import { DEAD_REASONS } from "../../db/rules/lifecycle";
import { buttonClass, TextLink } from "../_ui/button";
import { Field, Select } from "../_ui/field";
import { When } from "../_ui/when";
import { partitionName, plain } from "./words";

interface DeadFilterFormProps {
  action: string;
  filter: DeadLetterFilter;
  partitions: readonly string[];
  timeZone: string;
  nowMs: number;
}

/** Narrows dead letters down; each choice stands in the address. */
export function DeadFilterForm({ action, filter, partitions, timeZone, nowMs }: DeadFilterFormProps) {
  const { diedAfterMs, diedBeforeMs } = filter;
  return (
    <form action={action} method="get" className="flex flex-wrap items-end gap-3">
      <Choice name="channel" label="Channel" value={filter.channel} options={["email", "sms", "push"]} />
      <Choice
        name="partition"
        label="Partition"
        value={filter.partition}
        options={partitions}
        nameOf={partitionName}
      />
      <Choice name="reason" label="Reason" value={filter.reason} options={DEAD_REASONS} />
      {diedAfterMs !== undefined && <input type="hidden" name="from" value={diedAfterMs} />}
      {diedBeforeMs !== undefined && <input type="hidden" name="until" value={diedBeforeMs} />}
      <button type="submit" className={buttonClass("secondary")}>
        Filter
      </button>
      {Object.keys(filter).length > 0 && (
        <p className="flex min-h-10 flex-wrap items-center gap-x-3 text-sm">
          {diedAfterMs !== undefined && (
            <span>
              died from <When atMs={diedAfterMs} timeZone={timeZone} nowMs={nowMs} />
            </span>
          )}
          {diedBeforeMs !== undefined && (
            <span>
              to <When atMs={diedBeforeMs} timeZone={timeZone} nowMs={nowMs} />
            </span>
          )}
          <TextLink href={action}>Clear all</TextLink>
        </p>
      )}
    </form>
  );
}

interface ChoiceProps {
  name: string;
  label: string;
  value: string | undefined;
  options: readonly string[];
  nameOf?: (option: string) => string;
}

function Choice({ name, label, value, options, nameOf = plain }: ChoiceProps) {
  return (
    <div className="min-w-36 grow basis-36 sm:max-w-56">
      <Field id={name} label={label}>
        {(attributes) => (
          <Select {...attributes} name={name} defaultValue={value ?? ""} className="min-h-10! text-sm!">
            <option value="">any</option>
            {options.map((option) => (
              <option key={option} value={option}>
                {nameOf(option)}
              </option>
            ))}
          </Select>
        )}
      </Field>
    </div>
  );
}
