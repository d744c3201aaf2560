import { isDigit } from './edit-distance.ts';

/** Longer names are compared by this prefix; model ids are never this long. */
export const COMPARED_CHARACTERS = 128;
/** The most words of a name that are compared; real names have at most a dozen. */
const COMPARED_TOKENS = 24;

/** A model id as people mean it: without case and separators, split between letters and digits. */
export class ModelName {
  #version: Version | undefined;

  constructor(
    /** The part before the last slash. */
    readonly vendor: string,
    readonly compact: string,
    /** `gpt-4o-mini` and `GPT4o_mini` both become gpt, 4, o, mini; only the first few words of a very long name. */
    readonly tokens: readonly string[],
    /** One bit for each first letter of its words: names without a common bit have no word in common. */
    readonly initials: number,
  ) {}

  /** Computed on first use, because few names need it. */
  get version(): Version {
    this.#version ??= versionOf(this.tokens);
    return this.#version;
  }
}

export function nameOf(id: string): ModelName {
  const lower = id.slice(0, COMPARED_CHARACTERS).toLowerCase();
  const slash = lower.lastIndexOf('/');
  const tokens: string[] = [];
  let initials = 0;
  let start = slash + 1;
  let startKind = kindOf(lower.charCodeAt(start));
  for (let at = start + 1; at <= lower.length; at++) {
    const kind = kindOf(lower.charCodeAt(at));
    if (kind === startKind && at < lower.length) continue;
    if (startKind !== SEPARATOR) {
      tokens.push(lower.slice(start, at));
      if (startKind === LETTER) initials |= 1 << lower.charCodeAt(start);
    }
    start = at;
    startKind = kind;
  }
  const vendor = slash === -1 ? '' : lower.slice(0, slash);
  return new ModelName(vendor, tokens.join(''), tokens.slice(0, COMPARED_TOKENS), initials);
}

const SEPARATOR = 0;
const DIGIT = 1;
const LETTER = 2;
type Kind = typeof SEPARATOR | typeof DIGIT | typeof LETTER;
const MIDDLE_DOT = 0xb7;

function kindOf(code: number): Kind {
  if (code >= 97 && code <= 122) return LETTER;
  if (isDigit(code)) return DIGIT;
  // Letters of any script count; the middle dot of `DALL·E` is the only non-ASCII separator that people use.
  return code > 127 && code !== MIDDLE_DOT ? LETTER : SEPARATOR;
}

export function isNumber(token: string): boolean {
  return isDigit(token.charCodeAt(0));
}

/** In `70b`, `8x7b`, `128k`: a number before such a letter is a size. */
const SIZE_LETTERS: ReadonlySet<string> = new Set(['b', 'k', 'm', 'x', 'e']);

/**
 * The version numbers in a name, most significant first, at most two, and their position in its tokens: 4 and 5 for
 * `claude-sonnet-4-5-20250929`; none for `gpt-oss-120b`. Dates and counters (`-001`) have three or more digits and do not count.
 */
export interface Version {
  readonly numbers: readonly number[];
  /** The version as a decimal: 4.20 is older than 4.7. 0 if none exists. */
  readonly value: number;
  readonly start: number;
  readonly end: number;
}

const NO_VERSION: Version = { numbers: [], value: 0, start: 0, end: 0 };

function versionOf(tokens: readonly string[]): Version {
  for (let start = 0; start < tokens.length; start++) {
    if (!isVersionAt(tokens, start)) continue;
    const end = isVersionAt(tokens, start + 1) ? start + 2 : start + 1;
    const texts = tokens.slice(start, end);
    return { numbers: texts.map(Number), value: Number(texts.join('.')), start, end };
  }
  return NO_VERSION;
}

function isVersionAt(tokens: readonly string[], at: number): boolean {
  const token = tokens[at];
  return token !== undefined && token.length <= 2 && isNumber(token) && !SIZE_LETTERS.has(tokens[at + 1] ?? '');
}

/** Returns whether neither version is a prefix of the other: `4` may mean 4.5, whereas 4.1 does not. */
export function isOtherVersion(one: Version, other: Version): boolean {
  if (one.numbers.length === 0 || other.numbers.length === 0) return false;
  const [major, minor] = one.numbers;
  const [otherMajor, otherMinor] = other.numbers;
  return major !== otherMajor || (minor !== undefined && otherMinor !== undefined && minor !== otherMinor);
}

/** Words about how a model is offered, which do not identify it. */
const OFFERING_WORDS: ReadonlySet<string> = new Set(
  'latest preview exp beta free instruct it chat hf model models generate v id'.split(' '),
);

export function isOffering(token: string): boolean {
  return OFFERING_WORDS.has(token);
}

/** Words that many families share: the size of a model or its purpose. */
const SHARED_WORDS: ReadonlySet<string> = new Set(
  'mini nano micro tiny small medium large xlarge base lite flash fast turbo plus pro max ultra high text image video audio speech code embed embedding embeddings rerank reasoning vision translate multilingual english'.split(
    ' ',
  ),
);

export function isShared(token: string): boolean {
  return SHARED_WORDS.has(token);
}

/** Returns whether the word alone identifies the family: `sonnet`, `deepseek`. */
export function tellsFamily(token: string): boolean {
  return token.length >= 4 && !isNumber(token) && !isOffering(token) && !SHARED_WORDS.has(token);
}

/**
 * Names of model families as vendors write them in ids. A deployment, an alias or an ARN without any of them does not reveal its
 * model.
 */
const FAMILIES =
  /(?:^|[^a-z])(?:claude|chatgpt|gpt|codex|dall-e|whisper|tts|gemini|gemma|imagen|veo|nova|titan|llama|mistral|ministral|mixtral|magistral|codestral|devstral|voxtral|pixtral|qwen|qwq|wan|deepseek|kimi|moonshot|glm|minimax|grok|command|jamba|granite|nemotron|phi|ernie|hunyuan|doubao|seed|yi|sonar|embed|rerank)(?![a-z])|(?:^|[^a-z0-9])o[134](?![a-z0-9])/;

/** Returns whether a model's id reveals its family. */
export function namesFamily(id: string): boolean {
  return FAMILIES.test(resourceOf(id.toLowerCase()));
}

/** Returns the resource at the end of an ARN. Regions and accounts before it could be mistaken for names. */
function resourceOf(id: string): string {
  return id.startsWith('arn:') ? id.slice(id.search(/[^:/]*\/[^/]*$/)) : id;
}
