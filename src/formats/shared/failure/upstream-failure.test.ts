import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { healthEffectOf } from '../../../domain/routing/health-effect.ts';
import { decodeFailure } from './upstream-failure.ts';

const utf8 = new TextEncoder();

function decode(status: number, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return decodeFailure(status, new Headers(headers), utf8.encode(text));
}

/** Returns the parts of a failure that the attempt loop and the channel's health act on. */
function verdict(status: number, body: unknown, headers: Record<string, string> = {}): string {
  const failure = decode(status, body, headers);
  return `${failure.kind} ${failure.side} ${failure.retry} ${healthEffectOf(failure)}`;
}

const openai = (message: string, code: string | null = null, type = 'invalid_request_error') => ({
  error: { message, type, param: null, code },
});
const google = (code: number, message: string, status = 'PERMISSION_DENIED') => ({ error: { code, message, status } });

const BLOCKS = 'upstream_auth upstream other-target refusal';
const SUSPECT = 'forbidden upstream other-target suspicion';
const EXPIRED = 'upstream_auth_expired upstream other-target failure';
const RESTS = 'upstream_quota upstream other-target rest';
const OBJECT = 'object_not_accessible client other-target none';
const REFUSED = 'invalid_request client never none';
const LACKS = 'lacks_ability client other-target none';
const TOO_LONG = 'context_length_exceeded client never none';
const of = (status: number) => `http_${status} upstream other-target failure`;

const RATE = 'rate_limit_exceeded upstream other-target rest';
const TRANSIENT = 'http_500 upstream same-target failure';
const NO_TOOLS_AT_OPENROUTER =
  'No endpoints found that support tool use. To learn more about provider routing, visit: …';
const NO_IMAGES_AT_OPENROUTER = 'No endpoints found that support image input';
const NO_PARSER_AT_VLLM = '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set';
const NO_TEMPERATURE_AT_OPENAI = "Unsupported parameter: 'temperature' is not supported with this model.";
const KEEP_AT_LM_STUDIO =
  'The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 13055>= n_ctx: 4096).';
const llamacpp = (code: number, message: string, type = 'server_error') => ({ error: { code, message, type } });

const TABLE: readonly (readonly [string, string, number, unknown, Record<string, string>?])[] = [
  // Credentials.
  ['a 401', BLOCKS, 401, openai('Incorrect API key provided: sk-a.', 'invalid_api_key')],
  ['a 401 without a message', BLOCKS, 401, ''],
  ['a key without a permission', BLOCKS, 403, openai('Your API key does not have permission to use this resource.')],
  ['Gemini without a key', BLOCKS, 403, google(403, "Method doesn't allow unregistered callers (callers without …).")],
  [
    'Gemini’s disabled API',
    BLOCKS,
    403,
    google(403, 'Generative Language API has not been used in project 1 before or it is disabled.'),
  ],
  ['AWS’ unknown key', BLOCKS, 403, { message: 'The security token included in the request is invalid.' }],
  ['AWS’ wrong signature', BLOCKS, 403, { message: 'The request signature we calculated does not match …' }],
  ['Anthropic’s refused address', BLOCKS, 403, { error: { type: 'forbidden', message: 'Request not allowed' } }],
  [
    'a country',
    BLOCKS,
    403,
    openai('Country, region, or territory not supported', 'unsupported_country_region_territory'),
  ],
  [
    'Gemini’s country',
    BLOCKS,
    400,
    google(400, 'User location is not supported for the API use.', 'FAILED_PRECONDITION'),
  ],
  ['a closed organization', BLOCKS, 400, openai('This organization has been disabled.')],
  ['a closed account', BLOCKS, 403, openai('Your account was suspended for violating our content safety policies.')],
  ['a key without any right', BLOCKS, 401, openai('You have insufficient permissions. Missing scopes: model.request.')],
  // Credentials to renew, and clocks.
  ['AWS’ expired token', EXPIRED, 403, { message: 'The security token included in the request is expired' }],
  ['AWS’ expired signature', EXPIRED, 403, { message: 'Signature expired: 20250521T0308Z is now earlier than …' }],
  ['AWS’ early signature', EXPIRED, 403, { message: 'Signature not yet current: 20250521T0308Z …' }],
  ['AWS’ error type', EXPIRED, 400, { message: 'No.' }, { 'x-amzn-errortype': 'ExpiredTokenException:http://x/' }],
  ['a Google token', EXPIRED, 401, google(401, 'The access token has expired.', 'UNAUTHENTICATED')],
  // Quota and credit.
  ['OpenRouter’s limit for a key', RESTS, 403, { error: { code: 403, message: 'Key limit exceeded (total limit).' } }],
  [
    'xAI without credits',
    RESTS,
    403,
    { code: 'The caller does not …', error: "Your newly created team doesn't have any credits or licenses yet." },
  ],
  ['xAI’s limit', RESTS, 403, { error: 'Your team x has either used all available credits or reached its limit.' }],
  ['Alibaba in arrears', RESTS, 400, openai('Access denied, please make sure your account is …', 'Arrearage')],
  ['Anthropic without credit', RESTS, 400, openai('Your credit balance is too low to access the Anthropic API. Go.')],
  // A single model.
  ['OpenAI’s project', of(403), 403, openai('Project `proj_a` does not have access to model `m`', 'model_not_found')],
  ['OpenAI’s legacy models', of(403), 403, openai('You are not allowed to sample from this model')],
  ['Bedrock’s model', of(403), 403, { message: "You don't have access to the model with the specified model ID." }],
  [
    'Bedrock’s policy',
    of(403),
    403,
    { message: 'User: arn:aws:iam::1:u is not authorized to perform: bedrock:InvokeModel on resource: arn:aws:x' },
  ],
  [
    'Vertex’ model',
    of(403),
    403,
    google(403, "Permission 'aiplatform.endpoints.predict' denied on resource '//a/publishers/google/models/m'"),
  ],
  [
    'Gemini’s tuned model',
    of(403),
    403,
    google(403, 'You do not have permission to access tuned model tunedModels/a.'),
  ],
  [
    'Groq’s organisation',
    of(403),
    403,
    openai('The model `m` is blocked at the organization level.', 'model_permission_blocked_org', 'permissions_error'),
  ],
  ['Alibaba’s model', of(403), 403, openai('Access to model denied.', 'Model.AccessDenied')],
  ['a reseller’s model', of(403), 403, openai('该令牌无权访问模型 gpt-4o')],
  // Unclear.
  ['nothing', SUSPECT, 403, ''],
  ['a bare status text', SUSPECT, 403, { message: 'Forbidden' }],
  ['a firewall', SUSPECT, 403, '<!DOCTYPE html><html><title>Attention Required!</title>Sorry, you have been blocked'],
  ['Gemini’s generic message', SUSPECT, 403, google(403, 'The caller does not have permission')],
  ['a provider behind OpenRouter', of(403), 403, { error: { message: 'Provider returned error', code: 403 } }],
  ['a provider behind OpenRouter (401)', of(401), 401, { error: { message: 'Provider returned error', code: 401 } }],
  [
    'a key without the right to one endpoint',
    of(401),
    401,
    openai('You have insufficient permissions for this operation. Missing scopes: api.responses.write.'),
  ],
  // Objects that a request names.
  ['Gemini’s cache', OBJECT, 403, google(403, 'CachedContent not found (or permission denied)')],
  ['Gemini’s file', OBJECT, 403, google(403, 'You do not have permission to access the File a or it may not exist.')],
  [
    'Vertex’ cache',
    OBJECT,
    403,
    google(403, "Permission 'aiplatform.x.get' denied on resource '//a/projects/1/cachedContents/2'"),
  ],
  ['Vertex’ bucket', OBJECT, 403, google(403, 'a@b.c does not have storage.objects.get access to the object.')],
  ['OpenAI’s items', OBJECT, 404, openai("Item with id 'rs_1' not found. Items are not persisted when …")],
  ['OpenAI’s containers', OBJECT, 404, openai("Container with id 'cntr_1' not found.")],
  ['OpenAI’s files in containers', OBJECT, 404, openai('File cfile_1 not found on container cntr_1.')],
  ['OpenAI’s vector stores', OBJECT, 403, openai('You do not have access to this vector store')],
  ['Anthropic’s files', OBJECT, 404, openai('File not found: file_1', null, 'not_found_error')],
  [
    'a tool that is not enabled for the account',
    OBJECT,
    403,
    openai('Web search is not enabled for this organization'),
  ],
  // Content.
  [
    'OpenRouter’s moderation',
    REFUSED,
    403,
    { error: { code: 403, message: 'a/b requires moderation on A. Your input was flagged for "harassment".' } },
  ],
  ['its quotation', REFUSED, 403, { error: { code: 403, message: 'No', metadata: { flagged_input: 'x' } } }],
  ['an error code', REFUSED, 403, openai('No', 'content_policy_violation')],
  [
    'xAI’s moderation',
    REFUSED,
    403,
    { code: 'The caller …', error: 'Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO' },
  ],
  // Abilities that this channel's model lacks and another channel's may have.
  ['Ollama without tools', LACKS, 400, openai('registry.ollama.ai/library/gemma3:4b does not support tools')],
  ['OpenRouter without tools', LACKS, 404, { error: { code: 404, message: NO_TOOLS_AT_OPENROUTER } }],
  ['OpenRouter without images', LACKS, 404, { error: { code: 404, message: NO_IMAGES_AT_OPENROUTER } }],
  ['vLLM without a tool parser', LACKS, 400, openai(NO_PARSER_AT_VLLM)],
  ['vLLM without images', LACKS, 400, openai('Qwen/Qwen3-8B is not a multimodal model')],
  ['llama.cpp without a projector', LACKS, 500, llamacpp(500, 'image input is not supported - hint: if this is …')],
  ['llama.cpp without a template', LACKS, 500, llamacpp(500, 'tools param requires --jinja flag')],
  ['llama.cpp’s template', LACKS, 500, llamacpp(500, 'Jinja Exception: System message must be at the beginning.')],
  ['LM Studio’s template', LACKS, 500, { error: 'Error rendering prompt with jinja template: "No user query".' }],
  ['LM Studio without images', LACKS, 400, { error: 'Model does not support images. Please use a model that does.' }],
  ['Groq without a schema', LACKS, 400, openai('This model does not support response format `json_schema`.')],
  ['Groq without tools', LACKS, 400, openai('`tool calling` is not supported with this model')],
  ['OpenAI without images', LACKS, 400, openai('Invalid content type. image_url is only supported by certain models.')],
  ['OpenAI without a parameter', LACKS, 400, openai(NO_TEMPERATURE_AT_OPENAI, 'unsupported_parameter')],
  ['DeepSeek without tools', LACKS, 400, openai('deepseek-reasoner does not support Function Calling')],
  ['Gemini without tools', LACKS, 400, google(400, 'Function calling is not enabled for models/gemma-3-27b-it')],
  ['Gemini without reasoning', LACKS, 400, google(400, 'Thinking is not enabled for models/gemini-2.0-flash')],
  ['Bedrock without tools', LACKS, 400, { message: "This model doesn't support tool use." }],
  ['Anthropic without reasoning', LACKS, 400, openai("'claude-3-haiku-20240307' does not support thinking.")],
  ['a wrong value', REFUSED, 400, openai("Invalid value for 'tool_choice': no such function in `tools`.")],
  // A prompt that is too long, whatever the status.
  [
    'LM Studio',
    TOO_LONG,
    500,
    { error: 'Trying to keep the first 15857 tokens when context the overflows. However, …' },
  ],
  ['LM Studio’s newer message', TOO_LONG, 500, { error: KEEP_AT_LM_STUDIO }],
  ['llama.cpp', TOO_LONG, 500, llamacpp(500, 'Context size has been exceeded.', 'server_error')],
  ['llama.cpp’s type', TOO_LONG, 503, llamacpp(503, 'No.', 'exceed_context_size_error')],
  ['llama.cpp’s embeddings', TOO_LONG, 500, llamacpp(500, 'input (4002 tokens) is too large to process. increase …')],
  ['SGLang', TOO_LONG, 400, openai("The input (9000 tokens) is longer than the model's context length (8192 tokens).")],
  ['a limit of tokens per minute', RATE, 429, openai('Request too large: exceeds the context size of a minute.')],
  ['an HTML page with the message', TRANSIENT, 500, '<!DOCTYPE html><title>Context size has been exceeded</title>'],
  ['a server error', TRANSIENT, 500, openai('The server had an error while processing your request.')],
  ['llama.cpp without audio', LACKS, 501, llamacpp(501, 'The current model does not support audio input.')],
  ['a tool server', REFUSED, 424, openai('Error retrieving tool list', 'http_error', 'external_connector_error')],
];

describe('a refusal affects the right party', () => {
  for (const [name, expected, status, body, headers] of TABLE) {
    test(`${name}: ${expected}`, () => {
      expect(verdict(status, body, headers)).toBe(expected);
    });
  }
});

test('an object named by the request: the client learns which, and what to do', () => {
  const failure = decode(403, google(403, 'CachedContent not found (or permission denied)'));
  expect(failure).toMatchObject({ code: 'invalid_request', status: 400 });
  expect(failure.message).toEndWith('(HTTP 403): CachedContent not found (or permission denied)');
  expect(failure.details.hint).toContain('Files, caches');
});

describe('client text in an error message does not affect the channel', () => {
  const WORDS = [
    'Incorrect API key provided. See https://console.x.ai',
    'API key not valid. Please pass a valid API key.',
    'User location is not supported for the API use.',
    'This organization has been disabled.',
    'Your credit balance is too low to access the Anthropic API. Go.',
    'insufficient balance',
    'The security token included in the request is expired',
    'invalid_api_key',
    'insufficient_quota',
  ];
  /** How providers name an unknown field or an invalid value. */
  const ECHOES: readonly ((words: string) => unknown)[] = [
    (words) => ({ detail: [{ type: 'extra_forbidden', loc: ['body', words], msg: 'Extra inputs are not permitted' }] }),
    (words) => ({ errors: [{ loc: ['body', words], msg: 'Extra inputs are not permitted', input: words }] }),
    (words) => openai(`${words}: Extra inputs are not permitted`),
    (words) => openai(`messages.0.${words}: Extra inputs are not permitted`),
    (words) => openai(`Unknown parameter: '${words}'.`, 'unknown_parameter'),
    (words) => openai(`Invalid value: '${words}'. Supported values are: 'auto' and 'low'.`, 'invalid_value'),
    (words) => google(400, `Invalid JSON payload received. Unknown name "${words}": Cannot find field.`),
    (words) => ({ message: `Failed to deserialize: unknown variant \`${words}\`, expected \`text\``, input: words }),
  ];
  for (const words of WORDS) {
    test(words, () => {
      for (const status of [400, 404, 413, 422]) {
        for (const echo of ECHOES) {
          const effect = healthEffectOf(decode(status, echo(words)));
          expect(['none', ...(status === 404 ? ['failure'] : [])]).toContain(effect);
        }
      }
    });
  }

  test('even if it is any text in place of a field', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom(...WORDS), fc.nat(), (text, words, at) => {
        const place = text.slice(0, at) + words + text.slice(at);
        for (const echo of ECHOES) expect(healthEffectOf(decode(400, echo(place)))).toBe('none');
      }),
    );
  });
});

const DATE = 'Sun, 06 Nov 2094 08:49:37 GMT';
test.each([
  ['a minute after the upstream’s time', 'Sun, 06 Nov 2094 08:50:37 GMT', DATE, 60_000],
  ['in RFC 850 notation', 'Saturday, 06-Nov-94 08:50:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT', 60_000],
  ['in asctime notation', 'Sun Nov  6 08:50:37 2094', DATE, 60_000],
  ['in the past', 'Sun, 06 Nov 2094 08:00:00 GMT', DATE, 0],
  ['in the far future', 'Sun, 06 Nov 2099 08:49:37 GMT', DATE, 86_400_000],
  ['in the past, without the upstream’s time', 'Sun, 06 Nov 1994 08:49:37 GMT', null, 0],
  ['that is invalid', 'tomorrow, at noon', DATE, 1_000],
  ['of an invalid month', 'Sun, 06 Foo 2094 08:49:37 GMT', DATE, 1_000],
])('Retry-After as a date %s', (_what, until, now, expected) => {
  const headers = { 'retry-after': until, ...(now === null ? {} : { date: now }) };
  expect(decode(429, { error: { message: 'Too many.' } }, headers).details.retryAfterMs).toBe(expected);
});
