import { invalid } from '../../platform/errors.ts';

const MAX_REFERENCE_LENGTH = 255;

/** What the bank calls a payment or its return, without the space around it. @throws validation_error */
export function parseBankReference(text: string): string {
  const reference = text.trim();
  if (reference === '' || reference.length > MAX_REFERENCE_LENGTH) {
    throw invalid([
      { path: '/reference', message: `must have 1 to ${MAX_REFERENCE_LENGTH} characters` },
    ]);
  }
  return reference;
}
