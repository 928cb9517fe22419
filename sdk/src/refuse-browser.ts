/** Refuses to run in a browser page or worker, where everybody could read the secret. @throws Error */
export function refuseBrowser(): void {
  const surroundings = globalThis as { document?: unknown; importScripts?: unknown };
  if (surroundings.document === undefined && surroundings.importScripts === undefined) return;
  refuse();
}

/** Always throws. @throws Error */
export function refuse(): never {
  throw new Error(
    'This package signs with your secret, which must never reach a browser. Call it on your server.',
  );
}
