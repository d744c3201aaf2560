import type { AnswerHeaders } from '../../../domain/http/answer-headers.ts';
import { isAboutAbility } from './model-ability.ts';

/*
 * Classifies a provider's refusal by its status and words: it is about the channel, an object that the request names, or the
 * request.
 */

/** An upstream's error response, independent of its shape. */
export interface UpstreamError {
  /** The message, cleaned; empty if the response says nothing. */
  readonly message: string;
  /** The message without a leading field path, which contains names that the client has chosen. */
  readonly words: string;
  readonly code: string | null;
  readonly type: string | null;
  readonly param: string | null;
  /** Further details for the client. */
  readonly details: Readonly<Record<string, unknown>> | null;
  /** The moderation of OpenRouter quotes what it objects to. */
  readonly isFlagged: boolean;
  /** Whether the response is a web page, sent by an intermediary and not by the API. */
  readonly isPage: boolean;
}

export type Refusal =
  /** Another channel may succeed. */
  | { readonly about: 'channel'; readonly kind: string; readonly message: string }
  /** The request names a file, a cache, a tool, or the like; the account of another channel may have it. */
  | { readonly about: 'object' }
  /** The channel's model lacks an ability (tools, images, …) that another channel's model may have. */
  | { readonly about: 'ability' }
  /** Every channel would refuse it. */
  | { readonly about: 'request' };

export const OBJECT_NOT_ACCESSIBLE = 'object_not_accessible';
/** The failure kind for an ability that a channel's model lacks. */
export const LACKS_ABILITY = 'lacks_ability';

const REQUEST: Refusal = { about: 'request' };
const OBJECT: Refusal = { about: 'object' };
const ABILITY: Refusal = { about: 'ability' };
const NO_AUTH: Refusal = {
  about: 'channel',
  kind: 'upstream_auth',
  message: "The provider refused the channel's credentials",
};
/** Either the credentials or this request is at fault; the response does not show which. */
const FORBIDDEN: Refusal = {
  about: 'channel',
  kind: 'forbidden',
  message: 'The provider refused the request as forbidden',
};
const EXPIRED: Refusal = {
  about: 'channel',
  kind: 'upstream_auth_expired',
  message: "The provider refused the channel's credentials: they are expired, or the clocks differ",
};
const NO_QUOTA: Refusal = {
  about: 'channel',
  kind: 'upstream_quota',
  message: "The channel's account at the provider has no quota or credit left",
};

function aboutModel(status: number): Refusal {
  const message =
    status === 401 || status === 403
      ? "The provider does not allow the channel's account to do this"
      : 'The provider does not have the model or address that the channel names';
  return { about: 'channel', kind: `http_${status}`, message };
}

/**
 * Returns what the refusal is about; `null` if only the status says anything. `upstream_auth` takes a channel out of use until an
 * operator acts, and `upstream_quota` puts all its models into cooldown, so nothing that a client can send may cause either: for
 * statuses that also report faults in the request, only codes and whole sentences count, because providers quote the request in
 * their messages.
 */
export function refusalOf(status: number, error: UpstreamError, headers: AnswerHeaders): Refusal | null {
  // Self-hosted servers also refuse with a 500 (llama.cpp: "image input is not supported").
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
  // OpenAI: a server named by one of the request's tools does not respond.
  if (status === 424 && error.type === 'external_connector_error') return REQUEST;
  return status === 400 || status === 422 ? refusal400(status, error) : null;
}

function hasCode({ code, type }: UpstreamError, codes: ReadonlySet<string>): boolean {
  return (code !== null && codes.has(code)) || (type !== null && codes.has(type));
}

// ---- the content

const CONTENT_CODES = new Set(['content_policy_violation', 'content_filter', 'moderation', 'moderation_blocked']);
/** OpenRouter; xAI ("Content violates usage guidelines. … Failed check: SAFETY_CHECK_TYPE_BIO"); Azure and similar. */
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
/** DeepSeek, xAI, OpenRouter. "Exceeded your current quota" is left out: Gemini uses it for a per-minute limit. */
const QUOTA_TEXT =
  /credit balance is too low|insufficient (?:account )?(?:balance|credits?|funds)|(?:more|any|all available) credits\b|\bkey limit exceeded|\bmonthly spending limit\b|billing hard limit|check your billing/i;
/** Anthropic sends this with a 400. */
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
/** AWS; Google. The channel's owner has to renew temporary credentials or correct a clock. */
const EXPIRED_TEXT =
  /^signature (?:expired|not yet current)\b|\bsecurity token included in the request is expired\b|\b(?:access|bearer|id) token (?:is|has) expired\b|\bACCESS_TOKEN_EXPIRED\b/i;

function isExpired(status: number, { words }: UpstreamError, headers: AnswerHeaders): boolean {
  if (EXPIRED_TYPE.test(headers.get('x-amzn-errortype') ?? '')) return true;
  return (status === 401 || status === 403) && EXPIRED_TEXT.test(words);
}

/**
 * OpenAI: a key with restricted permissions. Which ones a request needs depends on its endpoint and tools, except for
 * `model.request`.
 */
const LACKS_RIGHTS = /\bmissing scopes:(?!.*\bmodel\.request\b)/i;
/** OpenRouter passes on the response of the provider behind it, whose key is not the channel's. */
const FROM_BEHIND = /^provider returned error\b/i;

function refusal401({ words }: UpstreamError): Refusal {
  return LACKS_RIGHTS.test(words) || FROM_BEHIND.test(words) ? aboutModel(401) : NO_AUTH;
}

// ---- 403

/**
 * Files, caches and the like at Gemini, Vertex, OpenAI, Anthropic and Bedrock. Tuned models are left out, because channels name
 * those.
 */
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
/** Optional features that a request may use and an account may lack. */
const FEATURE_TEXT = /\b(?:tools?|web[ _]search|code[ _]execution|beta|service[ _]tier|feature)\b/i;
/** Groq, Alibaba. */
const MODEL_CODE = /^model[_.]/i;
const MODEL_ACCESS_TEXT = /\bmodels?\b|模型|\bdeployment\b|\binference-profile\b|\bbedrock:InvokeModel/i;
/**
 * Nothing but the status in words, which is how firewalls in front of an API answer a prompt that looks like an attack; and
 * Gemini's message both for a key without permission and for a video that only its owner may see.
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
/** OpenRouter, xAI, DeepSeek, vLLM, OpenAI's images; Bedrock, whose newer models require an inference profile. */
const MODEL_TEXT =
  /^\S{1,200} is not a valid model id\b|^model not found\b|^the supported api model names are\b|^(?:the )?(?:requested )?model \S{1,200} does not exist|^the provided model identifier is invalid|^invocation of model id \S{1,200} with on-demand throughput isn.t supported/i;
/** Anthropic and others begin with the name of the unknown field. */
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
