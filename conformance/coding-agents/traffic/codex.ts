import type { JsonObject } from '../../shared/json.ts';

/* Requests of Codex (openai/codex, codex-rs: `core/src/tools/spec_plan.rs`, `tools/src/tool_spec.rs`, `codex-api/src/common.rs`). */

const GRAMMAR = `start: begin_patch hunk+ end_patch
begin_patch: "*** Begin Patch" LF
end_patch: "*** End Patch" LF?
hunk: add_hunk | delete_hunk | update_hunk
filename: /(.+)/
%import common.LF`;

export const APPLY_PATCH = {
  type: 'custom',
  name: 'apply_patch',
  description: 'Edits files. This is a FREEFORM tool, so do not wrap the patch in JSON.',
  format: { type: 'grammar', syntax: 'lark', definition: GRAMMAR },
} as const;

/** One tool of an MCP server; Codex puts all tools of a server into a namespace. */
export const MCP = { namespace: 'mcp__issue_tracker', name: 'find_issues' } as const;

const TOOLS: readonly JsonObject[] = [
  {
    type: 'function',
    name: 'exec_command',
    description: 'Runs a command in a PTY.',
    strict: false,
    parameters: {
      type: 'object',
      properties: {
        cmd: { type: 'string', description: 'Shell command to execute.' },
        yield_time_ms: { type: 'number' },
        sandbox_permissions: { type: 'string', enum: ['use_default', 'require_escalated'] },
        prefix_rule: { type: 'array', items: { type: 'string' } },
      },
      required: ['cmd'],
      additionalProperties: false,
    },
  },
  {
    type: 'function',
    name: 'update_plan',
    description: 'Updates the task plan.',
    strict: true,
    parameters: {
      type: 'object',
      properties: {
        explanation: { type: ['string', 'null'] },
        plan: {
          type: 'array',
          items: {
            type: 'object',
            properties: { step: { type: 'string' }, status: { type: 'string' } },
            required: ['step', 'status'],
            additionalProperties: false,
          },
        },
      },
      required: ['explanation', 'plan'],
      additionalProperties: false,
    },
  },
  APPLY_PATCH,
  { type: 'web_search', external_web_access: false, search_content_types: ['text', 'image'] },
  {
    type: 'tool_search',
    execution: 'client',
    description: 'Searches over deferred tools.',
    parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
  },
  {
    type: 'namespace',
    name: MCP.namespace,
    description: 'Tools in the mcp__issue_tracker namespace.',
    tools: [
      {
        type: 'function',
        name: MCP.name,
        description: 'Finds issues.',
        strict: false,
        parameters: { type: 'object', properties: { query: { type: 'string' } }, additionalProperties: false },
      },
    ],
  },
];

/** Returns the request of one turn, with the conversation so far. */
export function codexRequest(model: string, prompt: string, history: readonly unknown[]) {
  return {
    model,
    instructions: 'You are a coding agent running in the Codex CLI.',
    input: [
      {
        type: 'message',
        role: 'developer',
        content: [
          {
            type: 'input_text',
            text: '<permissions instructions>Approval policy: on-request</permissions instructions>',
          },
        ],
      },
      {
        type: 'message',
        role: 'user',
        content: [{ type: 'input_text', text: '<environment_context><cwd>/work</cwd></environment_context>' }],
      },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: prompt }] },
      ...history,
    ],
    tools: TOOLS,
    tool_choice: 'auto',
    parallel_tool_calls: true,
    reasoning: { effort: 'medium', summary: 'auto' },
    store: false,
    stream: true,
    include: ['reasoning.encrypted_content'],
    prompt_cache_key: '019e4c1a-77aa-7d10-9a4f-2f3d6c1b0a11',
    text: { verbosity: 'low' },
    client_metadata: { 'x-codex-installation-id': '5f6c' },
  };
}

/** Returns the same with the tools in an item of the conversation, as models in code mode receive them. */
export function codeModeRequest(model: string, prompt: string) {
  const { tools, input, ...request } = codexRequest(model, prompt, []);
  return {
    ...request,
    input: [{ type: 'additional_tools', role: 'developer', tools: [tools[2], tools[5]] }, ...input],
  };
}

/** Returns the request of an agent with full access to the machine, whose search has web access. */
export function fullAccessRequest(model: string, prompt: string) {
  const { tools, ...request } = codexRequest(model, prompt, []);
  return {
    ...request,
    tools: tools.map((tool) => (tool.type === 'web_search' ? { ...tool, external_web_access: true } : tool)),
  };
}

/** Returns the request of `codex exec --output-schema`: the last response has a schema. */
export function codexOutputSchemaRequest(model: string, prompt: string) {
  const schema = {
    type: 'object',
    properties: { summary: { type: 'string' } },
    required: ['summary'],
    additionalProperties: false,
  };
  const format = { type: 'json_schema', name: 'codex_output_schema', strict: true, schema };
  return { ...codexRequest(model, prompt, []), text: { verbosity: 'low', format } };
}

export const CODEX_HEADERS = {
  originator: 'codex_cli_rs',
  'user-agent': 'codex_cli_rs/0.147.0 (Ubuntu 24.4.0; x86_64) xterm',
  session_id: '019e4c1a-77aa-7d10-9a4f-2f3d6c1b0a11',
  'x-codex-turn-metadata': '{"turn_id":"1"}',
  'openai-beta': 'responses=experimental',
} as const;
