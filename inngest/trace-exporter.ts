import { SpanKind, trace } from "@opentelemetry/api";
import { NodeSDK } from "@opentelemetry/sdk-node";
import {
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace";
import { noteTracing } from "../db/trace";

/** Requests of machines that come many times a minute: what they do for a delivery has spans of its own. */
const MACHINES = /^\/api\/(inngest|health|metrics)\b/;

/**
 * Samples people's and the shop's requests, and what belongs to a trace that is sampled already. Addresses are left out:
 * they hold subscribers' names and signed links; `http.route` says which page it was. What Next does at its start belongs
 * to nobody.
 */
function requestSampler(share: number): Sampler {
  const others = new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) });
  return {
    shouldSample(context, traceId, name, kind, attributes, links) {
      const target = attributes["http.target"];
      const isOfNext = attributes["next.span_type"] !== undefined;
      const isRoot = trace.getSpanContext(context) === undefined;
      const isMachines = typeof target === "string" && MACHINES.test(target);
      if (isMachines || (isOfNext && isRoot && kind !== SpanKind.SERVER))
        return { decision: SamplingDecision.NOT_RECORD };
      const { decision } = others.shouldSample(context, traceId, name, kind, attributes, links);
      return target === undefined ? { decision } : { decision, attributes: { "http.target": "" } };
    },
    toString: () => `requests(${others})`,
  };
}

/**
 * Exports spans by OTLP as the standard `OTEL_EXPORTER_OTLP_*` settings say; `OTEL_TRACES_SAMPLER_ARG` is the share of
 * traces (1), `OTEL_SERVICE_NAME` the service (punctual). Traces only: metrics are for `/api/metrics`, logs go to the
 * console. What was not sent when the process is told to end is sent then.
 */
export function startTracing(): void {
  // Next would add a span for each HTTP call of ours; `send` and `publish` are those that mean something.
  process.env.NEXT_OTEL_FETCH_DISABLED ??= "1";
  const share = Number(process.env.OTEL_TRACES_SAMPLER_ARG ?? 1);
  const sdk = new NodeSDK({
    serviceName: process.env.OTEL_SERVICE_NAME?.trim() || "punctual",
    sampler: requestSampler(Number.isFinite(share) ? share : 1),
    metricReaders: [],
    logRecordProcessors: [],
  });
  sdk.start();
  noteTracing(true);
  process.once("SIGTERM", () => void sdk.shutdown().catch(() => {}));
}
