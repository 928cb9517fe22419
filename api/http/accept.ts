/** Whether a request names this media type in its `Accept`, and not to refuse it by the weight 0 (RFC 9110). */
export function acceptNames(accept: string, type: string): boolean {
  return accept.split(',').some((range) => {
    const [name, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return name === type && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
