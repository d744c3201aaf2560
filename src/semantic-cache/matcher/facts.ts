import type { Token } from './tokens.ts';

/** Details that an answer depends on, however similar two questions are otherwise. Two questions agree only if their lists are equal. */
export interface Facts {
  readonly numbers: readonly string[];
  readonly dates: readonly string[];
  readonly currencies: readonly string[];
  readonly units: readonly string[];
  readonly negation: readonly string[];
  readonly comparatives: readonly string[];
  readonly format: readonly string[];
  readonly quoted: readonly string[];
  readonly code: readonly string[];
}

export const FACT_NAMES = [
  'numbers',
  'dates',
  'currencies',
  'units',
  'negation',
  'comparatives',
  'format',
  'quoted',
  'code',
] as const satisfies readonly (keyof Facts)[];

function aliases(entries: string): ReadonlyMap<string, string> {
  return new Map(
    entries.split(' ').flatMap((entry) => {
      const words = entry.split(/[:,]/);
      return words.map((word) => [word, words[0] ?? ''] as const);
    }),
  );
}

/** Keyed by stem. */
const DATES = aliases(
  'januari:jan,january februari:feb,february march april:apr june july august:aug september:sept,sep october:oct ' +
    'november:nov decemb:december,dec monday:mon tuesday:tue wednesday:wed thursday:thu friday:fri saturday:sat sunday ' +
    'today tonight tomorrow yesterday weekend weekday morn:morning even:evening night midnight noon spring summer ' +
    'autumn winter christma:christmas easter diwali ramadan halloween past:formerly,previously future:upcoming ' +
    'ancient medieval nowaday:nowadays recent:recently',
);
/** Words for dates that are also other words; they count only if capitalized. */
const AMBIGUOUS_DATES = new Set([
  'may',
  'march',
  'mon',
  'sat',
  'sun',
  'dec',
  'mar',
  'even',
  'past',
  'future',
  'spring',
]);

const UNITS = aliases(
  'km:kilomet,kilometer,kms mile meter:m cm:centimet,centimeter mm:millimet,millimeter inch foot:ft yard kg:kilogram,kilo,kgs ' +
    'gram:g,gm mg:milligram pound:lb,lbs ounc:ounce,oz ton:tonn,tonne liter:l ml:millilit,milliliter gallon celsiu:celsius ' +
    'fahrenheit kelvin mph kmh kb:kilobyt mb:megabyt gb:gigabyt tb:terabyt bit byt:byte mbps hz:hertz khz mhz ghz ' +
    'watt:w kw:kilowatt volt:v amp:ampere joul:joule calori:calorie second:sec minut:min,minute hour:hr day week month ' +
    'year:yr decad:decade centuri:century percent:%,percentag,percentage acr:acre hectar:hectare daili:daily week:weekly month:monthly year:yearly,annually',
);
const CURRENCIES = aliases('rs:₹,rupe,inr dollar:$,usd,buck euro:€,eur gbp:£ yen:¥,jpy yuan:rmb,cny bitcoin:btc');
export function isCurrency(word: string): boolean {
  return CURRENCIES.has(word);
}

/** Letters and words that are units only after a number. */
const UNITS_AFTER_NUMBERS = new Set('m g l w v min bit foot day week month year hour minut second'.split(' '));

/** The numerals from 2 on. */
const ROMAN = 'ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx'.split(' ');

const NEGATIONS = aliases(
  'not:never,cannot no:none,nobody,nothing,nowhere,without,neither,nor hardly except:excluding',
);

const COMPARATIVES = aliases(
  'worse worst less least fewer fewest more better higher lower larger smaller bigger older younger newer cheaper faster ' +
    'slower longer shorter stronger weaker easier harder richer poorer earlier later biggest:largest smallest highest lowest ' +
    'oldest youngest newest:latest cheapest fastest slowest longest shortest strongest weakest hardest ' +
    'richest poorest earliest last next previous same opposite instead maximum:max minimum:min average only',
);

/** Words for the desired form of the answer. */
const FORMATS = new Set(
  (
    'json yaml xml csv html markdown table tabl bullet list paragraph sentenc essay poem haiku rhym summari summariz brief briefly short ' +
    'shorter detail detailed concis layman eli5 latex pseudocod code diagram chart emoji formal informal tone ' +
    'synonym antonym translat pdf powerpoint'
  ).split(' '),
);

const QUOTED = /"([^"]{1,200})"|`([^`]{1,200})`|(?<![\p{L}\d])'([^']{1,200})'(?![\p{L}\d])/gu;
/** Characters that belong to code or formulas rather than a sentence. */
const CODE_SIGNS = /!=|[=+^<>{}[\]|\\~@#²³√∫∑]|\p{Extended_Pictographic}|[^\s\p{ASCII}\p{L}\p{M}\p{P}₹€£¥]/gu;

export function readFacts(text: string, tokens: readonly Token[]): Facts {
  return {
    numbers: numbersOf(tokens),
    dates: sorted(tokens.flatMap((token) => dateOf(token))),
    currencies: [
      ...new Set(sorted(tokens.flatMap(({ stem, word }) => CURRENCIES.get(stem) ?? CURRENCIES.get(word) ?? []))),
    ],
    units: sorted(tokens.flatMap((token, at) => unitOf(token, tokens[at - 1]))),
    negation: sorted(tokens.flatMap((token, at) => negationOf(token, tokens[at - 1]))),
    comparatives: sorted(tokens.flatMap(({ word }) => COMPARATIVES.get(word) ?? [])),
    format: sorted(
      tokens.flatMap(({ stem }, at) => (FORMATS.has(stem) && tokens[at + 1]?.word !== 'time' ? [stem] : [])),
    ),
    quoted: sorted([...text.matchAll(QUOTED)].map((match) => quotedText(match[1] ?? match[2] ?? match[3] ?? ''))),
    code: [...text.matchAll(CODE_SIGNS)].map(([sign]) => sign),
  };
}

function sorted(words: readonly string[]): readonly string[] {
  return words.length < 2 ? words : words.toSorted();
}

/** Returns the negation of a word. `Why or why not?` asks for reasons, as `why?` does, so its `not` is ignored. */
function negationOf({ word }: Token, before: Token | undefined): readonly string[] {
  const negation = NEGATIONS.get(word);
  return negation === undefined || before?.word === 'why' || before?.word === 'or' ? [] : [negation];
}

/**
 * Returns numbers in their order, since a different order may mean that they count different things; a pair such as `1000 and 500` is
 * sorted.
 */
function numbersOf(tokens: readonly Token[]): readonly string[] {
  const found: { readonly value: string; readonly at: number }[] = [];
  for (const [at, { kind, word, isCapital }] of tokens.entries())
    if (kind === 'number') found.push({ value: word, at });
    else if (isCapital && ROMAN.includes(word) && word.length > 1)
      found.push({ value: String(ROMAN.indexOf(word) + 2), at });
    else if (word === 'one' && isTime(tokens[at + 1])) found.push({ value: '1', at });
  const values = found.map(({ value }) => value);
  const [first, second] = found;
  const isPair =
    found.length === 2 && tokens.slice(first?.at, second?.at).some(({ word }) => word === 'and' || word === 'or');
  return isPair ? values.toSorted() : values;
}

function isTime(token: Token | undefined): boolean {
  return token !== undefined && UNITS_AFTER_NUMBERS.has(token.stem);
}

function dateOf({ word, stem, isCapital }: Token): string | readonly string[] {
  if (AMBIGUOUS_DATES.has(word)) return isCapital ? [word] : [];
  return DATES.get(stem) ?? DATES.get(word) ?? [];
}

function unitOf({ word, stem }: Token, before: Token | undefined): readonly string[] {
  const unit = UNITS.get(stem) ?? UNITS.get(word);
  if (unit === undefined) return [];
  const needsNumber = UNITS_AFTER_NUMBERS.has(word) || UNITS_AFTER_NUMBERS.has(unit);
  return needsNumber && before?.kind !== 'number' ? [] : [unit];
}

function quotedText(text: string): string {
  return text
    .toLowerCase()
    .replace(/[.,!?]+$/, '')
    .trim();
}
