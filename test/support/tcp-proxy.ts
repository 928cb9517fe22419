import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A connection through the proxy. */
interface Link {
  /** The first bytes that its client sent. */
  opening: string;
  /** Ends both sides at once, as a reset does. */
  cut(): void;
}

/** What the proxy does with received bytes: passes them on, or discards them. */
type Tap = (chunk: Buffer, link: Link) => 'pass' | 'swallow';

/** A TCP proxy on loopback that a test can make slow, silent or deaf. */
export interface TcpProxy {
  /** The target's URL, through the proxy. */
  url: string;
  /** Inspect what clients send and what the server responds, in whole chunks; undefined passes everything. */
  onRequest: Tap | undefined;
  onAnswer: Tap | undefined;
  /** Returns the delay of each chunk, in milliseconds. */
  delayMs: () => number;
  /** Returns the connections that are open and not frozen. */
  links(): readonly Link[];
  /** Cuts every connection. */
  cut(): void;
  /**
   * Leaves the current connections open but dead: nothing more passes, and neither side is told. New ones work. `which`
   * selects connections by their first bytes.
   */
  freeze(which?: (opening: string) => boolean): number;
  close(): Promise<void>;
}

interface OpenLink extends Link {
  client: Socket;
  server: Socket;
  frozen: boolean;
}

/** Starts a proxy in front of the server of `target`, a URL with a port. */
export async function startTcpProxy(target: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(target);
  const links = new Set<OpenLink>();
  // The other side of a frozen connection must not even see its end.
  const listener = createServer({ allowHalfOpen: true }, (client) => {
    const server = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const link: OpenLink = {
      client,
      server,
      opening: '',
      frozen: false,
      cut() {
        links.delete(link);
        client.destroy();
        server.destroy();
      },
    };
    links.add(link);
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      socket.on('error', () => {});
    }
    carry(link, client, server, (chunk) => {
      link.opening ||= chunk.toString('latin1');
      return proxy.onRequest?.(chunk, link) ?? 'pass';
    });
    carry(link, server, client, (chunk) => proxy.onAnswer?.(chunk, link) ?? 'pass');
  });

  function carry(link: OpenLink, from: Socket, to: Socket, tap: (chunk: Buffer) => string): void {
    let last = Promise.resolve();
    const next = (step: () => void) => {
      const delay = proxy.delayMs();
      last = last.then(() =>
        delay > 0 ? new Promise((done) => setTimeout(done, delay)) : undefined,
      );
      last = last.then(() => {
        if (!link.frozen) step();
      });
    };
    from.on('data', (chunk: Buffer) => {
      if (!link.frozen && tap(chunk) === 'pass') next(() => to.write(chunk));
    });
    from.on('end', () => next(() => to.end()));
    from.on('close', () => {
      if (!link.frozen) next(() => link.cut());
    });
  }

  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const through = new URL(target);
  through.hostname = '127.0.0.1';
  through.port = String((listener.address() as AddressInfo).port);
  const proxy: TcpProxy = {
    url: through.href.replace(/\/$/, ''),
    onRequest: undefined,
    onAnswer: undefined,
    delayMs: () => 0,
    links: () => [...links].filter(({ frozen }) => !frozen),
    cut() {
      for (const link of links) link.cut();
    },
    freeze(which = () => true) {
      const chosen = [...links].filter((link) => !link.frozen && which(link.opening));
      for (const link of chosen) link.frozen = true;
      return chosen.length;
    },
    async close() {
      proxy.cut();
      listener.close();
      await once(listener, 'close');
    },
  };
  return proxy;
}
