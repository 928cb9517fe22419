const HEADER = 'x-service-ignored-parameters';

/** Returns a function that warns once, at the first call with fields that this package did not send. */
export function unsentFieldsWarning(
  warn: (message: string) => void,
): (call: string, unsent: readonly string[]) => void {
  let warned = false;
  return (call, unsent) => {
    if (warned || unsent.length === 0) return;
    warned = true;
    warn(
      `${call}: this package does not know and did not send these fields: ${unsent.join(',')}. Are they spelled right?`,
    );
  };
}

/** Returns a function that warns once, at the first response that lists parameters ignored by the service. */
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
