import net from 'node:net';

/** Listens for a moment and returns the port that was bound, or null if it is taken. */
function tryListen(port, host) {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', (error) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(null);
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

/** Whether nothing listens on the port, on any address of this machine. */
export async function isPortFree(port) {
  for (const host of ['127.0.0.1', '0.0.0.0', '::']) {
    if ((await tryListen(port, host)) === null) return false;
  }
  return true;
}

/** Returns a free port: `preferred` if it is still free, so that a restart keeps its address. */
export async function freePort(preferred) {
  if (preferred && (await isPortFree(preferred))) return preferred;
  return tryListen(0, '127.0.0.1');
}
