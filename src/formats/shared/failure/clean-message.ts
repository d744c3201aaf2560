const MESSAGE_CHARACTERS = 2_000;
/** How much of a text is searched for secrets: in an HTML page the message may come late. */
const EXAMINED_CHARACTERS = 16_384;
/** How much of the remaining text is masked: more than a message, so that a secret at the message's cut is found whole. */
const MASKED_CHARACTERS = 6_000;
/** How much is dropped at the end of the masked text, where a truncated secret may be too short for a rule to match. */
const UNSURE_CHARACTERS = 100;

const REDACTED = '[redacted]';

/**
 * Order matters: a labelled secret is masked together with its label before a rule about bare keys sees it. An upstream may send
 * any text, so what a rule scans before it fails is bounded, or ends where the next scan begins: no rule takes quadratic time.
 */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  // https://user:password@host, and the same for databases and mail servers
  [/(\b[a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/@]+@/gi, `$1${REDACTED}@`],
  // cookie: session=…, Set-Cookie: session=…
  [/(\b(?:set-)?cookie["']?\s*[:=]\s*["']?)(?=[\w.%-]{1,100}=)[^"'\n]+/gi, `$1${REDACTED}`],
  // ?key=…, &X-Amz-Signature=…
  [
    /([?&][\w.-]{0,40}(?:key|token|secret|sig|signature|password|passwd|credential|auth|code|state)[\w.-]{0,40}=)[^&\s"'<>#]+/gi,
    `$1${REDACTED}`,
  ],
  [
    /\b(Bearer)\s+(?!(?:auth\w*|tokens?|credentials?|scheme|format|header|realm|is|was|or|of)\b)[^\s"',;]+/gi,
    `$1 ${REDACTED}`,
  ],
  [/\b(Basic)\s+(?=[A-Za-z+/]*[\d=])[A-Za-z0-9+/]{6,}={0,2}/g, `$1 ${REDACTED}`],
  // sk-…, gsk_…, hf_…, AIza…, AKIA…, ghp_…, JSON web tokens
  [/\b(?:sk|pk|rk|gsk|xai|r8|hf|nvapi|pplx|csk|tgp|fw|ghp|gho|ghs|glpat|xox[a-z])[-_][\w*.-]*[\w*]/g, REDACTED],
  [/\bAIza[\w*-]+/g, REDACTED],
  // The gateway's own management tokens.
  [/\bmt-[\w-]{16,}/g, REDACTED],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{12,}/g, REDACTED],
  [/\beyJ[\w-]{8,}(?:\.[\w-]*)*/g, REDACTED],
  // The operator's own account at OpenAI, as named in rate limit messages.
  [/\b(?:org|proj)[-_][A-Za-z0-9]{8,}/g, REDACTED],
  // api_key=…, "password":"…"
  [
    /(\b(?:[\w-]{0,40}api[-_ ]?key|[\w-]{0,40}(?:access|auth|refresh|session)[-_ ]?token|[\w-]{0,40}secret|[\w-]{0,40}password)["']?\s*=\s*["']?)[^\s"'&,;<>]+/gi,
    `$1${REDACTED}`,
  ],
  [
    /(["'](?:[\w-]{0,40}api[-_ ]?key|[\w-]{0,40}token|[\w-]{0,40}secret|[\w-]{0,40}password|authorization)["']\s*:\s*["'])[^"']+/gi,
    `$1${REDACTED}`,
  ],
  // api key: abc123, key provided: inv****2345; an ordinary word after the colon stays
  [
    /(\b(?:api[-_ ]?key|access[-_ ]?token|secret|password)(?: provided)?\s*:\s*)(?=[^\s"',;]{0,200}[\d*])[^\s"',;]+/gi,
    `$1${REDACTED}`,
  ],
  // a long run of letters and digits soon after the word
  [/(key\b(?:\*|[^\n]{0,40}?[^\w*-]))(?=[A-Za-z_*-]{0,200}\d)(?=[\d_*-]{0,200}[A-Za-z])[\w*-]{20,}/gi, `$1${REDACTED}`],
];

/**
 * Returns an upstream's text as a client may read it: one line of limited length, without secrets, control characters or HTML.
 */
export function cleanMessage(text: string): string {
  const plain = text
    .slice(0, EXAMINED_CHARACTERS)
    .replace(/<(script|style)\b[^<>]*>[\s\S]*?(?:<\/\1\s*>|$)/gi, ' ')
    .replace(/<!--[\s\S]*?(?:-->|$)/g, ' ')
    .replace(/<!doctype[^<>]*>/gi, ' ')
    .replace(/<\/?[a-z][a-z0-9-]*(?:\s[^<>]*)?\/?>/gi, ' ')
    .replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, '')
    .replace(/\p{Cc}|[\u2028\u2029]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  let cleaned = withoutSecrets(plain.slice(0, MASKED_CHARACTERS));
  if (plain.length > MASKED_CHARACTERS) cleaned = cleaned.slice(0, -UNSURE_CHARACTERS);
  return cleaned.length <= MESSAGE_CHARACTERS ? cleaned : `${cleaned.slice(0, MESSAGE_CHARACTERS - 1).toWellFormed()}…`;
}

/**
 * Returns a text as the request log keeps it: at most `most` characters on one line, without secrets. More than that is examined, so
 * that a secret at the cut is found whole.
 */
export function loggedText(text: string, most: number): string {
  const examined = text.slice(0, 2 * most + UNSURE_CHARACTERS);
  let cleaned = withoutSecrets(examined.replace(/[\p{Cc}\u2028\u2029]+/gu, ' '));
  if (examined.length < text.length) cleaned = cleaned.slice(0, -UNSURE_CHARACTERS);
  return cleaned.length <= most ? cleaned.toWellFormed() : `${cleaned.slice(0, most - 1).toWellFormed()}…`;
}

/** Masks everything that looks like a key or a password. For bounded texts only: the rules look around each word. */
export function withoutSecrets(text: string): string {
  return SECRETS.reduce((cleaned, [pattern, replacement]) => cleaned.replace(pattern, replacement), text);
}
