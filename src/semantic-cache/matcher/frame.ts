import type { Token } from './tokens.ts';

/** The form of a question without its subject. */
export interface Frame {
  /** `what`, `who`, `how`, `how many`, `can` …; `none` if unknown. */
  readonly kind: string;
  readonly tense: 'past' | 'present' | 'future';
  /** `can`, `should`, `will` or `would` for yes/no and why questions; `none` for others, where it hardly matters. */
  readonly modality: string;
  /** The persons concerned: `i`, `me` (`my`), `you`, `your`, `him` (`he`, `his`), `her`. */
  readonly persons: ReadonlySet<string>;
}

const WH_WORDS = new Map<string, string>([
  ['what', 'what'],
  ['which', 'what'],
  ['who', 'who'],
  ['whom', 'who'],
  ['whose', 'whose'],
  ['where', 'where'],
  ['when', 'when'],
  ['why', 'why'],
  ['how', 'how'],
]);
/** After `how` these words ask for a number. */
const MEASURES = new Set(
  'many much long old far often tall big high deep fast soon hard heavy large expensive close'.split(' '),
);
/** `What is the best way to …?` and `What is the effect of …?` count as how-questions. */
const WAYS = new Set(
  'way ways method methods procedure process tips trick tricks steps solution solutions impact impacts effect effects implication implications consequence consequences'.split(
    ' ',
  ),
);
const MODALS = new Map<string, string>([
  ['can', 'can'],
  ['could', 'can'],
  ['may', 'can'],
  ['might', 'can'],
  ['should', 'should'],
  ['must', 'should'],
  ['ought', 'should'],
  ['shall', 'should'],
  ['will', 'will'],
  ['would', 'would'],
]);
const HAS_MODALITY = new Set(['whether', 'why', 'none']);
const PAST = new Set(['was', 'were', 'did', 'had']);
const AUXILIARIES = new Set('is are was were am do does did has have had'.split(' '));
const PERSONS = new Map<string, string>(
  Object.entries({
    i: 'i',
    me: 'me',
    my: 'me',
    mine: 'me',
    myself: 'me',
    you: 'you',
    your: 'your',
    yours: 'your',
    yourself: 'your',
    he: 'him',
    him: 'him',
    his: 'him',
    himself: 'him',
    she: 'her',
    her: 'her',
    hers: 'her',
    herself: 'her',
  }),
);
/** Words that may stand between `how` and the subject. */
const BEFORE_SUBJECT = new Set('do does can could should would will might must may to'.split(' '));

export function readFrame(tokens: readonly Token[]): Frame {
  const words = tokens.map(({ word }) => word);
  const kind = kindOf(words);
  return {
    kind,
    tense: tenseOf(words, kind),
    modality: HAS_MODALITY.has(kind) ? (MODALS.get(words.find((word) => MODALS.has(word)) ?? '') ?? 'none') : 'none',
    persons: personsOf(words, kind),
  };
}

function kindOf(words: readonly string[]): string {
  const at = words.findIndex((word) => WH_WORDS.has(word));
  const first = words[0] ?? '';
  if (MODALS.has(first) || AUXILIARIES.has(first)) return 'whether';
  if (at < 0) return 'none';
  const kind = WH_WORDS.get(words[at] ?? '') ?? 'none';
  const next = words[at + 1] ?? '';
  if (kind === 'how' && MEASURES.has(next)) return `how ${next}`;
  if (kind === 'how' && words.slice(at, at + 6).some((word) => word === 'feel' || word === 'like')) return 'what';
  if (kind !== 'what') return kind;
  const asked = words.slice(at, at + 7);
  if (asked.some((word) => WAYS.has(word))) return 'how';
  if (asked.some((word, index) => word === 'do' && asked[index + 1] === 'to')) return 'how';
  return asked.some((word) => word === 'reason' || word === 'reasons') ? 'why' : kind;
}

function tenseOf(words: readonly string[], kind: string): Frame['tense'] {
  for (const [at, word] of words.entries()) {
    const isFuture = word === 'will' || word === 'would' || (word === 'going' && words[at + 1] === 'to');
    // For how- and where-questions the future means the same as the present.
    if (isFuture) return kind === 'how' || kind === 'where' ? 'present' : 'future';
    if (PAST.has(word) || (word === 'been' && words[at - 1] === 'has')) return 'past';
    if (word === 'is' && words[at + 1] === 'there') continue;
    if (
      word !== 'has' &&
      word !== 'have' &&
      (AUXILIARIES.has(word) || MODALS.has(word)) &&
      words.slice(at, at + 3).every((w) => w !== 'going')
    )
      return 'present';
  }
  return 'present';
}

/** Returns the persons concerned. In `How do I …?` and `How can you …?` the subject is impersonal, and so are `my` and `your` after it. */
function personsOf(words: readonly string[], kind: string): ReadonlySet<string> {
  const persons = new Set<string>();
  let subject = '';
  for (const [at, word] of words.entries()) {
    const person = PERSONS.get(word);
    const isAnybody = BEFORE_SUBJECT.has(words[at - 1] ?? '') && words[at - 2] === 'how';
    if (isAnybody) subject = word;
    else if (person !== undefined && !(kind === 'how' && isOwn(person, subject))) persons.add(person);
  }
  return persons;
}

function isOwn(person: string, subject: string): boolean {
  if (person === 'me' || person === 'i') return subject !== 'you';
  return (person === 'your' || person === 'you') && subject !== 'i' && subject !== 'we';
}
