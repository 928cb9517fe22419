import { domainToASCII, domainToUnicode } from 'node:url';
import { HOUR, MINUTE, SECOND } from '../../platform/clock.ts';

/** Longer answers are unreadable. */
export const MAX_WHOIS_LINES = 2_000;

/**
 * Refusals: limits, blocks, faults. The phrases report what has happened; the threats in terms of use are worded
 * differently.
 */
const REFUSALS = [
  /\b(?:limit|quota|allowance|queries|requests|lookups|connections|maximum number|rate)\b.{0,80}?\b(?:exceeded|reached|exhausted|used up)/,
  /\b(?:have|has|been|was|were|client|address|host) (?:already )?(?:exceeded|reached)\b.{0,80}?\b(?:limit|quota|quer|request|connection|lookup|allowance|number|rate|maximum)/,
  /^(?:whois )?(?:query |request |rate )?(?:limit|quota) exceeded/,
  /\btoo (?:many|much|frequent) (?:\w+ )?(?:quer|request|connection|lookup|attempt|access)/,
  /\b(?:queried )?interval is too short\b/,
  /^(?:request|query|connection|access)s? (?:is |was |has been |have been |temporarily |currently )*(?:denied|refused|rejected|blocked|throttled|prohibited|forbidden|disabled|restricted)/,
  /^\d* ?request denied/,
  /\bquery.?status: ?44\d/,
  /\b(?:access|permission) denied\b/,
  /\brequests? of this client (?:is|are) not permitted/,
  /\b(?:your|this|the|ip) (?:(?:ip|network|client|host|source) )?(?:address|ip|network|client|host)\b.{0,60}\b(?:is|was|has been|have been)\b.{0,20}\b(?:blocked|banned|blacklisted|denied|rejected|restricted|throttled)/,
  /\b(?:your|this|the|ip) (?:(?:ip|network|client|host|source) )?(?:address|ip|network|client|host)\b.{0,60}\bnot (?:authori[sz]ed|permitted|allowed)/,
  /^(?:ip address|ip|client|host|address) (?:is |was |has been )?(?:blocked|banned|blacklisted|denied)/,
  /\b(?:you|client|host|network) (?:are|is|have been|has been|were|was)\b.{0,40}\b(?:blocked|banned|blacklisted|throttled|denied|rate[ -]?limited)/,
  /^blacklisted:/,
  /^excessive quer(?:ying|ies)(?:[,.!]|$)/,
  /\b(?:still in )?grace period\b.{0,20}\b\d+ second/,
  /\bplease (?:go away|wait|slow down|maintain at least)\b/,
  /\b(?:try|retry|query|ask) (?:it |the query )?(?:again|later)\b.{0,10}(?:later|in \d|after|tomorrow|[.!]?$)/,
  /\bonly \d+ (?:request|quer|connection|lookup)\w* per \w+ (?:is |are )?allowed/,
  /\b(?:will|can) (?:be )?temporarily not be answered/,
  /\bcan temporarily not\b/,
  /\b(?:server|service|database|system|whois|lookup)\b.{0,40}\b(?:is|are|was|currently|temporarily|too)\b.{0,30}\b(?:busy|down|overloaded|unavailable|offline|under maintenance|not responding)/,
  /^(?:temporarily |service )+unavailable\b/,
  /\b(?:can't|cannot|can not|could not|unable to) (?:be )?(?:process|processed|perform|performed|handle|handled)\b.{0,30}(?:request|query|[.!]?$)/,
  /^(?:internal|server|database|software|system) (?:\w+ )?error\b/,
  /^error:? ?(?:internal|timeout|time.?out)/,
  /\b(?:demasiadas consultas|muitas consultas|trop de requ[eê]tes|zu viele anfragen)\b/,
];

/** Before a refusal phrase, these words make it a threat, a rule or a promise. */
const CONDITION =
  /\b(?:if|when|whenever|once|unless|until|should|may|might|shall|must|not to|agree|who|that|which|in case|results? in|reserves?)\b/;

const DEFAULT_WAIT_MS = 1 * MINUTE;
const UNITS: Readonly<Record<string, number>> = { second: SECOND, minute: MINUTE, hour: HOUR };

/**
 * Returns how long the server wants to be left alone, in milliseconds, if any part of the answer is a refusal: one
 * minute unless it names a time. Undefined if nothing is refused.
 */
export function refusalWaitMs(text: string): number | undefined {
  const lines = statementsOf(text);
  // A sentence may continue on the next line.
  const pairs = lines.map((line, at) => `${line} ${lines[at + 1] ?? ''}`);
  const whole = lines.findIndex(isRefusal);
  const at =
    whole >= 0 ? whole : pairs.findIndex((pair, first) => lines[first] !== '' && isRefusal(pair));
  return at < 0 ? undefined : waitIn(`${pairs[at]} ${lines[at + 2] ?? ''}`);
}

function isRefusal(statement: string): boolean {
  return REFUSALS.some((phrase) => {
    const found = phrase.exec(statement);
    return found !== null && !CONDITION.test(statement.slice(0, found.index + found[0].length));
  });
}

function waitIn(statement: string): number {
  const [, count, unit = ''] =
    /\b(\d{1,9}(?:\.\d+)?)[ -]?(second|minute|hour)s?\b/.exec(statement) ?? [];
  if (count !== undefined) return Number(count) * (UNITS[unit] ?? SECOND);
  const [, per = ''] = /\b(?:per |an? |this )?(minute|hour|dail|day)/.exec(statement) ?? [];
  return per === '' ? DEFAULT_WAIT_MS : per === 'minute' ? MINUTE : HOUR;
}

/** Replaces the requested name in a statement, in any spelling. All other text is lower case. */
const ASKED = 'ASKED';

/** Subjects that count as free or not found: the requested name, or "domain" or "object". No others count. */
const SUBJECT =
  /(?:(?:sorry, but )?(?:the |this |above )?(?:queried |requested )?(?:object|domain)(?: name)?:? ?(?:ASKED)?(?: you (?:have )?(?:requested|queried|entered))?|ASKED(?: -)?(?: domain name)?)/;

const NOT_THERE =
  /(?:does not exist|no match|no existe|no entries found|(?:was |is )?not found|cannot be found|(?:is |has )?not (?:yet )?(?:been )?regist(?:e)?red|is free(?! of| to)|is available(?! (?:at|by|from|in|on|through|under|via)\b))\b/;

/** Statements that a name does not exist; a line must start with one, after comment signs. */
const NO_SUCH_NAME = [
  new RegExp(`^${SUBJECT.source} ?${NOT_THERE.source}`),
  /^(?:nincs tal[aá]lat \/ )?no match(?:es)?\b/,
  /^no matching (?:domain|entr|object|record)/,
  /^no (?:data|entries|objects?|(?:domain )?records?|information)(?: (?:about|for|matching|on) (?:the )?(?:domain(?: name)?:? )?ASKED)?(?: (?:was|were|has been|have been|could be))? found/,
  /^no (?:domain )?records? (?:were|was|matching)\b.{0,100}\b(?:found|match)/,
  /^no information (?:is )?available (?:about|on|for) (?:the )?domain(?: name)?\b/,
  /^there is no information available on the domain consulted/,
  /^no such domain/,
  /^no found$/,
  /^(?:object[_ ])?not found/,
  /^no_se_encontro_el_objeto/,
  /^nothing found/,
  /^not registered(?:[.!,:]| -|$)/,
  /^(?:domain |registration )?status[. ]*:\s*(?:free|available|not registered|no object found)\b/,
  /^query_status:\s*220\b/,
  /^we do not have an entry in our database matching your query/,
  /^invalid query or domain name not known in\b/,
  /^el dominio no se encuentra registrado\b/,
  /^상기 도메인이름은 등록되어 있지 않습니다/,
];

/** Counts only as the whole answer: elsewhere it may be the end of a sentence or notice. */
const ALONE = /^available\.?$/;

/** Web server responses: what they did not find is a page, not a domain. */
const WEB_PAGE = /^(?:<!doctype|<html|http\/\d)|\brequested url\b/;

/** Returns whether an answer without a record says that `domain` is unregistered. */
export function saysUnregistered(domain: string, text: string): boolean {
  const statements = statementsOf(text);
  if (statements.some((line) => WEB_PAGE.test(line))) return false;
  const marked = statements.map((line) => markAsked(domain, line));
  return (
    saysAvailableAlone(text, marked) ||
    marked.some(
      (line) => NO_SUCH_NAME.some((phrase) => phrase.test(line)) && !namesAnother(domain, line),
    )
  );
}

/** Returns whether the answer is only `Available`, apart from comments and the echoed query. */
function saysAvailableAlone(text: string, marked: readonly string[]): boolean {
  const comments = text
    .split(/\r\n|\n|\r/, MAX_WHOIS_LINES)
    .map((line) => /^\s*[%#*;>]/.test(line));
  const isAside = (line: string, at: number) =>
    line === '' ||
    comments[at] === true ||
    /^(?:(?:query|domain(?: name)?) ?:? )?ASKED$/.test(line);
  const said = marked.flatMap((line, at) => (isAside(line, at) ? [] : [at]));
  const [only] = said;
  return (
    said.length === 1 &&
    only !== undefined &&
    ALONE.test(marked[only] ?? '') &&
    (marked[only - 1] ?? '') === ''
  );
}

/** Replaces the domain, in A-labels or Unicode, with its quotes and punctuation, by ASKED. */
function markAsked(domain: string, statement: string): string {
  const spellings = new Set([domain, domainToUnicode(domain)]);
  return statement.replace(
    /["'«“(<[]{0,3}([^\s"'«»“”()<>,;:[\]]+)["'»”)>,;:\]]*/g,
    (quoted, word: string) =>
      spellings.has(word.normalize().replace(/[.!?]+$/, '')) ? ASKED : quoted,
  );
}

/** Returns whether a statement is about another name: `No match for "other.com"` says nothing about `shop.com`. */
function namesAnother(domain: string, statement: string): boolean {
  if (statement.includes(ASKED)) return false;
  const suffix = domain.slice(domain.lastIndexOf('.'));
  return statement
    .split(/[\s"'«»“”()<>,;:]+/)
    .map((word) => domainToASCII(word.replace(/[.!?]+$/, '')))
    .some((name) => name.endsWith(suffix) && name !== suffix);
}

/** Statements that a registry withholds a name from registration. */
const HELD_BACK = [
  /^(?:this |the )?(?:name|domain)(?: name)?\b.{0,60}\b(?:is|has been) (?:\w+ )?(?:reserved|restricted|prohibited|blocked)\b/,
  /^(?:sorry, )?the domain you requested is (?:in the reserved list|prohibited)/,
  /^(?:the )?domain(?: name)? (?:is )?not available\b/,
  /^(?:reserved by|reserved (?:domain )?name|domain reserved|restricted(?:$|\s*[-.]))/,
  /^(?:domain )?status[. ]*:\s*(?:reserved|unassignable|prohibited|not allowed|blocked|restricted)\b/,
  /^(?:>>> )?this name is not available for registration/,
  /\bobject cannot be registered\b/,
];

/** Returns whether an answer without a record says that the registry reserves the name. */
export function saysHeldBack(text: string): boolean {
  return statementsOf(text).some((line) => HELD_BACK.some((phrase) => phrase.test(line)));
}

/** Returns the lines in lower case, without their comment, error or list markers. */
function statementsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/\r\n|\n|\r/, MAX_WHOIS_LINES)
    .map((line) =>
      line
        .slice(0, 1_000)
        .replace(/^[\s%#*;>"'-]+/, '')
        // Registries' codes repeat the words after them; 404 comes from a web server.
        .replace(/^(?:error:? ?(?!404\b)\d*:? *|-?(?!404\b)\d{1,3}: )/, '')
        .replace(/\s+/g, ' ')
        .slice(0, 300)
        .trim(),
    );
}
