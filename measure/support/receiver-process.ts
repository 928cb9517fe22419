import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// A partner's receiver: responds 200, at once or after a delay, and tells its parent when the wanted number has come.
let received = 0;
let wanted = Number.POSITIVE_INFINITY;
let delayMs = 0;
const server = createServer((req, res) => {
  req.resume();
  const answer = () => {
    res.statusCode = 200;
    res.end();
    received += 1;
    if (received === wanted) process.send?.({ received });
  };
  req.once('end', () => {
    if (delayMs > 0) setTimeout(answer, delayMs);
    else answer();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () =>
  process.send?.({ port: (server.address() as AddressInfo).port }),
);
process.on('message', (message: { wanted: number; delayMs?: number }) => {
  received = 0;
  wanted = message.wanted;
  delayMs = message.delayMs ?? 0;
});
process.once('SIGTERM', () => process.exit(0));
