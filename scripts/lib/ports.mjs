import net from 'node:net';

/** Listens for a moment and returns the port that was bound, or why it could not be: `taken` or `forbidden`. */
function tryListen(port, host) {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', (error) => {
      if (error.code === 'EADDRINUSE') resolve('taken');
      else if (error.code === 'EACCES') resolve('forbidden');
      // A machine without IPv6 can't bind `::`; that says nothing about the port.
      else if (error.code === 'EAFNOSUPPORT' || error.code === 'EADDRNOTAVAIL') resolve(port);
      else reject(error);
    });
    server.listen({ port, host, exclusive: true }, () => {
      const bound = server.address().port;
      server.close(() => resolve(bound));
    });
  });
}

/**
 * Returns whether the port can be listened on, on any address of this machine: `free`, `taken` by another program, or
 * `forbidden` to this user, as ports below 1024 often are.
 */
export async function stateOfPort(port) {
  for (const host of ['127.0.0.1', '0.0.0.0', '::']) {
    const bound = await tryListen(port, host);
    if (bound !== port) return bound;
  }
  return 'free';
}

/** Whether nothing listens on the port, on any address of this machine. */
export const isPortFree = async (port) => (await stateOfPort(port)) === 'free';

/** Returns a free port: `preferred` if it is still free, so that a restart keeps its address. */
export async function freePort(preferred) {
  if (preferred && (await isPortFree(preferred))) return preferred;
  return tryListen(0, '127.0.0.1');
}
