import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

type Value = { stringValue?: string; intValue?: number | string; boolValue?: boolean };

/** A span as OTLP carries it in JSON (opentelemetry-proto, trace.proto). */
export interface CollectedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  links?: { traceId: string }[];
  attributes: { key: string; value: Value }[];
}

export interface Collector {
  /** What an app is given to export here. */
  env: Record<string, string>;
  spans(): CollectedSpan[];
  stop(): Promise<void>;
}

interface Export {
  resourceSpans: { scopeSpans: { spans: CollectedSpan[] }[] }[];
}

/** A stand-in of an OpenTelemetry collector: takes traces by OTLP over HTTP, in JSON. */
export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    if (request.url !== "/v1/traces") return void response.writeHead(404).end();
    const { resourceSpans } = JSON.parse(body) as Export;
    spans.push(...resourceSpans.flatMap((of) => of.scopeSpans.flatMap((scope) => scope.spans)));
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      // Sooner than the five seconds that a collector in production is spared.
      OTEL_BSP_SCHEDULE_DELAY: "200",
    },
    spans: () => spans,
    stop: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

/** A span's attribute as text; empty when it has none of that name. */
export function attributeOf(span: CollectedSpan, key: string): string {
  const value = span.attributes.find((attribute) => attribute.key === key)?.value ?? {};
  return String(value.stringValue ?? value.intValue ?? value.boolValue ?? "");
}
