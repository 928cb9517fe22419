import bowser from 'bowser';

/** What people call the device behind a `User-Agent`: `Firefox on Linux`. Null for a program that is no browser. */
export function deviceOf(userAgent: string | null): string | null {
  if (!userAgent) return null;
  const { browser, os } = bowser.parse(userAgent);
  if (!browser.name) return null;
  return os.name ? `${browser.name} on ${os.name}` : browser.name;
}
