import { compact, isObject, type JsonObject, numberOf, objectOf, parseJson, textOf } from '../../../shared/json.ts';
import { refusalIn } from '../../wire/refusal.ts';
import { type AnswerTurn, type Attachment, isRepeated, type Tokens, type Turn } from '../conversation.ts';
import { type AnswerReader, type ChatFormat, cacheHeaders, nativeOf, plainText } from './format.ts';

/** The format requires a limit. */
const USUAL_MAX_TOKENS = 4096;

export const messages: ChatFormat = {
  id: 'messages',
  request: (asked) => ({
    path: '/v1/messages',
    headers: { 'anthropic-version': '2023-06-01', ...cacheHeaders(asked).headers },
    body: {
      json: compact({
        model: asked.model,
        max_tokens: asked.maxTokens ?? USUAL_MAX_TOKENS,
        system: asked.system === '' ? undefined : asked.system,
        messages: asked.turns.filter(isRepeated).map(messageOf),
        temperature: asked.temperature ?? undefined,
        thinking: asked.effort === null ? undefined : { type: 'adaptive' },
        output_config:
          asked.effort === null && asked.schema === null
            ? undefined
            : compact({
                effort: asked.effort ?? undefined,
                format: asked.schema === null ? undefined : { type: 'json_schema', schema: asked.schema },
              }),
        tools:
          asked.tools.length === 0
            ? undefined
            : asked.tools.map(({ parameters, ...tool }) => ({ ...tool, input_schema: parameters })),
        stream: true,
      }),
    },
  }),
  reader: () => new Reader(),
};

function messageOf(turn: Turn): JsonObject {
  switch (turn.role) {
    case 'user': {
      const { text, files } = turn;
      if (files.length === 0) return { role: 'user', content: text };
      const said = text === '' ? [] : [{ type: 'text', text }];
      return { role: 'user', content: [...files.map(blockOf), ...said] };
    }
    case 'tool':
      return {
        role: 'user',
        content: turn.results.map(({ callId, output }) => ({
          ...{ type: 'tool_result', tool_use_id: callId, content: output },
        })),
      };
    case 'answer':
      return { role: 'assistant', content: nativeOf(turn, 'messages') ?? plainBlocks(turn) };
  }
}

function plainBlocks({ text, calls }: AnswerTurn): JsonObject[] {
  const used = calls.map(({ id, name, arguments: given }) => ({
    ...{ type: 'tool_use', id, name, input: objectOf(parseJson(given)) },
  }));
  return [...(text === '' ? [] : [{ type: 'text', text }]), ...used];
}

function blockOf(file: Attachment): JsonObject {
  const text = plainText(file);
  if (text !== null) return { type: 'text', text };
  const source = { type: 'base64', media_type: file.type, data: file.base64 };
  if (file.type.startsWith('image/')) return { type: 'image', source };
  return { type: 'document', source, title: file.name };
}

type Block = Record<string, unknown>;

class Reader implements AnswerReader {
  isComplete = false;
  routing: unknown = null;
  private readonly blocks: Block[] = [];
  /** The JSON of tool arguments, by block index. */
  private readonly inputs = new Map<number, string>();
  private tokens: Tokens | null = null;
  private finish: string | null = null;

  read(event: JsonObject): void {
    const at = numberOf(event.index) ?? 0;
    switch (event.type) {
      case 'error':
        throw refusalIn(event, { status: 200, requestId: textOf(event.request_id) || null });
      case 'message_start':
        this.count(objectOf(event.message).usage);
        break;
      case 'content_block_start':
        this.blocks[at] = { ...objectOf(event.content_block) };
        break;
      case 'content_block_delta':
        this.grow(at, objectOf(event.delta));
        break;
      case 'message_delta':
        this.finish = textOf(objectOf(event.delta).stop_reason) || this.finish;
        this.count(event.usage);
        break;
      case 'message_stop':
        this.routing = event._routing;
        this.isComplete = true;
        break;
    }
  }

  private grow(at: number, delta: JsonObject): void {
    const block = this.blocks[at] ?? {};
    this.blocks[at] = block;
    if (delta.type === 'input_json_delta') {
      this.inputs.set(at, (this.inputs.get(at) ?? '') + textOf(delta.partial_json));
      return;
    }
    for (const name of ['text', 'thinking', 'signature'] as const) {
      if (typeof delta[name] === 'string') block[name] = textOf(block[name]) + delta[name];
    }
  }

  private count(usage: unknown): void {
    if (!isObject(usage)) return;
    const read = numberOf(usage.cache_read_input_tokens) ?? 0;
    const written = numberOf(usage.cache_creation_input_tokens) ?? 0;
    this.tokens = {
      input: (numberOf(usage.input_tokens) ?? 0) + read + written,
      cached: read,
      output: numberOf(usage.output_tokens) ?? 0,
      reasoning: numberOf(objectOf(usage.output_tokens_details).thinking_tokens) ?? 0,
    };
  }

  get draft() {
    const of = (name: string) =>
      this.blocks
        .map((block) => textOf(block?.[name]))
        .filter(Boolean)
        .join('\n\n');
    const calls = this.blocks.flatMap((block, at) =>
      block?.type === 'tool_use'
        ? [{ id: textOf(block.id), name: textOf(block.name), arguments: this.inputs.get(at) ?? '{}' }]
        : [],
    );
    const text = this.blocks.map((block) => textOf(block?.text)).join('');
    return { text, reasoning: of('thinking'), calls, tokens: this.tokens, finish: this.finish };
  }

  get native(): readonly JsonObject[] {
    return this.blocks.filter(Boolean).map((block, at) => {
      if (block.type !== 'tool_use') return block;
      const { id, name } = block;
      return { type: 'tool_use', id, name, input: objectOf(parseJson(this.inputs.get(at) ?? '{}')) };
    });
  }
}
