import type { AnswerHeaders } from '../../../domain/http/answer-headers.ts';
import { isAboutAbility } from './model-ability.ts';

/* What a provider's refusal is about, from its status and its words: the channel, something that the request names, or the request. */

/** What an upstream's error answer says, whatever its shape. */
export interface UpstreamError {
  /** Cleaned; empty when the answer says nothing. */
  readonly message: string;
  /** The message without the path of a field before it, which holds the client's own names. */
  readonly words: string;
  readonly code: string | null;
  readonly type: string | null;
  readonly param: string | null;
  /** What providers say beside the message, for the client. */
  readonly details: Readonly<Record<string, unknown>> | null;
  /** OpenRouter's moderation quotes what it objects to. */
  readonly isFlagged: boolean;
  /** The answer is a page for people. */
  readonly isPage: boolean;
  /** The answer is a web page: something on the way answered, and not the API. */
}

export type Refusal =
  /** Another channel may do better. */
  | { readonly about: 'channel'; readonly kind: string; readonly message: string }
  /** A file, a cache, a tool …, which the account of another channel may have. */
  | { readonly about: 'object' }
  /** What the channel's model cannot do (tools, images, …), and that of another channel may. */
  | { readonly about: 'ability' }
  /** Any channel would refuse it. */
  | { readonly about: 'request' };

export const OBJECT_NOT_ACCESSIBLE = 'object_not_accessible';
/** The kind of a failure because of what the model of a channel cannot do. */
export const LACKS_ABILITY = 'lacks_ability';

const REQUEST: Refusal = { about: 'request' };
const OBJECT: Refusal = { about: 'object' };
const ABILITY: Refusal = { about: 'ability' };
const NO_AUTH: Refusal = {
  about: 'channel',
  kind: 'upstream_auth',
  message: "The provider refused the channel's credentials",
};
/** Of the credentials or of this request: nothing tells which. */
const FORBIDDEN: Refusal = {
  about: 'channel',
  kind: 'forbidden',
  message: 'The provider refused the request as not allowed',
};
const EXPIRED: Refusal = {
  about: 'channel',
  kind: 'upstream_auth_expired',
  message: "The provider refused the channel's credentials as too old, or as of another time than its own",
};
const NO_QUOTA: Refusal = {
  about: 'channel',
  kind: 'upstream_quota',
  message: "The provider refused: the channel's account there has no quota or credit left",
};

function aboutModel(status: number): Refusal {
  const message =
    status === 401 || status === 403
      ? "The provider does not let the channel's account do this"
      : 'The provider does not know the model or address that the channel names';
  return { about: 'channel', kind: `http_${status}`, message };
}

/**
 * What the refusal is about; `null` where nothing but the status tells. `upstream_auth` takes a channel out of use until an
 * operator acts, and `upstream_quota` lets all its models rest, so neither may follow from anything that a client can send:
 * with statuses that are also given for faults in the request, only codes and whole sentences count, since providers quote
 * the request in their messages.
 */
export function refusalOf(status: number, error: UpstreamError, headers: AnswerHeaders): Refusal | null {
  // Self-hosted servers refuse with a 500, too (llama.cpp: "image input is not supported").
  if (status >= 500) return !error.isPage && isAboutAbility(error.words) ? ABILITY : null;
  if (status < 400) return null;
  if (isAboutContent(status, error)) return REQUEST;
  if (isAboutMoney(status, error)) return NO_QUOTA;
  if (status === 429) return null;
  if (isExpired(status, error, headers)) return EXPIRED;
  if (status === 401) return refusal401(error);
  if (hasCode(error, AUTH_CODES)) return NO_AUTH;
  if (status === 403) return refusal403(error);
  if (status === 404) return refusal404(error);
  // OpenAI: a server that one of the request's tools names does not answer.
  if (status === 424 && error.type === 'external_connector_error') return REQUEST;
  return status === 400 || status === 422 ? refusal400(status, error) : null;
}

function hasCode({ code, type }: UpstreamError, codes: ReadonlySet<string>): boolean {
  return (code !== null && codes.has(code)) || (type !== null && codes.has(type));
}

// ---- the content

const CONTENT_CODES = new Set(['content_policy_violation', 'content_filter', 'moderation', 'moderation_blocked']);
/** OpenRouter; xAI ("Content violates usage guidelines. … Failed check: SAFETY_CHECK_TYPE_BIO"); Azure and its like. */
const CONTENT_TEXT =
  /\brequires moderation\b|\b(?:input|prompt|request|content|output)s? (?:was|were|has been|is) (?:flagged|rejected by|blocked by)\b|\b(?:input|prompt|request|content|output|image|message)s? (?:\w+ )?violat\w+\b|\bcontent (?:policy|filter|management policy)\b/i;

function isAboutContent(status: number, error: UpstreamError): boolean {
  if (status === 403) return error.isFlagged || hasCode(error, CONTENT_CODES) || CONTENT_TEXT.test(error.words);
  return status === 401 && hasCode(error, CONTENT_CODES);
}

// ---- the account's money

const QUOTA_CODES = new Set([
  'insufficient_quota',
  'insufficient_balance',
  'insufficient_user_quota',
  'billing_hard_limit_reached',
  'billing_not_active',
  'Arrearage',
]);
/** DeepSeek, xAI, OpenRouter. "Exceeded your current quota" is not here: Gemini says it of a minute's limit. */
const QUOTA_TEXT =
  /credit balance is too low|insufficient (?:account )?(?:balance|credits?|funds)|(?:more|any|all available) credits\b|\bkey limit exceeded|\bmonthly spending limit\b|billing hard limit|check your billing/i;
/** Anthropic says it with a 400. */
const QUOTA_SENTENCE = /^your credit balance is too low to access the (?:\w+ )?api\.[^:]*$/i;

function isAboutMoney(status: number, error: UpstreamError): boolean {
  if (status === 402 || hasCode(error, QUOTA_CODES)) return true;
  const text = status === 401 || status === 403 || status === 429 ? QUOTA_TEXT : QUOTA_SENTENCE;
  return text.test(error.words);
}

// ---- the credentials

const AUTH_CODES = new Set([
  'invalid_api_key',
  'authentication_error',
  'API_KEY_INVALID',
  'account_deactivated',
  'organization_restricted',
  'unsupported_country_region_territory',
]);

const EXPIRED_TYPE = /\b(?:ExpiredToken|RequestExpired|RequestTimeTooSkewed)/;
/** AWS; Google. Their owner renews temporary credentials, and sets clocks. */
const EXPIRED_TEXT =
  /^signature (?:expired|not yet current)\b|\bsecurity token included in the request is expired\b|\b(?:access|bearer|id) token (?:is|has) expired\b|\bACCESS_TOKEN_EXPIRED\b/i;

function isExpired(status: number, { words }: UpstreamError, headers: AnswerHeaders): boolean {
  if (EXPIRED_TYPE.test(headers.get('x-amzn-errortype') ?? '')) return true;
  return (status === 401 || status === 403) && EXPIRED_TEXT.test(words);
}

/** OpenAI: a key with rights of its own. Which ones a request needs depends on its endpoint and its tools, but for this one. */
const LACKS_RIGHTS = /\bmissing scopes:(?!.*\bmodel\.request\b)/i;
/** OpenRouter hands on what the provider behind it answered, whose key is not the channel's. */
const FROM_BEHIND = /^provider returned error\b/i;

function refusal401({ words }: UpstreamError): Refusal {
  return LACKS_RIGHTS.test(words) || FROM_BEHIND.test(words) ? aboutModel(401) : NO_AUTH;
}

// ---- 403

/** Files, caches and the like at Gemini, Vertex, OpenAI, Anthropic and Bedrock. A tuned model is not here: channels name those. */
const OBJECT_TEXT = new RegExp(
  [
    /\bcached ?content\b/,
    /\bpermission to access (?:the )?(?:file|document|corpus)\b/,
    /\bstorage\.objects?\.|\bgoogle cloud storage\b|\bs3:GetObject\b|\bbedrock:ApplyGuardrail\b/,
    /\bdenied on resource '[^']*\/(?:cachedContents|files|ragCorpora|dataStores|collections)\//,
    /^(?:the )?(?:previous )?(?:item|response|conversation|container|vector store|prompt|file|skill)s? (?:with ids? )?\S{1,200} (?:was |were )?not found\b/,
    /^(?:file|container|skill|vector store)s? not found\b|^no such (?:file|container|vector store)\b/,
    /\baccess (?:to )?(?:this|the) (?:file|container|vector store|conversation)\b/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'i',
);
/** What a request may ask for beside the answer, and an account may be without. */
const FEATURE_TEXT = /\b(?:tools?|web[ _]search|code[ _]execution|beta|service[ _]tier|feature)\b/i;
/** Groq, Alibaba. */
const MODEL_CODE = /^model[_.]/i;
const MODEL_ACCESS_TEXT = /\bmodels?\b|模型|\bdeployment\b|\binference-profile\b|\bbedrock:InvokeModel/i;
/**
 * Nothing but the status in words, as firewalls before an API answer a prompt that looks like an attack; and what Gemini says of
 * a key that may not call it, and of a video that only its owner may see.
 */
const UNCLEAR_TEXT =
  /^(?:(?:403 )?forbidden|access denied|permission denied|the caller does not have permission|)\.?$/i;

function refusal403(error: UpstreamError): Refusal {
  const { words } = error;
  if (OBJECT_TEXT.test(words) || FEATURE_TEXT.test(words)) return OBJECT;
  const isAboutModel =
    hasCode(error, MODEL_CODES) || MODEL_CODE.test(error.code ?? '') || MODEL_ACCESS_TEXT.test(words);
  if (isAboutModel || FROM_BEHIND.test(words)) return aboutModel(403);
  return error.isPage || UNCLEAR_TEXT.test(words) ? FORBIDDEN : NO_AUTH;
}

// ---- 400

/** Whole sentences of xAI, Gemini and Anthropic. */
const AUTH_SENTENCES: readonly RegExp[] = [
  /^incorrect api key provided\b.{0,300}\bconsole\.x\.ai\.?$/i,
  /^api key (?:not valid|expired)\. please [^:]*$/i,
  /^user location is not supported for the api use\.?$/i,
  /^this organization has been disabled\.?$/i,
];

const MODEL_CODES = new Set(['model_not_found', 'invalid_model', 'DeploymentNotFound', 'model_not_supported']);
/** OpenRouter, xAI, DeepSeek, vLLM, OpenAI's images; Bedrock, whose newer models are to be had only through an inference profile. */
const MODEL_TEXT =
  /^\S{1,200} is not a valid model id\b|^model not found\b|^the supported api model names are\b|^(?:the )?(?:requested )?model \S{1,200} does not exist|^the provided model identifier is invalid|^invocation of model id \S{1,200} with on-demand throughput isn.t supported/i;
/** Anthropic and others begin with the name of the field that they do not know. */
const UNKNOWN_FIELD_TEXT = /: extra (?:inputs|fields|attributes) (?:are )?not (?:permitted|allowed)/i;

/** OpenRouter: "No endpoints found that support tool use". */
function refusal404({ words }: UpstreamError): Refusal {
  if (OBJECT_TEXT.test(words)) return OBJECT;
  return isAboutAbility(words) ? ABILITY : aboutModel(404);
}

function refusal400(status: number, error: UpstreamError): Refusal | null {
  const { words } = error;
  if (UNKNOWN_FIELD_TEXT.test(words)) return null;
  if (AUTH_SENTENCES.some((sentence) => sentence.test(words))) return NO_AUTH;
  const isAboutModel = status === 400 && (hasCode(error, MODEL_CODES) || MODEL_TEXT.test(words));
  if (isAboutModel) return aboutModel(status);
  return isAboutAbility(words) ? ABILITY : null;
}
