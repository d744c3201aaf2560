import type { JsonObject } from '../../shared/json.ts';

/* Requests of Claude Code, according to issues (anthropics/claude-code and gateways) and the SDK's types. */

/** Longer than OpenAI, Google and Amazon allow: names of MCP tools include the plugin and the server. */
export const LONG_TOOL = 'mcp__plugin_project-management_issue-tracker-enterprise__search_issues_by_label';

const schema = (properties: JsonObject, required: readonly string[]): JsonObject => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

const TOOLS: readonly JsonObject[] = [
  {
    name: 'Bash',
    description: 'Executes a given bash command.',
    input_schema: schema(
      {
        command: { description: 'The command to execute', type: 'string' },
        timeout: { description: 'Optional timeout in milliseconds (max 600000)', type: 'number' },
        run_in_background: { type: 'boolean', default: false },
      },
      ['command'],
    ),
  },
  {
    name: 'Edit',
    description: 'Performs exact string replacements in files.',
    input_schema: schema(
      {
        file_path: { type: 'string' },
        old_string: { type: 'string' },
        new_string: { type: 'string' },
        replace_all: { default: false, type: 'boolean' },
      },
      ['file_path', 'old_string', 'new_string'],
    ),
  },
  {
    name: 'WebFetch',
    description: 'Fetches content from a URL.',
    input_schema: schema({ url: { type: 'string', format: 'uri' }, prompt: { type: 'string' } }, ['url', 'prompt']),
  },
  {
    name: 'AskUserQuestion',
    description: 'Asks the user.',
    input_schema: schema(
      {
        questions: {
          minItems: 1,
          maxItems: 4,
          type: 'array',
          items: {
            type: 'object',
            properties: { question: { type: 'string' }, multiSelect: { type: 'boolean', default: false } },
            required: ['question'],
            additionalProperties: false,
          },
        },
        answers: { type: 'object', propertyNames: { type: 'string' }, additionalProperties: { type: 'string' } },
        taskId: {
          anyOf: [
            { type: 'string', pattern: '^[a-z]+$' },
            { type: 'integer', exclusiveMinimum: 0 },
          ],
        },
        metadata: { type: 'object', properties: { source: { const: 'cli' } }, additionalProperties: {} },
      },
      ['questions'],
    ),
  },
  {
    name: LONG_TOOL,
    description: 'Searches issues.',
    input_schema: { type: 'object', properties: { labels: { type: 'array', items: { type: 'string' } } } },
  },
  { name: 'EnterPlanMode', description: 'Starts planning.', input_schema: schema({}, []) },
];

const SYSTEM = [
  { type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1.198.0d9; cc_entrypoint=cli; cch=fa690;' },
  {
    type: 'text',
    text: "You are Claude Code, Anthropic's official CLI for Claude.",
    cache_control: { type: 'ephemeral', ttl: '1h' },
  },
  { type: 'text', text: '# Tone\nBe concise.', cache_control: { type: 'ephemeral' } },
];

const COMMON = {
  system: SYSTEM,
  tools: TOOLS,
  metadata: { user_id: 'user_5e8f_account_77a1_session_0d1c' },
  max_tokens: 32_000,
  thinking: { type: 'adaptive' },
  output_config: { effort: 'medium' },
  context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
};

/** Returns the request of one turn, with the conversation so far. */
export function claudeCodeRequest(model: string, prompt: string, history: readonly unknown[]) {
  return {
    model,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: '<system-reminder>\nToday is Monday.\n</system-reminder>' },
          { type: 'text', text: prompt, cache_control: { type: 'ephemeral' } },
        ],
      },
      ...history,
    ],
    ...COMMON,
  };
}

/** Returns a request with a thinking budget, the predecessor of effort. */
export function budgetRequest(model: string, prompt: string) {
  const { output_config: _, ...request } = claudeCodeRequest(model, prompt, []);
  return { ...request, thinking: { type: 'enabled', budget_tokens: 31_999 }, temperature: 1 };
}

/** Returns a request of newer versions, which put system reminders into the conversation and tools into a search. */
export function toolSearchRequest(model: string, prompt: string) {
  const tools = TOOLS.map((tool, index) => (index < 2 ? tool : { ...tool, defer_loading: true }));
  return {
    ...claudeCodeRequest(model, prompt, [
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'toolu_01A', name: 'ToolSearch', input: { query: 'issues' } }],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'toolu_01A',
            content: [{ type: 'tool_reference', tool_name: LONG_TOOL }],
          },
          { type: 'text', text: 'Tool loaded.' },
        ],
      },
      { role: 'system', content: 'The user has switched to plan mode.' },
    ]),
    tools: [
      ...tools,
      {
        name: 'ToolSearch',
        description: 'Fetches schemas of deferred tools.',
        input_schema: schema({ query: { type: 'string' }, max_results: { type: 'number', default: 5 } }, ['query']),
      },
      { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' },
    ],
  };
}

/** Returns the request that checks the key and the model: one token. */
export function probeRequest(model: string) {
  return { model, max_tokens: 1, messages: [{ role: 'user', content: 'quota' }], metadata: COMMON.metadata };
}

/** Returns the request to the small model for a title: no tools, a schema. */
export function titleRequest(model: string) {
  return {
    model,
    max_tokens: 32_000,
    temperature: 1,
    system: [{ type: 'text', text: 'Summarize this coding conversation in under 50 characters.' }],
    tools: [],
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Fix the path.' }] }],
    metadata: COMMON.metadata,
    output_config: {
      format: {
        type: 'json_schema',
        schema: {
          type: 'object',
          properties: { title: { type: 'string' } },
          required: ['title'],
          additionalProperties: false,
        },
      },
    },
  };
}

/** Returns the separate request of its tool WebSearch, with only the provider's search. */
export function searchRequest(model: string) {
  return {
    model,
    max_tokens: 32_000,
    system: [{ type: 'text', text: 'You are an assistant for performing a web search tool use' }],
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Perform a web search for the query: bun 2' }] }],
    tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 8 }],
    tool_choice: { type: 'tool', name: 'web_search' },
    metadata: COMMON.metadata,
  };
}

/** Returns the request that counts the tokens of one tool. */
export function countRequest(model: string) {
  return {
    model,
    messages: [{ role: 'user', content: 'foo' }],
    tools: TOOLS.slice(0, 1),
  };
}

export const CLAUDE_CODE_HEADERS = {
  'anthropic-beta':
    'claude-code-20250219,interleaved-thinking-2025-05-14,context-management-2025-06-27,prompt-caching-scope-2026-01-05,effort-2025-11-24',
  'anthropic-dangerous-direct-browser-access': 'true',
  'x-app': 'cli',
  'user-agent': 'claude-cli/2.1.198 (external, cli)',
} as const;
