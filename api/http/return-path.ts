const PLAIN = /^\/[\w./%?=&-]*$/;

/** A place of ours at or below one of `roots`, whatever the address bar was made to say; the first root for anything else. */
export function returnPathUnder(roots: readonly [string, ...string[]], path: unknown): string {
  const [home] = roots;
  if (typeof path !== 'string' || !PLAIN.test(path)) return home;
  // As a browser reads it: dots, percent-encoded ones too, lead back up.
  const { origin, pathname } = new URL(path, 'http://localhost');
  const ours = roots.some((root) => pathname === root || pathname.startsWith(`${root}/`));
  return ours && origin === 'http://localhost' ? path : home;
}
