import { asArray, asObject, isObject, parseJson } from '../../shared/json.ts';
import { modelRules } from '../claude/settings.ts';
import { LIMITS, schemasIn } from '../claude/tools.ts';
import { COMPATIBILITY } from '../openai/reasoning.ts';
import type { ReceivedRequest, Rule } from '../rule.ts';
import { bodyOf, CHECKED, having, REFERENCE, spec, specsOf, toolsOf, type Wire } from './reading.ts';

const ISSUES = 'https://github.com';
const CONVERSE = `${REFERENCE}_Converse.html`;
const MEMBERS = [
  ...[
    'messages',
    'system',
    'inferenceConfig',
    'toolConfig',
    'outputConfig',
    'guardrailConfig',
    'requestMetadata',
    'serviceTier',
  ],
  ...['additionalModelRequestFields', 'additionalModelResponseFieldPaths', 'performanceConfig', 'promptVariables'],
];

const members: Rule = {
  id: 'unknown-members',
  statement: `A request must have no fields except ${MEMBERS.map((name) => `\`${name}\``).join(', ')}.`,
  source: { url: CONVERSE, checked: CHECKED },
  refuses: (request) => {
    const other = Object.keys(bodyOf(request)).find((name) => !MEMBERS.includes(name));
    return other === undefined ? null : `Unknown field: ${other}`;
  },
  examples: { refused: [having({ max_tokens: 5 })] },
};

const gptSampling: Rule = {
  id: 'gpt-sampling',
  statement: '`temperature` and `topP` are refused while the model reasons, which is the default.',
  family: { label: 'GPT-5.5 and later', models: /openai\.(?!gpt-oss)/ },
  source: COMPATIBILITY,
  refuses: (request) => {
    const { temperature, topP } = asObject(bodyOf(request).inferenceConfig);
    return temperature === undefined && topP === undefined
      ? null
      : 'The model returned the following errors: temperature and topP are not supported with this model.';
  },
  examples: {
    refused: [having({ inferenceConfig: { temperature: 0.5 } }), having({ inferenceConfig: { topP: 0.5 } })],
  },
};

const OTHER_THAN_CLAUDE_AND_NOVA = { label: 'All models but Claude and Nova', models: /^(?!.*(?:claude|nova))/ };

const tools: Rule = {
  id: 'tools',
  statement:
    'A tool must have a unique name of up to 64 letters, digits, `_` and `-`, a description, and an object schema.',
  source: { url: `${REFERENCE}_ToolSpecification.html`, checked: CHECKED },
  refuses: (request) => {
    const { toolConfig } = bodyOf(request);
    if (toolConfig !== undefined && toolsOf(request).length === 0)
      return "Value '[]' at 'toolConfig.tools' failed to satisfy constraint: Member must have length greater than or equal to 1";
    const seen = new Set<unknown>();
    for (const [at, { name, description, inputSchema }] of specsOf(request).entries()) {
      const path = `toolConfig.tools.${at}.member.toolSpec`;
      if (!/^[a-zA-Z0-9_-]{1,64}$/.test(String(name)))
        return `Value '${String(name)}' at '${path}.name' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+`;
      if (description === '')
        return `Value at '${path}.description' failed to satisfy constraint: Member must have length greater than or equal to 1`;
      if (seen.has(name)) return `The tool ${String(name)} is already defined at toolConfig.tools.`;
      seen.add(name);
      if (asObject(asObject(inputSchema).json).type !== 'object')
        return `The value at toolConfig.tools.${at}.toolSpec.inputSchema.json.type must be one of the following: object.`;
    }
    return null;
  },
  examples: {
    refused: [
      having({ toolConfig: { tools: [] } }),
      having({ toolConfig: { tools: [spec({ name: 'a.b' })] } }),
      having({ toolConfig: { tools: [spec({ description: '' })] } }),
      having({ toolConfig: { tools: [spec(), spec()] } }),
      having({ toolConfig: { tools: [spec({ inputSchema: { json: { properties: {} } } })] } }),
    ],
  },
};

const claudeSchemas: Rule = {
  id: 'claude-schemas',
  statement:
    "A tool's schema must not have `oneOf`, `allOf` or `anyOf` at its top level, and must have plain argument names.",
  family: { label: 'Claude', models: /claude/ },
  source: { url: `${ISSUES}/anthropics/claude-code/issues/5973`, checked: CHECKED },
  refuses: (request) => {
    for (const { inputSchema } of specsOf(request)) {
      const json = asObject(asObject(inputSchema).json);
      if (['oneOf', 'allOf', 'anyOf'].some((name) => json[name] !== undefined))
        return 'tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level';
      if (!Object.keys(asObject(json.properties)).every((key) => /^[a-zA-Z0-9_.-]{1,64}$/.test(key)))
        return "tools.0.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'";
    }
    return null;
  },
  examples: {
    refused: [having({ toolConfig: { tools: [spec({ inputSchema: { json: { type: 'object', anyOf: [{}] } } })] } })],
  },
};

const namedChoice: Rule = {
  id: 'named-tool-choice',
  statement: '`tool_choice` must not name a tool.',
  family: OTHER_THAN_CLAUDE_AND_NOVA,
  source: { url: `${REFERENCE}_ToolChoice.html`, checked: CHECKED },
  refuses: (request) =>
    asObject(asObject(bodyOf(request).toolConfig).toolChoice).tool === undefined
      ? null
      : 'This model does not support the toolConfig.toolChoice.tool field. Remove toolConfig.toolChoice.tool and try again.',
  examples: { refused: [having({ toolConfig: { tools: [spec()], toolChoice: { tool: { name: 'look_up' } } } })] },
};

const noStatus: Rule = {
  id: 'no-result-status',
  statement: 'A result must not have a `status`.',
  family: OTHER_THAN_CLAUDE_AND_NOVA,
  source: { url: `${REFERENCE}_ToolResultBlock.html`, checked: CHECKED },
  refuses: ({ text: body }) =>
    /"status": ?"error"/.test(body)
      ? "This model doesn't support the status field. Remove status and try again."
      : null,
  examples: {
    refused: [
      having({
        messages: [
          { role: 'user', content: [{ text: 'Hi' }] },
          { role: 'assistant', content: [{ toolUse: { toolUseId: 'abcdefghi', name: 'look_up', input: {} } }] },
          {
            role: 'user',
            content: [{ toolResult: { toolUseId: 'abcdefghi', content: [{ text: 'x' }], status: 'error' } }],
          },
        ],
        toolConfig: { tools: [spec()] },
      }),
    ],
  },
};

const noStops: Rule = {
  id: 'no-stop-sequences',
  statement: 'Stop sequences are refused.',
  family: { label: 'Models of OpenAI', models: /openai\./ },
  source: { url: `${ISSUES}/crewAIInc/crewAI/issues/3317`, checked: CHECKED },
  refuses: (request) =>
    asObject(bodyOf(request).inferenceConfig).stopSequences === undefined
      ? null
      : "This model doesn't support the stopSequences field. Remove stopSequences and try again.",
  examples: { refused: [having({ inferenceConfig: { stopSequences: ['x'] } })] },
};

const ranges: Rule = {
  id: 'ranges',
  statement: 'Temperature and `topP` must be from 0 to 1, and `maxTokens` at least 1.',
  source: { url: `${REFERENCE}_InferenceConfiguration.html`, checked: CHECKED },
  refuses: (request) => {
    const { temperature, topP, maxTokens } = asObject(bodyOf(request).inferenceConfig);
    const wrong = Object.entries({ temperature, topP }).find(
      ([, value]) => typeof value === 'number' && (value < 0 || value > 1),
    );
    if (wrong !== undefined)
      return `Value '${String(wrong[1])}' at 'inferenceConfig.${wrong[0]}' failed to satisfy constraint: Member must have value less than or equal to 1`;
    return maxTokens !== undefined && Number(maxTokens) < 1
      ? "Value at 'inferenceConfig.maxTokens' failed to satisfy constraint: Member must have value greater than or equal to 1"
      : null;
  },
  examples: {
    refused: [having({ inferenceConfig: { temperature: 1.5 } }), having({ inferenceConfig: { maxTokens: 0 } })],
  },
};

const novaTokens: Rule = {
  id: 'nova-max-tokens',
  statement: '`maxTokens` must be at most 10,000.',
  family: { label: 'First-generation Nova', models: /amazon\.nova-(?:micro|lite|pro)(?!\w)/ },
  source: { url: 'https://docs.aws.amazon.com/nova/latest/userguide/complete-request-schema.html', checked: CHECKED },
  refuses: (request) =>
    Number(asObject(bodyOf(request).inferenceConfig).maxTokens ?? 0) > 10_000
      ? 'The maximum tokens you requested exceeds the model limit of 10000. Try again with a maximum tokens value that is lower than 10000.'
      : null,
  examples: { refused: [having({ inferenceConfig: { maxTokens: 20_000 } })] },
};

const outputSchema: Rule = {
  id: 'closed-schemas',
  statement:
    'Schemas of responses and strict tools must have objects with `additionalProperties: false`, no limits, and nothing next to `$ref`.',
  source: { url: `${ISSUES}/future-agi/future-agi/pull/412`, checked: CHECKED },
  refuses: (request) => {
    const format = asObject(asObject(asObject(bodyOf(request).outputConfig).textFormat).structure);
    const schema = asObject(format.jsonSchema).schema;
    const strict = specsOf(request)
      .filter((one) => one.strict === true)
      .map(({ inputSchema }) => asObject(inputSchema).json);
    const parsed = typeof schema === 'string' ? [parseJson(schema)] : [];
    if (schema !== undefined && !isObject(parsed[0]))
      return 'outputConfig.textFormat.structure.jsonSchema.schema: The schema is not a valid JSON object.';
    for (const one of [...parsed, ...strict].flatMap(schemasIn)) {
      if (one.type === 'object' && one.additionalProperties !== false)
        return "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false";
      const limit = LIMITS.find((name) => one[name] !== undefined);
      if (limit !== undefined)
        return `output_config.format.schema: For '${String(one.type)}' type, properties ${limit} are not supported`;
      if (one.$ref !== undefined && Object.keys(one).length > 1)
        return "output_config.format.schema: '$ref' must not have siblings";
      if (one.$ref !== undefined && !/^#(?:\/\$defs\/[^/]+)?$/.test(String(one.$ref)))
        return 'output_config.format.schema: external references are not supported';
    }
    return null;
  },
  examples: {
    refused: [
      answering({ type: 'object', properties: {} }),
      answering({ type: 'object', additionalProperties: false, properties: { a: { type: 'integer', minimum: 1 } } }),
      answering({
        type: 'object',
        additionalProperties: false,
        properties: { a: { $ref: '#/$defs/A', description: 'x' } },
        $defs: { A: { type: 'string' } },
      }),
    ],
  },
};

function answering(schema: object) {
  return having({
    outputConfig: {
      textFormat: { type: 'json_schema', structure: { jsonSchema: { schema: JSON.stringify(schema) } } },
    },
  });
}

const metadata: Rule = {
  id: 'request-metadata',
  statement: 'Metadata must have at most 16 entries of at most 256 plain characters.',
  source: { url: CONVERSE, checked: CHECKED },
  refuses: (request) => {
    const entries = Object.entries(asObject(bodyOf(request).requestMetadata));
    const isPlain = (words: unknown) => typeof words === 'string' && /^[a-zA-Z0-9\s:_@$#=/+,.-]{0,256}$/.test(words);
    return entries.length <= 16 && entries.every(([key, value]) => isPlain(key) && isPlain(value))
      ? null
      : "Value at 'requestMetadata' failed to satisfy constraint";
  },
  examples: { refused: [having({ requestMetadata: { a: 'ü' } })] },
};

/** Returns the settings of a request in the form of Claude's own API. */
function asMessages(request: ReceivedRequest): ReceivedRequest {
  const body = bodyOf(request);
  const { temperature, topP, maxTokens, stopSequences } = asObject(body.inferenceConfig);
  const { toolChoice } = asObject(body.toolConfig);
  const own = asObject(body.additionalModelRequestFields);
  const [type] = Object.keys(asObject(toolChoice));
  const set: Wire = {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(stopSequences !== undefined && { stop_sequences: stopSequences }),
    // According to InferenceConfiguration, the default is the model's maximum.
    max_tokens: maxTokens ?? 32_000,
    ...(type !== undefined && { tool_choice: { type } }),
    ...own,
  };
  return { ...request, body: set };
}

/** Turns Claude's rules for settings, whose examples are for Messages, into rules for Converse. */
function ofClaude(rule: Rule): Rule {
  const { family, examples, ...rest } = rule;
  const [first] = examples.refused;
  const model = first.model ?? 'claude-sonnet-4-5';
  const sent = (one: typeof first) => {
    const { temperature, top_p, max_tokens, stop_sequences, tools, tool_choice: choice, ...own } = one.body ?? {};
    const config = { temperature, topP: top_p, maxTokens: max_tokens, stopSequences: stop_sequences };
    const type = String(asObject(choice).type);
    const named = type === 'tool' ? { tool: { name: 'look_up' } } : { [type]: {} };
    const toolConfig =
      tools === undefined
        ? {}
        : { toolConfig: { tools: [spec()], ...(choice !== undefined && { toolChoice: named }) } };
    const chosen = one.model ?? (family === undefined ? model : undefined);
    const id = chosen === undefined ? {} : { model: `global.anthropic.${chosen}` };
    return {
      ...id,
      body: {
        inferenceConfig: config,
        ...toolConfig,
        ...(Object.keys(own).length > 0 && { additionalModelRequestFields: own }),
      },
    };
  };
  const refused = examples.refused.filter(
    ({ body }) => !(body !== undefined && 'max_tokens' in body && body.max_tokens === undefined),
  );
  const [head = first, ...others] = refused;
  return {
    ...rest,
    id: `claude-${rule.id}`,
    family: { label: family === undefined ? 'Claude' : `Claude: ${family.label}`, models: family?.models ?? /claude/ },
    refuses: (request) => (request.model.includes('claude') ? rule.refuses(asMessages(request)) : null),
    examples: { refused: [sent(head), ...others.map(sent)] },
  };
}

export const settingRules: readonly Rule[] = [
  ...[
    members,
    ranges,
    gptSampling,
    tools,
    claudeSchemas,
    namedChoice,
    noStatus,
    noStops,
    novaTokens,
    outputSchema,
    metadata,
  ],
  ...modelRules.map(ofClaude),
];

/** Most models refuse tools with `strict`. */
export const noStrict: Rule = {
  id: 'no-strict-tools',
  statement: 'A tool must not have `strict`.',
  family: { label: 'Models without strict tools', models: /amazon\.|meta\.|cohere\.|ai21\.|claude-(?:3|opus-4-[18])/ },
  source: { url: 'https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html', checked: CHECKED },
  refuses: (request) =>
    asArray(specsOf(request)).some((one) => asObject(one).strict !== undefined)
      ? "This model doesn't support the strict field. Remove strict and try again."
      : null,
  examples: { refused: [having({ toolConfig: { tools: [spec({ strict: true })] } })] },
};
