import type { ClientFormat } from '../readers/index.ts';

/*
 * Responses of a provider in each of the four formats: a number of words, each one token, and the reported
 * usage.
 */

/** One token in every tokenizer. */
export const WORD = ' apple';

export interface ReportedUsage {
  readonly input: number;
  readonly output: number;
}

export interface WordAnswer {
  readonly words: number;
  /** `null` if the provider reports no usage. */
  readonly usage: ReportedUsage | null;
  /** Every chunk of Gemini reports the usage, not only the last one. */
  readonly isReportedEarly?: boolean;
}

type Json = Readonly<Record<string, unknown>>;

export interface StreamFrames {
  /** The frames before the first word. */
  readonly head: readonly string[];
  readonly word: string;
  /** The frames after the last word, including the terminal event. */
  readonly tail: readonly string[];
}

interface Wire {
  readonly whole: (answer: WordAnswer) => Json;
  readonly stream: (answer: WordAnswer) => StreamFrames;
}

const named = (event: Json) => `event: ${event.type}\n${data(event)}`;
const data = (event: Json) => `data: ${JSON.stringify(event)}\n\n`;
const textOf = ({ words }: WordAnswer) => WORD.repeat(words);

const chatUsage = ({ usage }: WordAnswer): Json =>
  usage === null
    ? {}
    : {
        usage: {
          prompt_tokens: usage.input,
          completion_tokens: usage.output,
          total_tokens: usage.input + usage.output,
        },
      };

const CHAT_HEAD = { id: 'c-1', created: 1, model: 'upstream' };

const chat: Wire = {
  whole: (answer) => ({
    ...CHAT_HEAD,
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: textOf(answer) }, finish_reason: 'stop' }],
    ...chatUsage(answer),
  }),
  stream: (answer) => {
    const chunk = (extra: Json) => data({ ...CHAT_HEAD, object: 'chat.completion.chunk', ...extra });
    const choice = (delta: Json, finish_reason: string | null = null) => ({
      choices: [{ index: 0, delta, finish_reason }],
    });
    const report = answer.usage === null ? [] : [chunk({ choices: [], ...chatUsage(answer) })];
    return {
      head: [chunk(choice({ role: 'assistant', content: '' }))],
      word: chunk(choice({ content: WORD })),
      tail: [chunk(choice({}, 'stop')), ...report, 'data: [DONE]\n\n'],
    };
  },
};

const responses: Wire = {
  whole: (answer) => response('completed', [message(answer)], answer),
  stream: (answer) => {
    const place = { item_id: 'msg_1', output_index: 0 };
    const item = message(answer);
    return {
      head: [
        named({ type: 'response.created', sequence_number: 0, response: response('in_progress', [], null) }),
        named({
          ...{ type: 'response.output_item.added', sequence_number: 1, output_index: 0 },
          item: { ...item, status: 'in_progress', content: [] },
        }),
      ],
      word: named({
        ...{ type: 'response.output_text.delta', sequence_number: 2, ...place, content_index: 0 },
        ...{ delta: WORD, logprobs: [] },
      }),
      tail: [
        named({ type: 'response.output_item.done', sequence_number: 3, output_index: 0, item }),
        named({ type: 'response.completed', sequence_number: 4, response: response('completed', [item], answer) }),
      ],
    };
  },
};

function message(answer: WordAnswer): Json {
  const content = [{ type: 'output_text', text: textOf(answer), annotations: [], logprobs: [] }];
  return { id: 'msg_1', type: 'message', status: 'completed', role: 'assistant', content };
}

function response(status: string, output: readonly Json[], answer: WordAnswer | null): Json {
  const usage = answer?.usage ?? null;
  return {
    ...{ id: 'resp_1', object: 'response', created_at: 1, status, model: 'upstream', output },
    usage: usage && {
      ...{ input_tokens: usage.input, input_tokens_details: { cached_tokens: 0 } },
      ...{ output_tokens: usage.output, output_tokens_details: { reasoning_tokens: 0 } },
      total_tokens: usage.input + usage.output,
    },
  };
}

const messages: Wire = {
  whole: (answer) => ({
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'upstream' },
    content: [{ type: 'text', text: textOf(answer) }],
    ...{ stop_reason: 'end_turn', stop_sequence: null },
    ...(answer.usage === null
      ? {}
      : { usage: { input_tokens: answer.usage.input, output_tokens: answer.usage.output } }),
  }),
  stream: ({ usage }) => {
    const start = {
      ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'upstream', content: [] },
      ...{ stop_reason: null, stop_sequence: null },
      ...(usage === null ? {} : { usage: { input_tokens: usage.input, output_tokens: 1 } }),
    };
    const end = { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null } };
    return {
      head: [
        named({ type: 'message_start', message: start }),
        named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
      ],
      word: named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: WORD } }),
      tail: [
        named({ type: 'content_block_stop', index: 0 }),
        named(usage === null ? end : { ...end, usage: { output_tokens: usage.output } }),
        named({ type: 'message_stop' }),
      ],
    };
  },
};

const gemini: Wire = {
  whole: (answer) => geminiChunk(textOf(answer), answer, true),
  stream: (answer) => ({
    head: [],
    word: data(geminiChunk(WORD, answer.isReportedEarly ? answer : { ...answer, usage: null }, false)),
    tail: [data(geminiChunk('', answer, true))],
  }),
};

function geminiChunk(text: string, { usage }: WordAnswer, isLast: boolean): Json {
  const candidate = { content: { role: 'model', parts: [{ text }] }, index: 0 };
  return {
    candidates: [isLast ? { ...candidate, finishReason: 'STOP' } : candidate],
    ...(usage === null
      ? {}
      : {
          usageMetadata: {
            promptTokenCount: usage.input,
            candidatesTokenCount: usage.output,
            totalTokenCount: usage.input + usage.output,
          },
        }),
    ...{ modelVersion: 'upstream', responseId: 'answer-1' },
  };
}

export const WIRES: Readonly<Record<ClientFormat, Wire>> = {
  'openai-chat': chat,
  'openai-responses': responses,
  'anthropic-messages': messages,
  gemini,
};

export function formatOfPath(pathname: string): ClientFormat {
  if (pathname.includes('/responses')) return 'openai-responses';
  if (pathname.includes('/messages')) return 'anthropic-messages';
  return pathname.includes(':') ? 'gemini' : 'openai-chat';
}
