const PLAIN = /^\/[\w./%?=&-]*$/;

/** A path of this site at or below one of `roots`; the first root for anything else. Prevents open redirects. */
export function returnPathUnder(roots: readonly [string, ...string[]], path: unknown): string {
  const [home] = roots;
  if (typeof path !== 'string' || !PLAIN.test(path)) return home;
  // Resolved as a browser does: `..`, also percent-encoded, leads up.
  const { origin, pathname } = new URL(path, 'http://localhost');
  const ours = roots.some((root) => pathname === root || pathname.startsWith(`${root}/`));
  return ours && origin === 'http://localhost' ? path : home;
}
