import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// A receiver that answers 200 at once and records what arrives and when. It notifies its parent after the requested
// number of distinct webhooks, and sends all records on request.
let arrivals: { n: string; at: number }[] = [];
let seen = new Set<string>();
let wanted = Number.POSITIVE_INFINITY;
const server = createServer((req, res) => {
  req.resume();
  req.once('end', () => {
    res.statusCode = 200;
    res.end();
    const n = String(req.headers['webhook-id']);
    arrivals.push({ n, at: Date.now() });
    seen.add(n);
    tell();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () =>
  process.send?.({ port: (server.address() as AddressInfo).port }),
);

function tell(): void {
  if (seen.size < wanted) return;
  wanted = Number.POSITIVE_INFINITY;
  process.send?.({ came: seen.size });
}

process.on('message', (message: { reset?: true; wanted?: number; ask?: 'arrivals' }) => {
  if (message.reset) [arrivals, seen] = [[], new Set()];
  if (message.wanted !== undefined) {
    wanted = message.wanted;
    tell();
  }
  if (message.ask) process.send?.({ arrivals });
});
process.once('SIGTERM', () => process.exit(0));
