/* Requests of Gemini CLI (google-gemini/gemini-cli, packages/core: `core/baseLlmClient.ts`, `config/defaultModelConfigs.ts`). */

/** A tool of an MCP server; dots and colons are allowed in its name. */
export const DOTTED_TOOL = 'mcp_github.com_search:issues';

const DECLARATIONS = [
  {
    name: 'read_file',
    description: 'Reads a file.',
    parametersJsonSchema: {
      type: 'object',
      properties: {
        file_path: { type: 'string', description: 'The path.' },
        start_line: { type: 'number' },
      },
      required: ['file_path'],
    },
  },
  {
    name: 'replace',
    description: 'Replaces text.',
    parametersJsonSchema: {
      type: 'object',
      properties: { file_path: { type: 'string' }, expected_replacements: { type: 'number', minimum: 1 } },
      required: ['file_path'],
    },
  },
  {
    name: DOTTED_TOOL,
    description: 'Searches issues.',
    parametersJsonSchema: {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: { query: { type: 'string' }, state: { anyOf: [{ const: 'open' }, { type: 'null' }] } },
      required: ['query'],
      additionalProperties: false,
    },
  },
  {
    name: 'enter_plan_mode',
    description: 'Starts planning.',
    parametersJsonSchema: { type: 'object', properties: {} },
  },
];

const SYSTEM = 'You are Gemini CLI, an interactive CLI agent.';

export const CHAT_CONFIG = {
  temperature: 1,
  topP: 0.95,
  topK: 64,
  thinkingConfig: { includeThoughts: true, thinkingLevel: 'HIGH' },
  systemInstruction: SYSTEM,
  tools: [{ functionDeclarations: DECLARATIONS }],
};

/** The settings of the previous model family. */
export const BUDGET_CONFIG = { ...CHAT_CONFIG, thinkingConfig: { includeThoughts: true, thinkingBudget: 8192 } };

const UTILITY = { temperature: 0, topP: 1 };

/** The next speaker, loop detection and model choice: JSON by a schema. */
export const JSON_CONFIG = {
  ...UTILITY,
  maxOutputTokens: 1024,
  thinkingConfig: { thinkingBudget: 512 },
  responseMimeType: 'application/json',
  responseJsonSchema: {
    type: 'object',
    properties: {
      unproductive_state_analysis: { type: 'string', description: 'Your reasoning.' },
      unproductive_state_confidence: { type: 'number', description: 'Between 0.0 and 1.0.' },
      next_speaker: { type: 'string', enum: ['user', 'model'] },
    },
    required: ['unproductive_state_analysis', 'unproductive_state_confidence'],
  },
};

/** Corrections and completions: no thinking. */
export const QUICK_CONFIG = { ...UTILITY, maxOutputTokens: 2000, thinkingConfig: { thinkingBudget: 0 } };

/** Tools that only Google has, each in a separate request: `web_search` and `web_fetch` of the CLI. */
export const SEARCH_CONFIG = { ...UTILITY, tools: [{ googleSearch: {} }] };
export const FETCH_CONFIG = { ...UTILITY, tools: [{ urlContext: {} }] };
