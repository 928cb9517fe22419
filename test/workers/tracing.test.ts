import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTracing, tracingIsOn } from '../../shared/platform/observability/tracing.ts';
import { eventually } from '../support/eventually.ts';
import { givenListing } from '../support/factories.ts';
import { PROMPT } from '../support/quick-fleet.ts';
import { type RunningService, startService } from '../support/running-service.ts';
import { createTestRuntime } from '../support/runtime.ts';
import { sell } from '../support/sales.ts';
import {
  type ReceivedSpan,
  startTraceCollector,
  type TraceCollector,
} from '../support/trace-collector.ts';
import { givenEndpoint, givenEvents } from '../support/webhooks.ts';

const STRANGERS_TRACE = 'abcdefabcdefabcdefabcdefabcdefab';
const ORDER = 'POST /api/partner/v1/orders';
const EVENTS = ['order.recorded', 'order.transfer_started', 'order.transfer_completed'];

/** The service in separate processes that report to one collector. */
describe('tracing', () => {
  let collector: TraceCollector;
  let service: RunningService;
  let trace: ReceivedSpan[];

  beforeAll(async () => {
    collector = await startTraceCollector();
    service = await startService({
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...PROMPT },
      apis: [{}, { TRACE_TRUST_CALLERS: 'true' }],
    });

    await sell(service.client, await givenListing(service.runtime)).expect(201);
    trace = await eventually(
      () => {
        const order = collector.spans.find(({ name }) => name === ORDER);
        return collector.spans.filter(({ traceId }) => traceId === order?.traceId);
      },
      // Each process sends its spans in batches of its own.
      (spans) => EVENTS.every((type) => eventTypesOf(spans).includes(type)) && !orphanIn(spans),
    );
  });
  afterAll(async () => {
    await service.stop();
    await collector.close();
  });

  const eventTypesOf = (spans: readonly ReceivedSpan[]) =>
    spans.map(({ facts }) => facts['webhook.event_type']).filter((type) => type !== undefined);

  /** A span whose cause is not among them. */
  const orphanIn = (spans: readonly ReceivedSpan[]) => {
    const known = new Set(spans.map(({ spanId }) => spanId));
    return spans.find(({ parentSpanId = '' }) => parentSpanId && !known.has(parentSpanId));
  };

  it('links an order to its jobs and every delivered webhook in one trace', () => {
    const [root, ...more] = trace.filter(({ parentSpanId }) => parentSpanId === undefined);
    expect(root).toMatchObject({ name: ORDER, service: 'marketplace-web', kind: 2 });
    expect(more).toEqual([]);
    expect(orphanIn(trace)).toBeUndefined();
    const names = new Set(trace.map(({ name }) => name));
    for (const name of ['start-transfer', 'confirm-delivery']) {
      expect(names).toContain(`transfers ${name}`);
    }
    expect(eventTypesOf(trace)).toEqual(expect.arrayContaining(EVENTS));
    const attempts = trace.filter(({ name }) => name === 'webhook attempt');
    for (const { service, facts } of attempts) {
      expect(service).toBe('marketplace-worker');
      expect(facts['webhook.outcome']).toBe('delivered');
    }
  });

  it('contains no partner, buyer, domain or address', () => {
    const { partner, receiver } = service;
    const text = JSON.stringify(collector.spans);
    for (const word of [partner.partnerId, partner.keyId, 'buyer@', receiver.url]) {
      expect(text).not.toContain(word);
    }
    expect(text).not.toMatch(/(ord|ptr|whe|evt)_[0-9a-z]{10}/);
  });

  it('does not send trace headers to partner endpoints', () => {
    for (const { headers } of service.receiver.received)
      expect(headers.traceparent).toBeUndefined();
  });

  /** The span of a request whose caller names a trace. */
  const spanOf = async (url: string | undefined) => {
    const requestId = `mine-${randomUUID()}`;
    const headers = {
      traceparent: `00-${STRANGERS_TRACE}-1234567890abcdef-01`,
      'X-Request-Id': requestId,
    };
    await eventually(
      () =>
        fetch(`${url}/healthz`, { headers }).then(
          ({ ok }) => ok,
          () => false,
        ),
      (ok) => ok,
    );
    return eventually(
      () => collector.spans.find(({ facts }) => facts['marketplace.request_id'] === requestId),
      (found) => found !== undefined,
    );
  };

  it('ignores the trace ID of a caller by default', async () => {
    const span = await spanOf(service.urls[0]);
    expect(span?.parentSpanId).toBeUndefined();
    expect(span?.traceId).not.toBe(STRANGERS_TRACE);
  });

  it('continues the trace of a caller when configured to trust callers', async () => {
    const span = await spanOf(service.urls[1]);
    expect(span).toMatchObject({ traceId: STRANGERS_TRACE, parentSpanId: '1234567890abcdef' });
  });
});

describe('tracing without a collector', () => {
  it('is off, and deliveries carry no trace', async () => {
    const runtime = await createTestRuntime();
    try {
      const tracing = await startTracing(runtime.config, { process: 'test', log: runtime.log });
      expect(tracingIsOn()).toBe(false);
      await givenEvents(runtime, await givenEndpoint(runtime, 'http://127.0.0.1:8080/hook'), 1);
      expect(await runtime.db.knex('webhook_deliveries').pluck('trace_parent')).toEqual([null]);
      await tracing.stop();
    } finally {
      await runtime.stop();
    }
  });
});
