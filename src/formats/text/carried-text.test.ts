import { describe, expect, test } from 'bun:test';
import type { ExchangeRequest } from '../../domain/exchange/request.ts';
import type { StreamPart } from '../../domain/exchange/stream-part.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { clientFormats, upstreamFormats } from '../index.ts';
import { textOf } from '../shared/json/json-writer.ts';
import type { AnswerContext, ParsedRequest } from './client-request.ts';
import type { ClientFormat, DecodeSource, EncodeTarget } from './format.ts';

/* Arguments and schemas that are merely carried keep their text: digits, number notation, and member order. */

const ARGS = '{"10":1,"2":12345678901234567890,"f":1.0,"e":1E3,"z":-0,"n":{"1":0.10,"0":[2.50,"\\"3\\":1.0"]},"t":"x"}';
const SCHEMA =
  '{"type":"object","properties":{"10":{"type":"integer","maximum":12345678901234567890},"2":{"type":"number","minimum":1.0}}}';

const escaped = (text: string) => JSON.stringify(text).slice(1, -1);
const utf8 = new TextEncoder();

const CALL: Readonly<Record<string, string>> = {
  'openai-chat': `{"model":"m","messages":[{"role":"user","content":"Hi"},{"role":"assistant","tool_calls":[{"id":"call_1","type":"function","function":{"name":"f","arguments":"${escaped(ARGS)}"}}]},{"role":"tool","tool_call_id":"call_1","content":"ok"}],"tools":[{"type":"function","function":{"name":"f","parameters":${SCHEMA}}}]}`,
  'openai-responses': `{"model":"m","input":[{"role":"user","content":"Hi"},{"type":"function_call","call_id":"call_1","name":"f","arguments":"${escaped(ARGS)}"},{"type":"function_call_output","call_id":"call_1","output":"ok"}],"tools":[{"type":"function","name":"f","parameters":${SCHEMA}}]}`,
  'anthropic-messages': `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"f","input":${ARGS}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"ok"}]}],"tools":[{"name":"f","input_schema":${SCHEMA}}]}`,
  gemini: `{"contents":[{"role":"user","parts":[{"text":"Hi"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":${ARGS}}}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":${ARGS}}}]}],"tools":[{"functionDeclarations":[{"name":"f","description":"d","parametersJsonSchema":${SCHEMA}}]}]}`,
};

const SOURCE: DecodeSource = { provider: 'p', channel: 'c', quirks: [] };

function parsed(format: ClientFormat, body: string, stream = false): ParsedRequest {
  const call = { purpose: 'generate', model: 'm', stream, framing: 'sse' } as const;
  const request = format.parseRequest(utf8.encode(body), call);
  if (request instanceof Failure) throw new Error(request.message);
  return request;
}

function decoded(format: ClientFormat, request: ParsedRequest): ExchangeRequest {
  const exchange = format.decodeRequest(request);
  if (exchange instanceof Failure) throw new Error(exchange.message);
  return exchange;
}

/** The formats without a place for schemas, arguments or calls are left out. */
const clients = [...clientFormats.values()].filter(({ name }) => name in CALL);
const upstreams = [...upstreamFormats.values()].filter(({ name }) => name !== 'openai-completions');

describe.each(clients.map((format) => [format.name, format] as const))(
  'the text of a request in %s is unchanged',
  (name, client) => {
    test.each(upstreams.map((format) => [format.name, format] as const))('to %s', (_, upstream) => {
      const { carries } = upstream;
      const target: EncodeTarget = {
        upstreamModel: 'm',
        stream: false,
        provider: 'p',
        channel: 'c',
        quirks: [],
        carries,
      };
      const encoded = upstream.encodeRequest(decoded(client, parsed(client, CALL[name] ?? '')), target);
      if (encoded instanceof Failure) throw new Error(encoded.message);
      const text = textOf(encoded.body);
      expect(text.includes(ARGS) || text.includes(escaped(ARGS))).toBe(true);
      expect(text).toContain(SCHEMA.slice(SCHEMA.indexOf('"properties"'), -1));
    });
  },
);

/** Upstream answers, with white space where the upstreams write some. */
const WHOLE: Readonly<Record<string, string>> = {
  'openai-chat': `{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"f","arguments":"${escaped(ARGS)}"}}]},"finish_reason":"tool_calls"}]}`,
  'openai-responses': `{"id":"resp_1","object":"response","status":"completed","output":[{"type":"function_call","id":"fc_1","call_id":"call_1","name":"f","arguments":"${escaped(ARGS)}","status":"completed"}]}`,
  'anthropic-messages': `{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"f","input": ${ARGS.replaceAll(',"', ', "')}}],"stop_reason":"tool_use"}`,
  'bedrock-converse': `{"output":{"message":{"role":"assistant","content":[{"toolUse":{"toolUseId":"t","name":"f","input":${ARGS}}}]}},"stopReason":"tool_use"}`,
  gemini: `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":\n  ${ARGS.replaceAll(',"', ',\n "')}}}]},"finishReason":"STOP","index":0}]}`,
};

function contextOf(client: ClientFormat, stream: boolean): AnswerContext {
  const request = parsed(client, CALL[client.name] ?? '', stream);
  const routing = { json: '{}' };
  const exchange = decoded(client, request);
  const newId = (prefix: string) => `${prefix}x`;
  const estimatedPromptTokens = () => 8;
  return { publicModel: 'm', routing, parsed: request, request: exchange, created: 1, newId, estimatedPromptTokens };
}

/** Returns whether the client's output contains the arguments, with the pieces of a stream joined. */
function holdsArguments(text: string): boolean {
  const pieces = [...text.matchAll(/"(?:partial_json|arguments|delta)":("(?:[^"\\]|\\.)*")/g)].map(
    ([, json]) => json ?? '""',
  );
  const joined = pieces.map((json) => String(JSON.parse(json))).join('');
  return text.includes(ARGS) || text.includes(escaped(ARGS)) || joined.includes(ARGS);
}

describe.each(Object.keys(WHOLE))('the text of a response of %s is unchanged', (name) => {
  const upstream = upstreamFormats.get(name);
  const bytes = utf8.encode(WHOLE[name] ?? '');

  test.each(clients.map((format) => [format.name, format] as const))('to a client of %s', (_, client) => {
    const response = upstream?.decodeAnswer(bytes, SOURCE);
    if (response === undefined || response instanceof Failure) throw new Error(response?.message);
    expect(holdsArguments(client.encodeAnswer(response, contextOf(client, false)))).toBe(true);
  });
});

test.each(clients.map((format) => [format.name, format] as const))(
  'the text of a Gemini stream is unchanged for a client of %s',
  (_, client) => {
    const decoder = upstreamFormats.get('gemini')?.decodeStream(SOURCE);
    const event = `data: ${WHOLE.gemini?.replaceAll('\n', ' ')}\r\n\r\n`;
    const parts: StreamPart[] = [...(decoder?.push(utf8.encode(event)) ?? []), ...(decoder?.end() ?? [])];
    const encoder = client.encodeStream(contextOf(client, true));
    expect(holdsArguments(parts.map((part) => encoder.encode(part)).join(''))).toBe(true);
  },
);

test('the text of arguments that a local server and its clients write as an object is unchanged', () => {
  const call = `"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"f","arguments":${ARGS}}}]`;
  const message = `{"role":"assistant","content":"",${call}}`;
  const chat = clientFormats.get('openai-chat');
  if (chat === undefined) throw new Error('there is no format of chat completions');
  const argumentsIn = (value: unknown) => JSON.stringify(value).includes(escaped(ARGS));
  const body = `{"model":"m","messages":[{"role":"user","content":"Hi"},${message}]}`;
  expect(argumentsIn(decoded(chat, parsed(chat, body)))).toBe(true);
  const whole = `{"id":"c","choices":[{"index":0,"message":${message},"finish_reason":"tool_calls"}]}`;
  expect(argumentsIn(chat.decodeAnswer(utf8.encode(whole), SOURCE))).toBe(true);
  const event = `data: {"id":"c","choices":[{"index":0,"delta":${message},"finish_reason":"tool_calls"}]}\n\n`;
  expect(argumentsIn(chat.decodeStream(SOURCE).push(utf8.encode(event)))).toBe(true);
});

test.each(clients.map((format) => [format.name, format] as const))(
  'the text of a response schema in %s is unchanged',
  (name, client) => {
    const asked: Readonly<Record<string, string>> = {
      'openai-chat': `"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":${SCHEMA}}}`,
      'openai-responses': `"text":{"format":{"type":"json_schema","name":"n","schema":${SCHEMA}}}`,
      'anthropic-messages': `"output_config":{"format":{"type":"json_schema","schema":${SCHEMA}}}`,
      gemini: `"generationConfig":{"responseMimeType":"application/json","responseJsonSchema":${SCHEMA}}`,
    };
    const body = `${(CALL[name] ?? '').replace(/,"tools":.*/s, '')},${asked[name]}}`;
    const { responseFormat } = decoded(client, parsed(client, body));
    expect(responseFormat?.type).toBe('json-schema');
    expect(JSON.stringify(responseFormat)).toContain(SCHEMA.slice(SCHEMA.indexOf('"properties"'), -1));
  },
);
