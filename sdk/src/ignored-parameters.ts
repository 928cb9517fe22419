const HEADER = 'x-service-ignored-parameters';

/** Warns of the first answer that names parameters which the service ignored; later ones add nothing. */
export function ignoredParametersWarning(
  warn: (message: string) => void,
): (call: string, headers: Headers) => void {
  let warned = false;
  return (call, headers) => {
    const ignored = headers.get(HEADER);
    if (warned || ignored === null) return;
    warned = true;
    warn(
      `${call}: the service does not know and ignored these parameters: ${ignored}. Is this package newer than the service?`,
    );
  };
}
