import {
  type Attributes,
  context,
  DiagLogLevel,
  diag,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { inTime } from '../concurrency/deadline.ts';
import type { Config } from '../config/config.ts';
import type { Logger } from './logger.ts';

/** The attributes of a span, never ids of partners, orders or buyers. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanStart {
  name: string;
  /** `server` answers a request, `consumer` does a job, `client` asks somebody outside. */
  kind: 'server' | 'consumer' | 'client';
  /** The W3C traceparent of the cause; null begins a trace. */
  parent: string | null;
  facts?: SpanAttributes;
}

/** An open span. */
export interface OpenSpan {
  traceId: string;
  /** Runs `work` as a part of the span: what it enqueues carries it on. */
  within<T>(work: () => T): T;
  /** Ends the span. */
  end(done: { name?: string; facts?: SpanAttributes; failed?: boolean }): void;
}

const KINDS = {
  server: SpanKind.SERVER,
  consumer: SpanKind.CONSUMER,
  client: SpanKind.CLIENT,
} as const;
/** How long a stopping process waits for the collector to take what is left. */
const FLUSH_MS = 2_000;

let tracer: Tracer | undefined;

/** Whether this process traces. */
export function tracingIsOn(): boolean {
  return tracer !== undefined;
}

/**
 * Sends spans to the collector of OTEL_EXPORTER_OTLP_ENDPOINT (OTLP over HTTP); without one nothing is
 * loaded and nothing is recorded. Once a process.
 */
export async function startTracing(
  config: Config,
  options: { process: string; log: Logger },
): Promise<{ stop(): Promise<void> }> {
  if (config.traceEndpoint === '') return { stop: async () => {} };
  const [sdk, { OTLPTraceExporter }, { AsyncLocalStorageContextManager }, resources] =
    await Promise.all([
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/context-async-hooks'),
      import('@opentelemetry/resources'),
    ]);
  diag.setLogger(diagnosticsIn(options.log), DiagLogLevel.WARN);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const exporter = new OTLPTraceExporter({
    url: `${config.traceEndpoint.replace(/\/+$/, '')}/v1/traces`,
  });
  const provider = new sdk.TracerProvider({
    resource: resources.resourceFromAttributes({
      'service.name': `marketplace-${options.process}`,
    }),
    sampler: new sdk.ParentBasedSampler({
      root: new sdk.TraceIdRatioBasedSampler(config.traceSamplePercent / 100),
    }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter })],
  });
  tracer = provider.getTracer('marketplace');
  return {
    async stop() {
      tracer = undefined;
      await inTime(provider.shutdown(), FLUSH_MS).catch(() => {});
    },
  };
}

/** Begins a span; undefined where this process does not trace. */
export function beginSpan(start: SpanStart): OpenSpan | undefined {
  if (!tracer) return undefined;
  const parent = contextOf(start.parent);
  const attributes: Attributes = { ...start.facts };
  const span = tracer.startSpan(start.name, { kind: KINDS[start.kind], attributes }, parent);
  const inside = trace.setSpan(parent, span);
  return {
    traceId: span.spanContext().traceId,
    within: (work) => context.with(inside, work),
    end({ name, facts, failed }) {
      if (name) span.updateName(name);
      if (facts) span.setAttributes({ ...facts });
      if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

/** Runs `work` in a span; `facts` and `failed` describe its result. Costs nothing when tracing is off. */
export async function withSpan<T>(
  start: SpanStart,
  work: () => Promise<T>,
  outcome: (result: T) => { facts?: SpanAttributes; failed?: boolean },
): Promise<T> {
  const span = beginSpan(start);
  if (!span) return work();
  try {
    const result = await span.within(work);
    span.end(outcome(result));
    return result;
  } catch (error) {
    span.end({ failed: true });
    throw error;
  }
}

/** The W3C traceparent of the span that is under way here, for what it causes later; null without one. */
export function currentTraceparent(): string | null {
  if (!tracer) return null;
  const span: Span | undefined = trace.getActiveSpan();
  if (!span) return null;
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Whether a text is a traceparent of version 00 (W3C Trace Context, 3.2). */
export function isTraceparent(text: string): boolean {
  const [, traceId = '', spanId = ''] = TRACEPARENT.exec(text) ?? [];
  return isSpanContextValid({ traceId, spanId, traceFlags: 0 });
}

function contextOf(traceparent: string | null) {
  if (traceparent === null || !isTraceparent(traceparent)) return ROOT_CONTEXT;
  const [, traceId = '', spanId = '', flags = '00'] = TRACEPARENT.exec(traceparent) ?? [];
  const remote = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  return trace.setSpanContext(ROOT_CONTEXT, remote);
}

/** An unreachable collector is only logged. */
function diagnosticsIn(log: Logger) {
  const say = (message: string, ...more: unknown[]) =>
    log.warn({ detail: [message, ...more].map(String).join(' ').slice(0, 500) }, 'traces');
  const ignore = () => {};
  return { error: say, warn: say, info: ignore, debug: ignore, verbose: ignore };
}
