const PLAIN = /^\/[\w./%?=&-]*$/;

/**
 * Returns `path` if it is on this site, at or below one of `roots`; otherwise the first root. Prevents open redirects.
 */
export function returnPathUnder(roots: readonly [string, ...string[]], path: unknown): string {
  const [home] = roots;
  if (typeof path !== 'string' || !PLAIN.test(path)) return home;
  // Resolved as a browser would: `..`, even percent-encoded, goes up.
  const { origin, pathname } = new URL(path, 'http://localhost');
  const ours = roots.some((root) => pathname === root || pathname.startsWith(`${root}/`));
  return ours && origin === 'http://localhost' ? path : home;
}
