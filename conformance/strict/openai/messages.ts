import { asArray, asObject, isObject } from '../../shared/json.ts';
import type { Rule } from '../rule.ts';
import { bodyOf } from '../shared/members.ts';
import { strictSchemaProblem } from '../shared/strict-schema.ts';
import { DOCUMENT, issue, recording } from './families.ts';

const USER = { role: 'user', content: 'Hi' };
const call = (id: string, name = 'f') => ({ id, type: 'function', function: { name, arguments: '{}' } });
const calling = (...ids: string[]) => ({ role: 'assistant', content: null, tool_calls: ids.map((id) => call(id)) });
const result = (tool_call_id: string) => ({ role: 'tool', tool_call_id, content: 'x' });

const messagesOf = (request: Parameters<typeof bodyOf>[0]) => asArray(bodyOf(request).messages).map(asObject);

const toolMessages: Rule = {
  id: 'tool-messages',
  statement: 'A `tool` message must follow a message with `tool_calls`.',
  source: issue('simonw/llm/issues/937'),
  refuses(request) {
    const messages = messagesOf(request);
    const orphan = messages.findIndex(({ role, tool_call_id }, index) => {
      if (role !== 'tool') return false;
      const before = messages.slice(0, index).findLast((message) => message.role !== 'tool');
      return !asArray(before?.tool_calls).some((one) => asObject(one).id === tool_call_id);
    });
    if (orphan === -1) return null;
    return `Invalid parameter: messages[${orphan}] with role 'tool' must be a response to a preceding message with 'tool_calls'.`;
  },
  examples: {
    refused: [{ body: { messages: [USER, result('call_1')] } }],
    accepted: [{ body: { messages: [USER, calling('call_1', 'call_2'), result('call_2'), result('call_1')] } }],
  },
};

const unansweredCalls: Rule = {
  id: 'unanswered-calls',
  statement: 'A message with `tool_calls` must be followed by a `tool` message for each call.',
  source: issue('aliasrobotics/cai/issues/111'),
  refuses(request) {
    const messages = messagesOf(request);
    for (const [index, { tool_calls }] of messages.entries()) {
      const answered = new Set<unknown>();
      for (const { role, tool_call_id } of messages.slice(index + 1)) {
        if (role !== 'tool') break;
        answered.add(tool_call_id);
      }
      const missing = asArray(tool_calls).map((one) => asObject(one).id);
      const id = missing.find((one) => !answered.has(one));
      if (id === undefined) continue;
      return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${id}`;
    }
    return null;
  },
  examples: { refused: [{ body: { messages: [USER, calling('call_1'), USER] } }] },
};

const callIds: Rule = {
  id: 'call-ids',
  statement: 'A tool-call id must have at most 40 characters.',
  source: issue('microsoft/autogen/issues/6377'),
  refuses(request) {
    for (const [index, { tool_calls }] of messagesOf(request).entries()) {
      for (const [at, one] of asArray(tool_calls).entries()) {
        const { id } = asObject(one);
        if (typeof id === 'string' && id.length > 40) {
          return `Invalid 'messages[${index}].tool_calls[${at}].id': string too long. Expected a string with maximum length 40, but got a string with length ${id.length} instead.`;
        }
      }
    }
    return null;
  },
  examples: { refused: [{ body: { messages: [USER, calling('c'.repeat(41)), result('c'.repeat(41))] } }] },
};

const partTypes: Rule = {
  id: 'part-types',
  statement: 'A message part must have a `type` that the document lists.',
  source: recording('openai/chat/182-test-custom-llm-within-crew.json'),
  refuses(request) {
    const types = new Set<unknown>(['text', 'image_url', 'input_audio', 'file', 'refusal']);
    for (const [index, { content }] of messagesOf(request).entries()) {
      const at = asArray(content).findIndex((part) => !types.has(asObject(part).type));
      if (at !== -1) return `Invalid value or missing parameter: 'messages[${index}].content[${at}].type'.`;
    }
    return null;
  },
  examples: {
    refused: [{ body: { messages: [{ role: 'user', content: [{ text: 'Hi' }] }] } }],
    accepted: [{ body: { messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] } }],
  },
};

const roles: Rule = {
  id: 'roles',
  statement: 'Roles that the document does not list are refused.',
  source: DOCUMENT,
  refuses(request) {
    const known = new Set<unknown>(['developer', 'system', 'user', 'assistant', 'tool', 'function']);
    const at = messagesOf(request).findIndex(({ role }) => !known.has(role));
    return at === -1 ? null : `Invalid value for 'messages[${at}].role'.`;
  },
  examples: {
    refused: [{ body: { messages: [{ role: 'model', content: 'Hi' }] } }],
    accepted: [{ body: { messages: [{ role: 'developer', content: 'Be brief.' }, USER] } }],
  },
};

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

const toolNames: Rule = {
  id: 'tool-names',
  statement: "A function's name must have 1 to 64 letters, digits, `_` and `-`.",
  source: issue('home-assistant/core/issues/121325'),
  refuses(request) {
    const declared = asArray(bodyOf(request).tools).flatMap((tool) => asObject(tool).function ?? []);
    const called = messagesOf(request).flatMap(({ tool_calls }) =>
      asArray(tool_calls).flatMap((one) => asObject(one).function ?? []),
    );
    const bad = [...declared, ...called].map((one) => String(asObject(one).name)).find((name) => !NAME.test(name));
    return bad === undefined
      ? null
      : `Invalid 'function.name' '${bad}': expected the pattern '^[a-zA-Z0-9_-]+$', at most 64.`;
  },
  examples: {
    refused: [{ body: { tools: [{ type: 'function', function: { name: 'a.b' } }] } }],
    accepted: [{ body: { tools: [{ type: 'function', function: { name: 'a-b' } }], reasoning_effort: undefined } }],
  },
};

const strictTools: Rule = {
  id: 'invalid-function-parameters',
  statement:
    'Objects in the schema of a strict function must have `additionalProperties: false` and only required properties.',
  source: recording('openai/chat/115-handles-optional-properties-in-strict-mode.json'),
  refuses(request) {
    for (const tool of asArray(bodyOf(request).tools)) {
      const { name, strict, parameters } = asObject(asObject(tool).function);
      const problem = strict === true ? strictSchemaProblem(parameters) : null;
      if (problem !== null) return `Invalid schema for function '${name}': ${problem}`;
    }
    return null;
  },
  examples: {
    refused: [
      {
        body: {
          tools: [
            { type: 'function', function: { name: 'f', strict: true, parameters: { type: 'object', properties: {} } } },
          ],
        },
      },
    ],
    accepted: [{ body: { tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }] } }],
  },
};

const strictFormat: Rule = {
  id: 'invalid-json-schema',
  statement:
    'Objects in a strict response schema must have `additionalProperties: false` and only required properties.',
  source: recording('openai/responses/170-openai-responses-post-c4a90328.json'),
  refuses(request) {
    const { json_schema } = asObject(bodyOf(request).response_format);
    if (!isObject(json_schema) || json_schema.strict !== true) return null;
    const problem = strictSchemaProblem(json_schema.schema);
    return problem === null ? null : `Invalid schema for response_format '${json_schema.name}': ${problem}`;
  },
  examples: {
    refused: [
      {
        body: {
          response_format: {
            type: 'json_schema',
            json_schema: { name: 'r', strict: true, schema: { type: 'object', properties: { a: { type: 'string' } } } },
          },
        },
      },
    ],
  },
};

const imageFormats: Rule = {
  id: 'invalid-image-format',
  statement: 'An image in a data URI must be PNG, JPEG, GIF or WebP.',
  source: recording('openai/chat/136-test-vision-base64.json'),
  refuses(request) {
    const parts = messagesOf(request).flatMap(({ content }) => asArray(content).map(asObject));
    const bad = parts.some(({ image_url }) => {
      const [, base64] = /^data:[^,]*;base64,(.*)$/s.exec(String(asObject(image_url).url)) ?? [];
      return base64 !== undefined && !IMAGE_BYTES.test(Buffer.from(base64.slice(0, 32), 'base64').toString('latin1'));
    });
    return bad
      ? "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp']."
      : null;
  },
  examples: {
    refused: [
      {
        body: {
          messages: [
            {
              role: 'user',
              content: [{ type: 'image_url', image_url: { url: 'data:image/jpeg;base64,UGxlYXNlIQ==' } }],
            },
          ],
        },
      },
    ],
  },
};

const IMAGE_BYTES = /^(?:\x89PNG|\xff\xd8\xff|GIF8|RIFF[\s\S]{4}WEBP)/;

/** The rules for messages and tools, in the order in which the API checks them. */
export const MESSAGE_RULES: readonly Rule[] = [
  ...[roles, partTypes, imageFormats, toolMessages, unansweredCalls, callIds, toolNames, strictTools, strictFormat],
];
