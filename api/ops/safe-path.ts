const PLAIN = /^\/ops(\/[\w./%?=&-]*)?$/;

/** A place of ours under /ops, whatever the address bar was made to say; `/ops` for anything else. */
export function safeReturnPath(path: unknown): string {
  if (typeof path !== 'string' || !PLAIN.test(path)) return '/ops';
  // As a browser reads it: dots, percent-encoded ones too, lead back up.
  const { pathname } = new URL(path, 'http://localhost');
  return /^\/ops(\/|$)/.test(pathname) ? path : '/ops';
}
