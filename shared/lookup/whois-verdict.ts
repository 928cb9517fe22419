/** What a WHOIS server says when it has no such name; a line must begin so, behind comment signs. */
const NO_SUCH_NAME = [
  /^no match/,
  /^no matching record/,
  /^no (?:data|entries|objects?|records?|information)\b.{0,200}\bfound/,
  /^no such domain/,
  /^(?:object[_ ])?not found/,
  /^no_se_encontro_el_objeto/,
  /^nothing found/,
  /^not registered/,
  /^available\.?$/,
  /^(?:domain |registration )?status:\s*(?:free|available|not registered|no object found)\b/,
  /^query_status:\s*220\b/,
  /^(?:the |this )?(?:queried |requested )?(?:object|domain)\b.{0,100}\b(?:does not exist|(?:was |is )?not found|cannot be found|(?:is|has) not (?:been )?registered|is free|is available)/,
  /^we do not have an entry in our database matching your query/,
  /^\S{1,253} (?:is free|is available|is not registered|not found|was not found)\b/,
  /^.{0,100}\bis available for (?:registration|purchase)/,
];

/** What it says when it does not want to be asked any more. */
const REFUSAL = [
  /limit exceeded/,
  /quota (?:has been )?exceeded/,
  /exceeded.{0,60}(?:quer|limit|quota|request|connection|lookup)/,
  /(?:queries|requests|lookups|connections)\b.{0,60}\bexceeded/,
  /too many (?:quer|request|connection|lookup)/,
  /rate[ -]?limit/,
  /request.{0,40} not permitted/,
  /(?:your|this) (?:ip|address|client|host)\b.{0,60}(?:blocked|banned|blacklisted|denied|not permitted)/,
  /access (?:is )?denied/,
  /(?:please )?(?:try|retry) again (?:later|in)/,
];

/** Refusals are short; a record's small print may speak of limits, too. */
const LONGEST_REFUSAL = 4_096;
const MOST_LINES = 300;

/** What an answer without a record means. */
export function classifyWhoisReply(text: string): 'unregistered' | 'busy' | 'unreadable' {
  const lines = text
    .toLowerCase()
    .split(/\r\n|\n|\r/, MOST_LINES)
    .map((line) => line.replace(/^[\s%#*;>"'-]+(?:error:\d+:\s*)?/, '').slice(0, 300));
  if (lines.some((line) => NO_SUCH_NAME.some((phrase) => phrase.test(line)))) return 'unregistered';
  const refused = lines.some((line) => REFUSAL.some((phrase) => phrase.test(line)));
  return refused && text.length <= LONGEST_REFUSAL ? 'busy' : 'unreadable';
}
