import { type CodeRule, ERROR_CODES, type ErrorCode, type HelpMember } from '../../src/domain/failure/error-codes.ts';
import { Failure } from '../../src/domain/failure/failure.ts';
import { anthropicMessages } from '../../src/formats/text/anthropic-messages/index.ts';
import type { ClientFormat } from '../../src/formats/text/format.ts';
import { gemini } from '../../src/formats/text/gemini/index.ts';
import { openaiChat } from '../../src/formats/text/openai-chat/index.ts';
import { openaiResponses } from '../../src/formats/text/openai-responses/index.ts';
import { errorOf, retryableOf, streamEnd, typeOf } from './error-samples.ts';

const INTRODUCTION = `# Errors

Generated from the code by \`npm run generate\`; a test fails while this page differs from it.

Branch on \`code\`: it is the same in every format. The status and the type follow from it; the message is for people, and its words
may change. It never contains a secret. Every response, including errors, has the header \`x-request-id\`, by which the operator finds it in the log
([operating.md](operating.md#which-request-was-it)).

If the provider finds a mistake in the request, \`code\` is the provider's own code where it has one. Further members of the provider's error keep their
names: \`failed_generation\` (Groq), \`innererror\`, \`content_filter_result\` (Azure), \`metadata\` (OpenRouter), \`details\` (Anthropic). This holds
for error responses and for errors within a stream.
`;

/** Generates docs/errors.md. */
export function errorsPage(): string {
  return [INTRODUCTION, envelopes(), fields(), codes(), typesElsewhere(), streams()].join('\n');
}

const SAMPLE = new Failure('model_not_found', {
  message: 'The model `claude-3.5-sonet` does not exist or is not available.',
  param: 'model',
  didYouMean: 'claude-sonnet-4-5',
  suggestions: ['claude-sonnet-4-5', 'claude-3-7-sonnet'],
  hint: 'Did you mean `claude-sonnet-4-5`?',
});

function envelopes(): string {
  return [
    '## The envelope of each format',
    '',
    'A client gets errors in the envelope of the endpoint that it called. The same failure in each envelope:',
    '',
    '### OpenAI-compatible endpoints',
    '',
    '`/v1/chat/completions`, `/v1/responses`, and every other path below `/v1` except `/v1/messages`.',
    '',
    json(errorOf(openaiChat, SAMPLE)),
    '',
    '### Anthropic-compatible endpoints',
    '',
    '`/v1/messages` and below it. `type` is Anthropic’s own type for the status; all other members have the same names as above.',
    '',
    json(errorOf(anthropicMessages, SAMPLE)),
    '',
    '### Gemini-compatible endpoints',
    '',
    'Below `/v1beta`. Here `code` is the status; the error code is in the `metadata` of the `ErrorInfo`, where every value is a string, and',
    'lists are JSON in a string. `param` is also in a `BadRequest`, and `retry_after` in a `RetryInfo`, where Google’s libraries look for them.',
    '',
    json(errorOf(gemini, SAMPLE)),
    '',
  ].join('\n');
}

const FIELDS: readonly (readonly [name: string, type: string, meaning: string])[] = [
  ['message', 'string', 'what is wrong, for people'],
  ['type', 'string', 'the group of errors; see the two tables below'],
  ['code', 'string', 'what happened, for programs'],
  ['param', 'string or null', 'the path of the offending field, such as `messages[2].content[0].type`'],
];

const HELP: Readonly<Record<HelpMember | 'retryable', readonly [type: string, meaning: string]>> = {
  did_you_mean: ['string', 'the closest match: a public model, or a value that the field can have'],
  suggestions: ['array of `{id}`', 'up to three public models with a similar name, the most similar first'],
  hint: ['string', 'what to do next'],
  retryable: ['boolean', 'only ever `true`: a retry of the same request may succeed'],
  retry_after: ['integer', 'seconds to wait before that; the header `Retry-After` says the same'],
  balance_usd: ['number', 'the balance of the account'],
  estimated_cost_usd: ['number', 'the amount that would have been reserved for the request'],
  resets_at: ['string', 'when the exhausted budget resets, in RFC 3339 and UTC; missing for a key’s limit'],
  alternatives: ['array of `{id, status, tags}`', 'models that can answer now'],
};

function fields(): string {
  const help = Object.entries(HELP).map(([name, [type, meaning]]) => {
    const bearers = CODES.filter((code) => carries(code, name)).map((code) => `\`${code}\``);
    return `| \`${name}\` | ${type} | ${bearers.join(', ')} | ${meaning} |`;
  });
  return [
    '## The fields',
    '',
    'A field without a value is left out, except `param`, which is then null.',
    '',
    '| field | type | in | meaning |',
    '|---|---|---|---|',
    ...FIELDS.map(([name, type, meaning]) => `| \`${name}\` | ${type} | every error | ${meaning} |`),
    ...help,
    '',
  ].join('\n');
}

const RULES: Readonly<Record<ErrorCode, CodeRule>> = ERROR_CODES;
const CODES = (Object.keys(ERROR_CODES) as ErrorCode[]).sort((a, b) => RULES[a].status - RULES[b].status);

function carries(code: ErrorCode, member: string): boolean {
  if (member === 'retryable') return retryableOf(code, openaiChat) !== 'no';
  return RULES[code].help?.some((name) => name === member) ?? false;
}

function codes(): string {
  const rows = CODES.map((code) => {
    const { status, otherStatuses = [], type, side, otherSides = [], condition, remedy } = RULES[code];
    const cells = [
      [status, ...otherStatuses].join(' or '),
      `\`${type}\``,
      `\`${code}\``,
      [side, ...otherSides].join(' or '),
      retryableOf(code, openaiChat),
      condition,
      remedy,
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return [
    '## The codes',
    '',
    'Whose fault: the client must change something, or the cause is the gateway or the provider (upstream). Before the first byte of a response,',
    'the gateway has already tried the model’s other channels if that could help (see [routing.md](routing.md)).',
    '',
    '| status | `type` | `code` | whose fault | retryable | when | what to do |',
    '|---|---|---|---|---|---|---|',
    ...rows,
    '',
    'A misspelled or hidden model, or one on hold, gives the same `model_not_found`, so that the response does not reveal which it is.',
    '',
  ].join('\n');
}

function typesElsewhere(): string {
  const groups = new Map<string, ErrorCode[]>();
  for (const code of CODES) {
    for (const status of [RULES[code].status, ...(RULES[code].otherStatuses ?? [])]) {
      const failure = new Failure(code, { message: '', status });
      const cells = `${status} | \`${typeOf(anthropicMessages, failure)}\` | \`${typeOf(gemini, failure)}\``;
      groups.set(cells, [...(groups.get(cells) ?? []), code]);
    }
  }
  const rows = [...groups]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([cells, members]) => `| ${cells} | ${members.map((code) => `\`${code}\``).join(', ')} |`);
  return [
    '## Types in the other formats',
    '',
    'The SDKs of Anthropic and Google look at their own types first. Anthropic\'s also read `error.details`: a request with a `thread` that no channel of the model can store gets a 400 whose `details` are `{error_code: "thread_unsupported_request", unsupported: ["thread"]}`, and a request that continues from a message that does not exist gets a 404 with `thread_not_found`. An overload of the upstream (529) is a 529 for Anthropic clients, a 502 for all others. `request_id` is the id in the headers.',
    '',
    '| status | Anthropic `error.type` | Gemini `error.status` | `code` |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

function streams(): string {
  const section = (title: string, text: string, format: ClientFormat, framing: 'sse' | 'json-array' = 'sse') => [
    `### ${title}`,
    '',
    text,
    '',
    '```text',
    streamEnd(format, framing),
    '```',
    '',
  ];
  return [
    '## A stream that ends with an error',
    '',
    'An error before the first byte of the response is an ordinary error response, with its status. After that the status 200 has been sent, so',
    'the stream ends with an error in its own format, and without the mark of a complete response (`[DONE]`, `response.completed`,',
    '`message_stop`, a chunk with `finishReason`). The official SDKs raise it as an exception. [billing.md](billing.md) says what is charged.',
    '',
    ...section('Chat completions', 'An event whose data is the envelope, without `[DONE]` after it.', openaiChat),
    ...section(
      'Responses',
      'An `error` event with the next sequence number, and, if the response has begun, `response.failed` with the response after it.',
      openaiResponses,
    ),
    ...section('Messages', 'An `error` event with the envelope, even if blocks are open.', anthropicMessages),
    ...section('Gemini', 'An event whose data is the envelope.', gemini),
    ...section(
      'Gemini without `alt=sse`',
      'The envelope is the last element of the array, so that the whole response is valid JSON.',
      gemini,
      'json-array',
    ),
  ].join('\n');
}

function json(value: unknown): string {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}
