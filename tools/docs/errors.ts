import { type CodeRule, ERROR_CODES, type ErrorCode, type HelpMember } from '../../src/domain/failure/error-codes.ts';
import { Failure } from '../../src/domain/failure/failure.ts';
import { anthropicMessages } from '../../src/formats/anthropic-messages/index.ts';
import type { ClientFormat } from '../../src/formats/format.ts';
import { gemini } from '../../src/formats/gemini/index.ts';
import { openaiChat } from '../../src/formats/openai-chat/index.ts';
import { openaiResponses } from '../../src/formats/openai-responses/index.ts';
import { errorOf, retryableOf, streamEnd, typeOf } from './error-samples.ts';

const INTRODUCTION = `# Errors

Generated from the code by \`bun tools/docs/main.ts\`; a test fails while this page differs from it.

Branch on \`code\`: it is the same in every format. The status and the type follow from it; the message is for people, and its words
may change. It never holds a secret. Every answer, an error too, has the header \`x-request-id\`, by which the operator finds it in the log.

Of a fault of the request's that the provider found, \`code\` is the provider's own where it has one, and what the provider says beside its
message stands under its own names: \`failed_generation\` (Groq), \`innererror\`, \`content_filter_result\` (Azure), \`metadata\` (OpenRouter), \`details\` (Anthropic). It does
not matter whether the error came as an answer, or within a stream that began well.
`;

/** The page docs/errors.md. */
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
    'A client gets its errors in the envelope of the endpoint that it called. One failure, as each of them has it:',
    '',
    '### OpenAI-compatible endpoints',
    '',
    '`/v1/chat/completions`, `/v1/responses`, and every other path below `/v1` but `/v1/messages`.',
    '',
    json(errorOf(openaiChat, SAMPLE)),
    '',
    '### Anthropic-compatible endpoints',
    '',
    '`/v1/messages` and below it. `type` is Anthropic’s own word for the status; all else stands beside it under the same names.',
    '',
    json(errorOf(anthropicMessages, SAMPLE)),
    '',
    '### Gemini-compatible endpoints',
    '',
    'Below `/v1beta`. `code` is the status here; the code is in the `metadata` of the `ErrorInfo`, where every value is a text, and',
    'lists are JSON in a text. `param` is in a `BadRequest` too, and `retry_after` in a `RetryInfo`, where Google’s libraries look for them.',
    '',
    json(errorOf(gemini, SAMPLE)),
    '',
  ].join('\n');
}

const FIELDS: readonly (readonly [name: string, type: string, meaning: string])[] = [
  ['message', 'string', 'what is wrong, for people'],
  ['type', 'string', 'the group of errors: see the two tables below'],
  ['code', 'string', 'what happened, for programs'],
  ['param', 'string or null', 'the path of the offending field, such as `messages[2].content[0].type`'],
];

const HELP: Readonly<Record<HelpMember | 'retryable', readonly [type: string, meaning: string]>> = {
  did_you_mean: ['string', 'what was most likely meant: a public model, or a value that the field can have'],
  suggestions: ['array of `{id}`', 'up to three public models with a name like it, the likest first'],
  hint: ['string', 'what to do next'],
  retryable: ['boolean', 'only ever `true`: the same request may succeed when it is sent again'],
  retry_after: ['integer', 'seconds to wait before that; the header `Retry-After` says the same'],
  balance_usd: ['number', 'what the account has'],
  estimated_cost_usd: ['number', 'what the request would have put aside'],
  alternatives: ['array of `{id, status, tags}`', 'models that would answer now'],
};

function fields(): string {
  const help = Object.entries(HELP).map(([name, [type, meaning]]) => {
    const bearers = CODES.filter((code) => carries(code, name)).map((code) => `\`${code}\``);
    return `| \`${name}\` | ${type} | ${bearers.join(', ')} | ${meaning} |`;
  });
  return [
    '## The fields',
    '',
    'A field without anything to say is left out, but for `param`, which is then null.',
    '',
    '| field | type | of | |',
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
    'Whose fault: the client has to change something, the gateway is to blame, or the provider behind it. Before the first byte of an answer',
    'the gateway has already tried the model’s other channels where that could help (see [routing.md](routing.md)).',
    '',
    '| status | `type` | `code` | whose fault | retryable | when | what to do |',
    '|---|---|---|---|---|---|---|',
    ...rows,
    '',
    'A model that is misspelled, hidden or on hold gives the same `model_not_found`: the answer does not tell them apart.',
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
    'The SDKs of Anthropic and Google look at their own words first. Anthropic\'s read `error.details`, too: a request with a `thread` that no channel of the model can keep is a 400 whose `details` are `{error_code: "thread_unsupported_request", unsupported: ["thread"]}`, and a message to go on from that is not there a 404 with `thread_not_found`. An overload of the upstream (529) is a 529 for Anthropic clients, a 502 for all others. `request_id` is the one in the headers.',
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
    'An error before the first byte of the answer is an answer of its own, with its status. After it the status is a 200 that has gone out, so',
    'the stream ends with an error in its own format, and without the mark of a complete answer (`[DONE]`, `response.completed`,',
    '`message_stop`, a chunk with `finishReason`). The official SDKs raise it. What was charged is told in [billing.md](billing.md).',
    '',
    ...section('Chat completions', 'An event whose data is the envelope, without `[DONE]` after it.', openaiChat),
    ...section(
      'Responses',
      'An `error` event with the next sequence number, and, where the response had begun, `response.failed` with the response after it.',
      openaiResponses,
    ),
    ...section('Messages', 'An `error` event with the envelope, whatever blocks are open.', anthropicMessages),
    ...section('Gemini', 'An event whose data is the envelope.', gemini),
    ...section(
      'Gemini without `alt=sse`',
      'The envelope is the last element of the array, so that the whole is valid JSON.',
      gemini,
      'json-array',
    ),
  ].join('\n');
}

function json(value: unknown): string {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}
