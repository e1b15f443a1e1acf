import type { PartitionForecast, RedrivePreview } from "../../db/redrive/views";
import { pathSegment } from "../_shell/path-segment";
import { TextLink } from "../_ui/button";
import { Notice } from "../_ui/notice";
import { Card } from "../_ui/page-parts";
import { limitWords, VERDICT_WORDS } from "./redrive-words";
import { Cell, DataTable, HeadCell, RowHead } from "./table";
import { count, counted, duration, partitionName, partitionPath, perSecond, plain } from "./words";

/** What would become of the chosen set: by verdict, channel and age, what the providers said, and how long it takes. */
export function PreviewTables({ preview, wouldSend }: { preview: RedrivePreview; wouldSend: number }) {
  return (
    <div className="space-y-6">
      <Outlook preview={preview} wouldSend={wouldSend} />
      <Verdicts preview={preview} />
      <div className="grid gap-6 xl:grid-cols-2">
        <Breakdown preview={preview} />
        <Answers preview={preview} />
      </div>
      <Forecasts partitions={preview.partitions} />
    </div>
  );
}

function Outlook({ preview, wouldSend }: { preview: RedrivePreview; wouldSend: number }) {
  const { drainMs, expireFirst, mayDuplicate, more } = preview;
  return (
    <div className="space-y-3">
      {wouldSend > 0 && (
        <Notice kind={drainMs === null || (expireFirst ?? 0) > 0 ? "attention" : "info"}>
          <p>
            {drainMs === null
              ? "There is nothing to spare for it now: nobody can say when it would be through."
              : `It would be through in ${aboutSeconds(drainMs)}.`}{" "}
            {expireFirst === null
              ? ""
              : expireFirst === 0
                ? "None is expected to expire first."
                : `${counted(expireFirst, "of them is", "of them are", undefined)} expected to expire first.`}
          </p>
        </Notice>
      )}
      {mayDuplicate > 0 && (
        <Notice kind="bad">
          <p>
            {counted(mayDuplicate, "of them has", "of them have")} an unknown outcome and may reach somebody
            twice.
          </p>
        </Notice>
      )}
      {more && (
        <Notice kind="attention">
          <p>More dead letters fit than one redrive takes. The rest needs another.</p>
        </Notice>
      )}
    </div>
  );
}

function Verdicts({ preview }: { preview: RedrivePreview }) {
  return (
    <section aria-labelledby="verdicts" className="space-y-3">
      <h2 id="verdicts" className="text-lg font-semibold">
        What would become of them
      </h2>
      <DataTable
        caption="The chosen dead letters by verdict"
        head={
          <>
            <HeadCell>Verdict</HeadCell>
            <HeadCell className="text-right">Count</HeadCell>
            <HeadCell>Because</HeadCell>
            <HeadCell>For example</HeadCell>
          </>
        }
      >
        {preview.verdicts.map(({ verdict, count: value, sample }) => (
          <tr key={verdict} className={verdict === "would_send" ? "font-semibold" : ""}>
            <RowHead className="whitespace-nowrap">{VERDICT_WORDS[verdict].word}</RowHead>
            <Cell className="text-right">{count(value)}</Cell>
            <Cell className="min-w-56 font-normal text-ink-soft">{VERDICT_WORDS[verdict].why}</Cell>
            <Cell className="min-w-40 font-normal">
              {sample.slice(0, 2).map((name) => (
                <span key={name} className="block">
                  <TextLink href={`/ops/deliveries/${pathSegment(name)}`} className="font-mono text-[0.85em]">
                    …{name.slice(-18)}
                  </TextLink>
                </span>
              ))}
            </Cell>
          </tr>
        ))}
      </DataTable>
    </section>
  );
}

function Breakdown({ preview }: { preview: RedrivePreview }) {
  const lines = [
    ...preview.channels.map(({ channel, ...rest }) => ({ name: channel, ...rest })),
    ...preview.ages.map(({ upToMs, ...rest }) => ({
      name: upToMs === null ? "dead for longer" : `dead up to ${duration(upToMs)}`,
      ...rest,
    })),
  ];
  return (
    <section aria-labelledby="breakdown" className="space-y-3">
      <h2 id="breakdown" className="text-lg font-semibold">
        By channel and age
      </h2>
      <DataTable
        caption="The chosen dead letters by channel, then by age"
        head={
          <>
            <HeadCell>Which</HeadCell>
            <HeadCell className="text-right">Chosen</HeadCell>
            <HeadCell className="text-right">Would be sent</HeadCell>
          </>
        }
      >
        {lines.map(({ name, members, wouldSend }) => (
          <tr key={name}>
            <RowHead>{name}</RowHead>
            <Cell className="text-right">{count(members)}</Cell>
            <Cell className="text-right">{count(wouldSend)}</Cell>
          </tr>
        ))}
      </DataTable>
    </section>
  );
}

function Answers({ preview }: { preview: RedrivePreview }) {
  return (
    <section aria-labelledby="answers" className="space-y-3">
      <h2 id="answers" className="text-lg font-semibold">
        What the providers said last
      </h2>
      {preview.answers.length === 0 ? (
        <p className="text-ink-soft">None of them would go.</p>
      ) : (
        <DataTable
          caption="The providers’ last answers to those that would be sent"
          head={
            <>
              <HeadCell>Answer</HeadCell>
              <HeadCell className="text-right">Count</HeadCell>
            </>
          }
        >
          {preview.answers.map(({ reason, class: answer, status, code, detail, count: value }) => (
            <tr key={`${reason} ${answer} ${status} ${code}`}>
              <RowHead>
                {[status, code, plain(answer ?? reason)].filter((part) => part !== null).join(" · ")}
                {detail !== null && <span className="block text-ink-soft">{detail}</span>}
              </RowHead>
              <Cell className="text-right">{count(value)}</Cell>
            </tr>
          ))}
        </DataTable>
      )}
    </section>
  );
}

function Forecasts({ partitions }: { partitions: readonly PartitionForecast[] }) {
  if (partitions.length === 0) return null;
  return (
    <section aria-labelledby="forecast" className="space-y-3">
      <h2 id="forecast" className="text-lg font-semibold">
        How long it takes
      </h2>
      <div className="grid gap-4 xl:grid-cols-2">
        {partitions.map((forecast) => (
          <Card key={forecast.partition} className="space-y-2">
            <h3 className="font-medium break-all">
              <TextLink href={partitionPath(forecast.partition)}>
                {partitionName(forecast.partition)}
              </TextLink>
            </h3>
            <p>
              {count(forecast.wouldSend)} at {perSecond(forecast.pace)}, held down by{" "}
              {limitWords(forecast.limitedBy)}:{" "}
              {forecast.redriveMs === null ? "nobody can say when" : aboutSeconds(forecast.redriveMs)}.
            </p>
            <p className="text-sm text-ink-soft">
              Beside it: a live backlog of {count(Math.round(forecast.backlog))},{" "}
              {perSecond(forecast.acceptedPerSecond)} accepted and {perSecond(forecast.arrivalsPerSecond)}{" "}
              arriving
              {forecast.drainMs === null
                ? "; together they do not drain."
                : `; all of it is through in ${aboutSeconds(forecast.drainMs)}.`}
            </p>
          </Card>
        ))}
      </div>
    </section>
  );
}

/** A forecast is no finer than a second. */
const aboutSeconds = (ms: number) => (ms < 1_000 ? "about a second" : `about ${duration(ms)}`);
