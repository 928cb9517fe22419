/** The one resource that tokens are good for (RFC 8707, RFC 9728): the public API. */
export function apiResource({ baseUrl }: { baseUrl: string }): string {
  return `${baseUrl}/api`;
}
