import { compact, isObject, type JsonObject, listOf, numberOf, objectOf, textOf } from '../../../shared/json.ts';
import { refusalIn } from '../../wire/refusal.ts';
import { type Attachment, EMPTY_DRAFT, isRepeated, type Tokens, type Turn } from '../conversation.ts';
import { type AnswerReader, type ChatFormat, cacheHeaders, dataUri, nativeOf, plainText } from './format.ts';

export const responses: ChatFormat = {
  id: 'responses',
  request: (asked) => ({
    path: '/v1/responses',
    ...cacheHeaders(asked),
    body: {
      json: compact({
        model: asked.model,
        instructions: asked.system === '' ? undefined : asked.system,
        input: asked.turns.filter(isRepeated).flatMap(itemsOf),
        temperature: asked.temperature ?? undefined,
        max_output_tokens: asked.maxTokens ?? undefined,
        reasoning: asked.effort === null ? undefined : { effort: asked.effort, summary: 'auto' },
        // The page sends the whole conversation itself, so the gateway need not store it.
        include: asked.effort === null ? undefined : ['reasoning.encrypted_content'],
        store: false,
        tools: asked.tools.length === 0 ? undefined : asked.tools.map((tool) => ({ type: 'function', ...tool })),
        text:
          asked.schema === null
            ? undefined
            : { format: { type: 'json_schema', name: 'answer', schema: asked.schema, strict: false } },
        stream: true,
      }),
    },
  }),
  reader: () => new Reader(),
};

function itemsOf(turn: Turn): readonly JsonObject[] {
  switch (turn.role) {
    case 'user': {
      const { text, files } = turn;
      if (files.length === 0) return [{ role: 'user', content: text }];
      const said = text === '' ? [] : [{ type: 'input_text', text }];
      return [{ role: 'user', content: [...said, ...files.map(blockOf)] }];
    }
    case 'tool':
      return turn.results.map(({ callId, output }) => ({ type: 'function_call_output', call_id: callId, output }));
    case 'answer':
      return (
        nativeOf(turn, 'responses') ?? [
          ...(turn.text === '' ? [] : [{ role: 'assistant', content: turn.text }]),
          ...turn.calls.map(({ id, name, arguments: given }) => ({
            ...{ type: 'function_call', call_id: id, name, arguments: given },
          })),
        ]
      );
  }
}

function blockOf(file: Attachment): JsonObject {
  const text = plainText(file);
  if (text !== null) return { type: 'input_text', text };
  if (file.type.startsWith('image/')) return { type: 'input_image', image_url: dataUri(file), detail: 'auto' };
  if (file.type.startsWith('audio/')) {
    const format = file.type === 'audio/mpeg' || file.type === 'audio/mp3' ? 'mp3' : 'wav';
    return { type: 'input_audio', input_audio: { data: file.base64, format } };
  }
  return { type: 'input_file', filename: file.name, file_data: dataUri(file) };
}

class Reader implements AnswerReader {
  isComplete = false;
  routing: unknown = null;
  private text = '';
  private reasoning = '';
  /** Keyed by the item's index in the answer. */
  private readonly calls = new Map<number, { id: string; name: string; arguments: string }>();
  private output: readonly JsonObject[] = [];
  private tokens: Tokens | null = null;
  private finish: string | null = null;

  read(event: JsonObject): void {
    const type = textOf(event.type);
    const delta = textOf(event.delta);
    if (type === 'error' || type === 'response.failed') {
      const { error } = type === 'error' ? event : objectOf(event.response);
      throw refusalIn({ error: isObject(error) ? error : event }, { status: 200, requestId: null });
    }
    if (type === 'response.output_text.delta' || type === 'response.refusal.delta') this.text += delta;
    else if (/^response\.reasoning(?:_summary)?_text\.delta$/.test(type)) this.reasoning += delta;
    else if (type === 'response.reasoning_summary_part.added' && this.reasoning !== '') this.reasoning += '\n\n';
    else if (type === 'response.output_item.added' || type === 'response.output_item.done') this.takeItem(event);
    else if (type === 'response.function_call_arguments.delta') this.takeArguments(event, delta);
    else if (type === 'response.completed' || type === 'response.incomplete') this.end(objectOf(event.response));
  }

  private takeItem(event: JsonObject): void {
    const { type, call_id: id, name, arguments: given } = objectOf(event.item);
    if (type !== 'function_call') return;
    this.calls.set(numberOf(event.output_index) ?? 0, { id: textOf(id), name: textOf(name), arguments: textOf(given) });
  }

  private takeArguments(event: JsonObject, delta: string): void {
    const call = this.calls.get(numberOf(event.output_index) ?? 0);
    if (call) call.arguments += delta;
  }

  private end(response: JsonObject): void {
    this.output = listOf(response.output).filter(isObject);
    if (isObject(response.usage)) this.tokens = tokensIn(response.usage);
    this.routing = response._routing;
    const reason = textOf(objectOf(response.incomplete_details).reason);
    this.finish = reason || textOf(response.status) || null;
    this.isComplete = true;
  }

  get draft() {
    const { text, reasoning, tokens, finish } = this;
    const calls = [...this.calls.values()].map((call) => ({ ...call }));
    return { ...EMPTY_DRAFT, text, reasoning, calls, tokens, finish };
  }

  get native(): readonly JsonObject[] {
    return resendable(this.output);
  }
}

/**
 * Prepares items for sending them back. Nothing is stored, so reasoning without its encrypted content cannot be referenced by id, nor can
 * the items that depend on it: these are sent without ids.
 */
function resendable(output: readonly JsonObject[]): readonly JsonObject[] {
  const kept = output.filter(({ type, encrypted_content: state }) => type !== 'reasoning' || textOf(state) !== '');
  return kept.length === output.length ? output : kept.map(({ id: _, ...item }) => item);
}

function tokensIn(usage: JsonObject): Tokens {
  return {
    input: numberOf(usage.input_tokens) ?? 0,
    cached: numberOf(objectOf(usage.input_tokens_details).cached_tokens) ?? 0,
    output: numberOf(usage.output_tokens) ?? 0,
    reasoning: numberOf(objectOf(usage.output_tokens_details).reasoning_tokens) ?? 0,
  };
}
