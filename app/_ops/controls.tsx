import type { ReactNode } from "react";
import type { PartitionHealth } from "../../db/console/partitions";
import { DEGRADABLE_LANES, DEGRADATION_NAME, DEGRADATIONS } from "../../db/rules/degradation";
import { ButtonLink, buttonClass } from "../_ui/button";
import { Field, type FieldAttributes, Input, Select } from "../_ui/field";
import { Card } from "../_ui/page-parts";
import { DURATIONS } from "./durations";
import { POLICY_TERMS, POLICY_WINDOWS } from "./policy-terms";
import { partitionPath, plain } from "./words";

interface ControlsProps {
  health: PartitionHealth;
  mayAct: boolean;
}

/** Every lever of a partition. Each leads to a page that says what it will do; nothing changes before that is confirmed. */
export function Controls({ health, mayAct }: ControlsProps) {
  const path = (lever: string) => partitionPath(health.partition, lever);
  const closed = health.closed !== null && !health.closed.startsWith("gate") && health.closed !== "rate 0";
  return (
    <Card className="space-y-6">
      <div className="space-y-1">
        <h2 className="text-lg font-semibold">Levers</h2>
        <p className="text-sm text-ink-soft">
          {mayAct
            ? "Each shows first what it will do. They act at the next admission and the next claim, without a deploy."
            : "Your role is read-only: you can see what each would do."}
        </p>
      </div>
      {closed && (
        <ButtonLink href={path("resume")} prefetch={false}>
          Resume…
        </ButtonLink>
      )}
      <div className="grid gap-x-8 gap-y-7 lg:grid-cols-2 xl:grid-cols-4">
        <Lever name="Pause" path={path("pause")}>
          <DurationField id="pause-for" />
        </Lever>
        <Lever name="Limits" path={path("limits")}>
          <div className="grid grid-cols-3 gap-3">
            <NumberField id="ceiling" label="Per second" value={health.ceiling} step="any" min={0} />
            <NumberField id="burst" label="Burst" value={health.burst} step="any" min={1} />
            <NumberField id="concurrency" label="At once" value={health.concurrency} step={1} min={1} />
          </div>
          <DurationField id="limits-for" chosen="open" />
        </Lever>
        <Lever name="Lane weight" path={path("weight")}>
          <div className="grid grid-cols-2 gap-3">
            <Field id="lane" label="Lane">
              {(attributes) => (
                <Select {...attributes} name="lane" defaultValue="standard">
                  {health.lanes.map(({ lane, weight }) => (
                    <option key={lane} value={lane}>
                      {plain(lane)} ({weight})
                    </option>
                  ))}
                </Select>
              )}
            </Field>
            <NumberField
              id="weight"
              label="Weight"
              value={health.lanes.find(({ lane }) => lane === "standard")?.weight ?? 1}
              step="any"
              min={0}
            />
          </div>
        </Lever>
        <Lever name="Under load" path={path("degrade")}>
          <Choice id="degrade-lane" name="lane" label="Lane">
            {DEGRADABLE_LANES.map((lane) => (
              <option key={lane} value={lane}>
                {plain(lane)}
              </option>
            ))}
          </Choice>
          <Choice id="policy" name="policy" label="Policy">
            {DEGRADATIONS.map((policy) => (
              <option key={policy} value={policy}>
                {DEGRADATION_NAME[policy]}
              </option>
            ))}
          </Choice>
          <Choice id="window" name="window" label="What has waited longer than">
            {POLICY_WINDOWS.map(({ word, name }) => (
              <option key={word} value={word}>
                {name}
              </option>
            ))}
          </Choice>
          <Choice id="term" name="term" label="For">
            {POLICY_TERMS.map(({ word, name }) => (
              <option key={word} value={word}>
                {name}
              </option>
            ))}
          </Choice>
        </Lever>
      </div>
    </Card>
  );
}

function Lever({ name, path, children }: { name: string; path: string; children: ReactNode }) {
  return (
    <form action={path} method="get" className="min-w-0">
      <fieldset className="min-w-0 space-y-3">
        <legend className="mb-2 font-semibold">{name}</legend>
        {children}
        <button type="submit" className={buttonClass("secondary")}>
          <span>
            Show effect<span className="sr-only"> of {name.toLowerCase()}</span>…
          </span>
        </button>
      </fieldset>
    </form>
  );
}

function Choice(props: { id: string; name: string; label: string; children: ReactNode }) {
  return (
    <Field id={props.id} label={props.label}>
      {(attributes: FieldAttributes) => (
        <Select {...attributes} name={props.name}>
          {props.children}
        </Select>
      )}
    </Field>
  );
}

function DurationField({ id, chosen = "30m" }: { id: string; chosen?: string }) {
  return (
    <Field id={id} label="For">
      {(attributes: FieldAttributes) => (
        <Select {...attributes} name="for" defaultValue={chosen}>
          {DURATIONS.map(({ word, name }) => (
            <option key={word} value={word}>
              {name}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

interface NumberFieldProps {
  id: string;
  label: string;
  value: number;
  step: number | "any";
  min: number;
}

function NumberField({ id, label, value, step, min }: NumberFieldProps) {
  return (
    <Field id={id} label={label}>
      {(attributes) => (
        <Input
          {...attributes}
          name={id}
          type="number"
          inputMode="decimal"
          step={step}
          min={min}
          required
          defaultValue={value}
        />
      )}
    </Field>
  );
}
