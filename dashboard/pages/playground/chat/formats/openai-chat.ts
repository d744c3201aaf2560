import { compact, isObject, type JsonObject, listOf, numberOf, objectOf, textOf } from '../../../shared/json.ts';
import { refusalIn } from '../../wire/refusal.ts';
import { type AnswerTurn, type Asked, type Attachment, isRepeated, type Tokens, type Turn } from '../conversation.ts';
import { type AnswerReader, type ChatFormat, cacheHeaders, dataUri, nativeOf, plainText } from './format.ts';

export const openaiChat: ChatFormat = {
  id: 'openai-chat',
  request: (asked) => ({
    path: '/v1/chat/completions',
    ...cacheHeaders(asked),
    body: {
      json: compact({
        model: asked.model,
        messages: messagesOf(asked),
        temperature: asked.temperature ?? undefined,
        max_tokens: asked.maxTokens ?? undefined,
        reasoning_effort: asked.effort ?? undefined,
        tools: asked.tools.length === 0 ? undefined : asked.tools.map((tool) => ({ type: 'function', function: tool })),
        response_format:
          asked.schema === null
            ? undefined
            : { type: 'json_schema', json_schema: { name: 'answer', schema: asked.schema } },
        stream: true,
        stream_options: { include_usage: true },
      }),
    },
  }),
  reader: () => new Reader(),
};

function messagesOf({ system, turns }: Asked): JsonObject[] {
  const first = system === '' ? [] : [{ role: 'system', content: system }];
  return [...first, ...turns.filter(isRepeated).flatMap(messageOf)];
}

function messageOf(turn: Turn): readonly JsonObject[] {
  switch (turn.role) {
    case 'user': {
      const { text, files } = turn;
      if (files.length === 0) return [{ role: 'user', content: text }];
      const said = text === '' ? [] : [{ type: 'text', text }];
      return [{ role: 'user', content: [...said, ...files.map(blockOf)] }];
    }
    case 'tool':
      return turn.results.map(({ callId, output }) => ({ role: 'tool', tool_call_id: callId, content: output }));
    case 'answer':
      return nativeOf(turn, 'openai-chat') ?? [plainAnswer(turn)];
  }
}

function plainAnswer({ text, calls }: Pick<AnswerTurn, 'text' | 'calls'>): JsonObject {
  const toolCalls = calls.map(({ id, name, arguments: given }) => ({
    ...{ id, type: 'function' },
    function: { name, arguments: given },
  }));
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
  };
}

const AUDIO: Readonly<Record<string, string>> = {
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/wave': 'wav',
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
};

function blockOf(file: Attachment): JsonObject {
  const text = plainText(file);
  if (text !== null) return { type: 'text', text };
  if (file.type.startsWith('image/')) return { type: 'image_url', image_url: { url: dataUri(file) } };
  if (file.type.startsWith('video/')) return { type: 'video_url', video_url: { url: dataUri(file) } };
  if (file.type.startsWith('audio/')) {
    const format = AUDIO[file.type];
    if (format !== undefined) return { type: 'input_audio', input_audio: { data: file.base64, format } };
    return { type: 'audio_url', audio_url: { url: dataUri(file) } };
  }
  return { type: 'file', file: { filename: file.name, file_data: dataUri(file) } };
}

class Reader implements AnswerReader {
  isComplete = false;
  routing: unknown = null;
  private text = '';
  private reasoning = '';
  private readonly calls: { id: string; name: string; arguments: string }[] = [];
  /** Reasoning details to send back; each arrives complete, beside the pieces of its text. */
  private readonly details: JsonObject[] = [];
  private tokens: Tokens | null = null;
  private finish: string | null = null;

  read(event: JsonObject): void {
    if (isObject(event.error)) throw refusalIn(event, { status: 200, requestId: null });
    if (isObject(event._routing)) this.routing = event._routing;
    if (isObject(event.usage)) this.tokens = tokensIn(event.usage);
    const choice = objectOf(listOf(event.choices)[0]);
    this.take(objectOf(choice.delta));
    if (typeof choice.finish_reason !== 'string') return;
    this.finish = choice.finish_reason;
    this.isComplete = true;
  }

  private take(delta: JsonObject): void {
    this.text += textOf(delta.content) || textOf(delta.refusal);
    this.reasoning += textOf(delta.reasoning_content) || textOf(delta.reasoning);
    this.details.push(...listOf(delta.reasoning_details).filter(isObject));
    for (const piece of listOf(delta.tool_calls).map(objectOf)) {
      const at = numberOf(piece.index) ?? this.calls.length;
      const { name, arguments: given } = objectOf(piece.function);
      const call = this.calls[at] ?? { id: '', name: '', arguments: '' };
      this.calls[at] = call;
      call.id ||= textOf(piece.id);
      call.name ||= textOf(name);
      call.arguments += textOf(given);
    }
  }

  get draft() {
    const { text, reasoning, tokens, finish } = this;
    return { text, reasoning, calls: this.calls.filter(Boolean).map((call) => ({ ...call })), tokens, finish };
  }

  get native(): readonly JsonObject[] {
    const { text, calls } = this.draft;
    const details = this.details.length === 0 ? {} : { reasoning_details: this.details };
    return [{ ...plainAnswer({ text, calls }), ...details }];
  }
}

function tokensIn(usage: JsonObject): Tokens {
  return {
    input: numberOf(usage.prompt_tokens) ?? 0,
    cached: numberOf(objectOf(usage.prompt_tokens_details).cached_tokens) ?? 0,
    output: numberOf(usage.completion_tokens) ?? 0,
    reasoning: numberOf(objectOf(usage.completion_tokens_details).reasoning_tokens) ?? 0,
  };
}
