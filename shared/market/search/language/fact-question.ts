/** Openings of questions about facts, not names: amounts, persons, times, causes, and questions to us. */
const BEGINNING = new RegExp(
  `^(?:${[
    'how (?:many|old|tall|far|deep|fast|much is|long (?:is|was|has|do|does|did))',
    'who (?:is|was|are|were|won|wrote|said|sang|invented|discovered|painted)',
    'when (?:is|was|were|do|does|did|will)',
    'why (?:is|was|are|do|does|did)',
    'what (?:year|time|day|do|does|did|is the|are the|happens)',
    '(?:is|was) (?:it|this|that)|will it|are (?:you|they|we)|am i|did (?:i|it|you)|does (?:it|this)',
    'where is my|my (?:account|order|password)',
  ].join('|')})\\b`,
  'i',
);

/** Returns whether a text asks for a fact, as one asks an encyclopedia or support. */
export function asksFact(text: string): boolean {
  return BEGINNING.test(text);
}
