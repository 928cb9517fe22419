import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  /** The process that sent it. */
  service: string;
  facts: Record<string, unknown>;
  failed: boolean;
}

/** An HTTP server on a free port that receives spans as a collector does (OTLP, JSON). */
export interface TraceCollector {
  url: string;
  spans: ReceivedSpan[];
  close(): Promise<void>;
}

interface Value {
  stringValue?: string;
  intValue?: number;
  boolValue?: boolean;
}
interface Facts {
  attributes: { key: string; value: Value }[];
}
interface Export {
  resourceSpans: {
    resource: Facts;
    scopeSpans: {
      spans: (Omit<ReceivedSpan, 'service' | 'facts' | 'failed'> &
        Facts & { status: { code?: number } })[];
    }[];
  }[];
}

export async function startTraceCollector(): Promise<TraceCollector> {
  const spans: ReceivedSpan[] = [];
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    if (req.url === '/v1/traces') spans.push(...read(Buffer.concat(chunks).toString('utf8')));
    res.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function read(body: string): ReceivedSpan[] {
  const { resourceSpans } = JSON.parse(body) as Export;
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans
      .flatMap((scope) => scope.spans)
      .map(({ attributes, status, traceId, spanId, parentSpanId, name, kind }) => ({
        traceId,
        spanId,
        ...(parentSpanId && { parentSpanId }),
        name,
        kind,
        service: String(factsOf(resource)['service.name']),
        facts: factsOf({ attributes }),
        failed: status.code === 2,
      })),
  );
}

function factsOf({ attributes }: Facts): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? value.intValue ?? value.boolValue,
    ]),
  );
}
