import { asArray, asObject, isObject, type JsonObject } from '../json.ts';
import { cut, type DeclaredTool, eventStream, type Wire, type WireAnswer } from './wire.ts';

const USAGE = {
  input_tokens: 30,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 20,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 50,
};

const itemsOf = (body: JsonObject) => asArray(body.input).filter(isObject);

function declaredIn(tools: unknown, namespace?: string): readonly DeclaredTool[] {
  return asArray(tools).flatMap((tool) => {
    const { type, name, tools: members } = asObject(tool);
    if (type === 'namespace') return declaredIn(members, String(name));
    if (type !== 'function' && type !== 'custom') return [];
    return { name: String(name), isFreeform: type === 'custom', ...(namespace === undefined ? {} : { namespace }) };
  });
}

/** Ids of responses and items are unique, as with OpenAI. */
let ids = 0;

const newId = (prefix: string) => `${prefix}_${++ids}`;

function itemOf(answer: WireAnswer): JsonObject {
  if ('text' in answer) {
    const content = [{ type: 'output_text', text: answer.text, annotations: [], logprobs: [] }];
    return { id: newId('msg'), type: 'message', status: 'completed', role: 'assistant', content };
  }
  const { id: call_id, name, text, isFreeform, namespace } = answer.call;
  const called = { status: 'completed', call_id, name, ...(namespace === undefined ? {} : { namespace }) };
  return isFreeform
    ? { id: newId('ctc'), type: 'custom_tool_call', ...called, input: text }
    : { id: newId('fc'), type: 'function_call', ...called, arguments: text };
}

function responseOf(id: string, status: string, output: readonly JsonObject[]): JsonObject {
  return {
    ...{ id, object: 'response', created_at: 1_790_000_000, status, model: 'upstream', output },
    ...(status === 'completed' ? { usage: USAGE } : {}),
  };
}

/** OpenAI's own format, with freeform tools and namespaces. */
export const responsesWire: Wire = {
  names: /^[a-zA-Z0-9_-]{1,128}$/,
  declared: (body) => [
    ...declaredIn(body.tools),
    ...itemsOf(body).flatMap(({ type, tools }) => (type === 'additional_tools' ? declaredIn(tools) : [])),
  ],
  calls: (body) =>
    itemsOf(body).flatMap(({ type, call_id, name, arguments: text, input }) =>
      type === 'function_call' || type === 'custom_tool_call'
        ? [{ id: String(call_id), name: String(name), text: String(text ?? input) }]
        : [],
    ),
  results: (body) =>
    itemsOf(body).flatMap(({ type, call_id }) => (/_call_output$/.test(String(type)) ? [String(call_id)] : [])),
  refusal(body) {
    const { type, name } = asObject(body.tool_choice);
    const isThere = declaredIn(body.tools).some((tool) => tool.name === name);
    return name === undefined || isThere ? null : `Tool choice '${type}' '${name}' not found in 'tools' parameter.`;
  },
  whole: (answer) => responseOf(newId('resp'), 'completed', [itemOf(answer)]),
  stream(answer) {
    const id = newId('resp');
    const item = itemOf(answer);
    const place = { item_id: String(item.id), output_index: 0 };
    const text = 'text' in answer ? answer.text : answer.call.text;
    const deltaType =
      'text' in answer
        ? 'response.output_text.delta'
        : `response.${answer.call.isFreeform ? 'custom_tool_call_input' : 'function_call_arguments'}.delta`;
    const within: JsonObject = 'text' in answer ? { ...place, content_index: 0, logprobs: [] } : place;
    const started: JsonObject = {
      ...item,
      status: 'in_progress',
      ...('text' in answer ? { content: [] } : { [answer.call.isFreeform ? 'input' : 'arguments']: '' }),
    };
    const events: readonly JsonObject[] = [
      { type: 'response.created', response: responseOf(id, 'in_progress', []) },
      { type: 'response.output_item.added', output_index: 0, item: started },
      ...cut(text).map((delta) => ({ type: deltaType, ...within, delta })),
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: responseOf(id, 'completed', [item]) },
    ];
    return eventStream(
      events.map((event, sequence_number) => ({ ...event, sequence_number })),
      true,
    );
  },
};

const FUNCTIONS_ONLY = new Set(['message', 'reasoning', 'function_call', 'function_call_output']);

/** Other providers of the API: they support only functions and a search, and the items of OpenAI's first version. */
export const functionsOnlyWire: Wire = {
  ...responsesWire,
  refusal(body) {
    const chosen = responsesWire.refusal?.(body);
    if (chosen) return chosen;
    for (const { type, external_web_access } of asArray(body.tools).map(asObject)) {
      const isSearch = type === 'web_search' && external_web_access === undefined;
      if (type !== 'function' && !isSearch) return `tools of the type ${type} are not supported`;
    }
    const item = itemsOf(body).find(({ type = 'message' }) => !FUNCTIONS_ONLY.has(String(type)));
    return item === undefined ? null : `items of the type ${item.type} are not supported`;
  },
};
