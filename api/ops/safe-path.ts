/** A place of ours under /ops, whatever the address bar was made to say; `/ops` for anything else. */
export function safePath(path: unknown): string {
  return typeof path === 'string' && /^\/ops(\/[\w./%?=&-]*)?$/.test(path) ? path : '/ops';
}
