/** `j***@e***.com` for `jane@example.com`: enough to recognise one's own customer by, and no address. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  const domain = email.slice(at + 1);
  const dot = domain.lastIndexOf('.');
  const suffix = dot > 0 ? domain.slice(dot) : '';
  return `${firstOf(email.slice(0, Math.max(at, 0)))}***@${firstOf(domain)}***${suffix}`;
}

function firstOf(text: string): string {
  return [...text][0] ?? '';
}
