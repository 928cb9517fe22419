import type { Socket } from 'node:net';
import { afterEach } from '@jest/globals';
import type { HostAddress } from '../../shared/platform/outbound/address-guard.ts';
import {
  createHttpClient,
  type HttpClient,
  type HttpClientOptions,
  type OutboundRequest,
} from '../../shared/platform/outbound/http-client.ts';
import { answer, type FaultReceiver } from './fault-receiver.ts';

export const LOOPBACK: HostAddress = { address: '127.0.0.1', family: 4 };

/** Provides the clients and receivers of one test, closed after it. Call at the top of a test file. */
export function outboundBench() {
  const cleanUp: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const action of cleanUp.splice(0).reverse()) await action();
  });
  return {
    async kept(starting: Promise<FaultReceiver>): Promise<FaultReceiver> {
      const receiver = await starting;
      cleanUp.push(() => receiver.close());
      return receiver;
    },
    /** Creates a client that may reach loopback, unless `options` say otherwise. */
    client(options: Partial<HttpClientOptions> = {}): HttpClient {
      const created = createHttpClient({ allowPrivate: true, ...options });
      cleanUp.push(() => created.close());
      return created;
    },
    cleanUp,
  };
}

/** Returns a small POST with a deadline of 2 s. */
export function post(url: string, more: Partial<OutboundRequest> = {}): OutboundRequest {
  return { method: 'POST', url, body: '{}', deadlineMs: 2_000, maxResponseBytes: 1_024, ...more };
}

/** A receiver's successful response. */
export const ok = (socket: Socket) => void socket.write(answer('200 OK', {}, 'fine'));
