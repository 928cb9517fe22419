import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { buildConnector } from 'undici';
import { createSharedAbort, orAbort, withAbort } from '../concurrency/deadline.ts';
import { bareHost, canonicalAddress, type HostAddress, isAllowedAddress } from './address-guard.ts';
import { filterAnswers } from './answer-heads.ts';
import type { ResolveHost } from './dns.ts';
import { errorCode, OutboundError } from './outbound-error.ts';

export interface DialTarget {
  host: string;
  port: number;
  /** The only addresses to dial, in order. */
  addresses: readonly HostAddress[];
}

export interface ConnectorOptions {
  allowPrivate: boolean;
  resolve: ResolveHost;
  /** Milliseconds for DNS, TCP and TLS together; a connect can outlive the request that asked for it. */
  connectTimeoutMs: number;
  /** PEM certificates to trust instead of the system's roots. */
  ca?: string;
  /** Opens a TCP connection; only tests replace it. */
  dial?: (target: DialTarget) => Socket;
}

export interface GuardedConnector {
  connect: buildConnector.connector;
  /** Whether an error means that the server closed a kept-alive connection before it could carry another request. */
  isStale(error: Error): boolean;
  /** Aborts pending connects. */
  close(): void;
}

/** What a socket connects to. */
export interface SocketTarget {
  /** A name or an IP literal, without brackets. */
  host: string;
  port: number;
  secure: boolean;
}

/**
 * Opens one socket: resolves the name once, vets every address, dials only those, and verifies TLS.
 * @throws OutboundError, or the reason of `signal`
 */
export async function openGuarded(
  options: Omit<ConnectorOptions, 'connectTimeoutMs'>,
  { host, port, secure }: SocketTarget,
  signal: AbortSignal,
): Promise<Socket> {
  const dial = options.dial ?? dialPinned;
  const addresses = await orAbort(addressesOf(host, options), signal);
  const socket = dial({ host, port, addresses });
  await established(socket, 'connect', signal, connectFailure);
  const peer = socket.remoteAddress;
  const pinned = addresses.map(({ address }) => canonicalAddress(address));
  if (peer === undefined || !pinned.includes(canonicalAddress(peer))) {
    socket.destroy();
    throw new OutboundError('refused_address', 'the connection reached an address not vetted');
  }
  socket.setNoDelay(true).setKeepAlive(true, 30_000);
  if (!secure) return socket;
  const tls = handshake(socket, host, options.ca);
  await established(tls, 'secureConnect', signal, tlsFailure);
  return tls;
}

/** Creates a connector for undici that opens each socket with {@link openGuarded}. */
export function createGuardedConnector(options: ConnectorOptions): GuardedConnector {
  const closing = createSharedAbort();
  const stale = new WeakSet<Error>();

  const open = (target: buildConnector.Options, signal: AbortSignal): Promise<Socket> => {
    const secure = target.protocol === 'https:';
    const port = Number(target.port) || (secure ? 443 : 80);
    return openGuarded(options, { host: bareHost(target.hostname), port, secure }, signal);
  };

  return {
    connect(target, callback) {
      withAbort(
        {
          deadlineMs: options.connectTimeoutMs,
          late: () => new OutboundError('timeout', 'the connection took too long to open'),
          signals: [[closing.signal]],
        },
        (signal) => open(target, signal),
      ).then(
        (socket) => {
          filterAnswers(socket, stale);
          callback(null, socket);
        },
        (error: Error) => callback(error, null),
      );
    },
    isStale: (error) => stale.has(error),
    close() {
      closing.abort(new OutboundError('aborted', 'the client was closed'));
    },
  };
}

async function addressesOf(
  host: string,
  { resolve, allowPrivate }: Pick<ConnectorOptions, 'resolve' | 'allowPrivate'>,
): Promise<readonly HostAddress[]> {
  const literal = isIP(host);
  const addresses: readonly HostAddress[] = literal
    ? [{ address: host, family: literal === 6 ? 6 : 4 }]
    : await resolve(host).catch((error: unknown) => {
        throw new OutboundError(
          'dns_failure',
          `the host name did not resolve (${errorCode(error)})`,
        );
      });
  if (addresses.length === 0) {
    throw new OutboundError('dns_failure', 'the host name has no address');
  }
  // One bad address is enough to refuse the name: a DNS rebinding attack looks like a mixed answer.
  if (!addresses.every(({ address }) => isAllowedAddress(address, allowPrivate))) {
    throw new OutboundError('refused_address', 'the host name has an address that is not public');
  }
  return addresses;
}

function dialPinned({ host, port, addresses }: DialTarget): Socket {
  const lookup: LookupFunction = (_host, wanted, callback) => {
    const [first] = addresses;
    if (wanted.all) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family);
  };
  return connectTcp({
    host,
    port,
    lookup,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: 1_000,
  });
}

function handshake(socket: Socket, host: string, ca: string | undefined): TLSSocket {
  return connectTls({
    socket,
    host,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(ca === undefined ? {} : { ca }),
    ALPNProtocols: ['http/1.1'],
    minVersion: 'TLSv1.2',
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED can't switch it off.
    rejectUnauthorized: true,
  });
}

const connectFailure = (error: unknown): OutboundError =>
  errorCode(error) === 'ETIMEDOUT'
    ? new OutboundError('timeout', 'the connection took too long to open')
    : new OutboundError('connection_failed', `the connection failed (${errorCode(error)})`);

const tlsFailure = (error: unknown): OutboundError =>
  new OutboundError('tls_failure', `the TLS handshake failed (${errorCode(error)})`);

/** Waits for `event`; an abort destroys the socket. @throws OutboundError, or the reason of `signal` */
function established(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
  failure: (error: unknown) => OutboundError,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      socket.destroy();
      reject(signal.reason);
    };
    const done = () => signal.removeEventListener('abort', onAbort);
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort);
    socket.once(event, () => {
      done();
      resolve();
    });
    // Never removed, so that a late error always has a listener.
    socket.on('error', (error) => {
      done();
      reject(failure(error));
    });
    socket.once('close', () => {
      done();
      reject(failure(undefined));
    });
  });
}
