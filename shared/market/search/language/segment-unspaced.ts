import { findEntry, type Language } from './dictionary.ts';
import { FOREIGN_STOP_WORDS } from './foreign-stop-words.ts';

/** A word of a text written without spaces. */
export interface UnspacedSegment {
  text: string;
  language: Language;
  /** Empty for a stretch in no dictionary. */
  english: readonly string[];
}

const LONGEST = 8;
/** Longer texts are neither names nor wishes; the rest stays as it is. */
const LONGEST_TEXT = 60;
/** This many single characters without a word among them are not words. */
const LOOSE = 3;
/** The costs of pieces: the fewest and longest words win. */
const COST = { word: 1, sign: 1.6, stopWord: 0.8, unknown: 3 } as const;

/**
 * Splits Chinese or Japanese into the fewest dictionary words, without function words. A text that is mostly unknown
 * stays as it is.
 */
export function segmentUnspaced(text: string): UnspacedSegment[] {
  const [head, tail] = [text.slice(0, LONGEST_TEXT), text.slice(LONGEST_TEXT)];
  const japanese = cut(head, 'ja');
  const isKana = /[\p{sc=Hiragana}\p{sc=Katakana}]/u.test(head);
  const chinese = isKana ? undefined : cut(simplified(head), 'zh');
  const best = chinese && chinese.cost <= japanese.cost ? chinese : japanese;
  const other = best === chinese ? japanese : undefined;
  const segments = best.segments.map((segment) =>
    // A word that both languages write alike may be in either.
    other && best.cost === other.cost && best.segments.length === 1
      ? { ...segment, english: [...new Set([...segment.english, ...englishOf(head, 'ja')])] }
      : segment,
  );
  const known = segments.filter(({ english }) => english.length > 0);
  // Single characters that form no words also count as unknown.
  const loose = segments.length >= LOOSE && segments.every(({ text: sign }) => sign.length === 1);
  if (loose || 2 * lengthOf(known) < lengthOf(segments)) {
    return [{ text, language: best.language, english: [] }];
  }
  return tail === ''
    ? segments
    : [...segments, { text: tail, language: best.language, english: [] }];
}

function lengthOf(segments: readonly UnspacedSegment[]): number {
  return segments.reduce((sum, { text }) => sum + Array.from(text).length, 0);
}

/** Converts traditional characters to simplified ones. */
function simplified(text: string): string {
  return Array.from(text, (sign) => findEntry(sign)?.variant ?? sign).join('');
}

interface Cut {
  language: Language;
  segments: UnspacedSegment[];
  cost: number;
}

function cut(text: string, language: Language): Cut {
  const signs = Array.from(text);
  const cost = [0];
  const from = [0];
  for (let end = 1; end <= signs.length; end += 1) {
    cost[end] = Number.POSITIVE_INFINITY;
    for (let start = Math.max(0, end - LONGEST); start < end; start += 1) {
      const price = priceOf(signs.slice(start, end).join(''), end - start, language);
      const total = (cost[start] ?? 0) + price;
      if (total < (cost[end] ?? 0)) {
        cost[end] = total;
        from[end] = start;
      }
    }
  }
  const pieces: string[] = [];
  for (let end = signs.length; end > 0; end = from[end] ?? 0) {
    pieces.unshift(signs.slice(from[end] ?? 0, end).join(''));
  }
  return { language, segments: toSegments(pieces, language), cost: cost[signs.length] ?? 0 };
}

function priceOf(piece: string, size: number, language: Language): number {
  if (FOREIGN_STOP_WORDS[language].has(piece)) return COST.stopWord;
  if (englishOf(piece, language).length > 0) return size === 1 ? COST.sign : COST.word;
  return size === 1 ? COST.unknown : Number.POSITIVE_INFINITY;
}

/** Merges adjacent unknown characters into one stretch. */
function toSegments(pieces: readonly string[], language: Language): UnspacedSegment[] {
  const segments: UnspacedSegment[] = [];
  for (const text of pieces) {
    if (FOREIGN_STOP_WORDS[language].has(text)) continue;
    const english = englishOf(text, language);
    const last = segments.at(-1);
    if (last && last.english.length === 0 && english.length === 0) last.text += text;
    else segments.push({ text, language, english });
  }
  return segments;
}

function englishOf(text: string, language: Language): readonly string[] {
  return findEntry(text)?.meanings.get(language) ?? [];
}
