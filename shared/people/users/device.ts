import bowser from 'bowser';

/** Returns the readable name of a `User-Agent`'s device, such as `Firefox on Linux`; null if it is not a browser. */
export function deviceOf(userAgent: string | null): string | null {
  if (!userAgent) return null;
  const { browser, os } = bowser.parse(userAgent);
  if (!browser.name) return null;
  return os.name ? `${browser.name} on ${os.name}` : browser.name;
}
