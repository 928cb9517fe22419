/** @throws Error where a page or a worker of a browser would hold the secret, for everybody to read */
export function refuseBrowser(): void {
  const surroundings = globalThis as { document?: unknown; importScripts?: unknown };
  if (surroundings.document === undefined && surroundings.importScripts === undefined) return;
  refuse();
}

/** @throws Error always */
export function refuse(): never {
  throw new Error(
    'This package signs with your secret, which must never reach a browser. Call it on your server.',
  );
}
