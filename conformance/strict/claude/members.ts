import { asArray, asObject, isObject } from '../../shared/json.ts';
import type { Example, ReceivedRequest, Rule, Source } from '../rule.ts';
import {
  allBlocks,
  blocksIn,
  bodyOf,
  CHECKED,
  having,
  isCustom,
  saying,
  text,
  tool,
  toolsOf,
  user,
  type Wire,
} from './reading.ts';

/* Members and beta flags that a service does not know. */

const GENERAL = [
  ...[
    'max_tokens',
    'messages',
    'metadata',
    'model',
    'output_config',
    'stop_sequences',
    'stream',
    'system',
    'temperature',
  ],
  ...['thinking', 'tool_choice', 'tools', 'top_k', 'top_p'],
];
const ANTHROPIC_ALONE = [
  ...[
    'cache_control',
    'container',
    'context_management',
    'diagnostics',
    'fallbacks',
    'fallback_credit_token',
    'inference_geo',
  ],
  ...['mcp_servers', 'output_format', 'service_tier', 'speed', 'user_profile_id'],
];

/** The place of a service's beta flags, and those that it knows. */
export interface FlagsOf {
  readonly flags: readonly string[];
  listed(request: ReceivedRequest): readonly string[];
  example(flags: readonly string[], body?: Wire): Example;
  message(unknown: readonly string[]): string;
  readonly source: Source;
}

/** Members that are refused without one of these flags. */
const FLAGGED: Readonly<Record<string, readonly string[]>> = {
  defer_loading: ['tool-search-tool-2025-10-19'],
  input_examples: ['tool-examples-2025-10-29'],
  context_management: ['context-management-2025-06-27', 'compact-2026-01-12'],
};

export function inHeader(flags: readonly string[]): FlagsOf {
  return {
    flags,
    listed: ({ headers }) => listIn(headers.get('anthropic-beta') ?? ''),
    example: (sent, body = {}) => ({ headers: { 'anthropic-beta': sent.join(',') }, body }),
    message: (unknown) =>
      `Unexpected value(s) ${unknown.map((flag) => `\`${flag}\``).join(', ')} for the \`anthropic-beta\` header. Please consult our documentation at docs.anthropic.com or try again without the header.`,
    source: { url: 'https://github.com/anthropics/claude-code/issues/21625', checked: CHECKED },
  };
}

export function inBody(flags: readonly string[]): FlagsOf {
  return {
    flags,
    listed: (request) => asArray(bodyOf(request).anthropic_beta).map(String),
    example: (sent, body = {}) => having({ ...body, anthropic_beta: sent }),
    message: () => 'invalid beta flag',
    source: { url: 'https://github.com/coder/aibridge/issues/221', checked: CHECKED },
  };
}

function listIn(header: string): readonly string[] {
  return header
    .split(',')
    .map((flag) => flag.trim())
    .filter((flag) => flag !== '');
}

export function flagRule(of: FlagsOf): Rule {
  return {
    id: 'beta-flags',
    statement: `Beta flags must be among ${of.flags.map((flag) => `\`${flag}\``).join(', ')}.`,
    source: of.source,
    refuses: (request) => {
      const unknown = of.listed(request).filter((flag) => !of.flags.includes(flag));
      return unknown.length === 0 ? null : of.message(unknown);
    },
    examples: {
      refused: [
        of.example(['advanced-tool-use-2025-11-20']),
        of.example(['prompt-caching-scope-2026-01-05', 'claude-code-20250219']),
      ],
      accepted: [of.example(['context-management-2025-06-27'])],
    },
  };
}

const extra = (path: string) => `${path}: Extra inputs are not permitted`;
const EXTRA_SOURCE = { url: 'https://github.com/anthropics/claude-code/issues/31033', checked: CHECKED };

/** Makes a rule for top-level members. Anthropic itself knows all of them. */
export function memberRule({
  lacks = [],
  adds = [],
}: {
  readonly lacks?: readonly string[];
  readonly adds?: readonly string[];
} = {}): Rule {
  const known = new Set([...GENERAL, ...ANTHROPIC_ALONE, ...adds].filter((name) => !lacks.includes(name)));
  const flagged = lacks.filter((name) => name !== 'model' && name !== 'stream');
  return {
    id: 'unknown-members',
    statement: `A request must have no fields except ${[...known].map((name) => `\`${name}\``).join(', ')}.`,
    source: EXTRA_SOURCE,
    refuses: (request) => {
      const other = Object.keys(bodyOf(request)).find((name) => !known.has(name));
      return other === undefined ? null : extra(other);
    },
    examples: { refused: [having({ frequency_penalty: 0 }), ...flagged.map((name) => having({ [name]: {} }))] },
  };
}

export const CLOUDS_LACK = ANTHROPIC_ALONE.filter((name) => name !== 'context_management');

/**
 * Makes a rule for members of tools, cache marks and `output_config`. Without `flags`, those of Anthropic
 * itself are known.
 */
export function innerMemberRule(of: FlagsOf | null): Rule {
  const toolMembers = [
    'name',
    'description',
    'input_schema',
    'type',
    'cache_control',
    'strict',
    'defer_loading',
    'input_examples',
  ];
  const tools = new Set(of === null ? [...toolMembers, 'allowed_callers', 'eager_input_streaming'] : toolMembers);
  const marks = new Set(of === null ? ['type', 'ttl', 'scope'] : ['type', 'ttl']);
  const outputs = new Set(of === null ? ['effort', 'format', 'task_budget'] : ['effort', 'format']);
  const isAllowed = (name: string, flags: ReadonlySet<string>) =>
    of === null || FLAGGED[name]?.some((flag) => flags.has(flag)) !== false;
  return {
    id: 'inner-members',
    statement:
      of === null
        ? 'Tools, cache marks and `output_config` must have only fields of the published document.'
        : 'Tools, cache marks and `output_config` must have only generally available fields, or the beta flags of the others.',
    source: EXTRA_SOURCE,
    refuses: (request) => {
      const flags = new Set(of?.listed(request) ?? []);
      for (const [at, one] of toolsOf(request).entries()) {
        const wrong = isCustom(one)
          ? Object.keys(one).find((name) => !tools.has(name) || !isAllowed(name, flags))
          : undefined;
        if (wrong !== undefined) return extra(`tools.${at}.custom.${wrong}`);
      }
      if (bodyOf(request).context_management !== undefined && !isAllowed('context_management', flags))
        return extra('context_management');
      const blocks = [
        ...toolsOf(request),
        ...blocksIn(bodyOf(request).system),
        ...allBlocks(request).map(({ block }) => block),
      ];
      for (const { cache_control: mark } of blocks) {
        const wrong = isObject(mark) ? Object.keys(mark).find((name) => !marks.has(name)) : undefined;
        if (wrong !== undefined) return extra(`cache_control.ephemeral.${wrong}`);
      }
      const output = Object.keys(asObject(bodyOf(request).output_config)).find((name) => !outputs.has(name));
      return output === undefined ? null : extra(`output_config.${output}`);
    },
    examples:
      of === null
        ? { refused: [having({ tools: [tool({ parameters: {} })] }), having({ output_config: { verbosity: 'low' } })] }
        : {
            refused: [
              having({ tools: [tool({ defer_loading: true })] }),
              having({ tools: [tool({ input_examples: [{}] })] }),
              having({ tools: [tool({ eager_input_streaming: true })] }),
              having({ context_management: { edits: [] } }),
              saying(user([text('Hi', { cache_control: { type: 'ephemeral', scope: 'global' } })])),
            ],
            accepted: [
              of.example(['tool-search-tool-2025-10-19'], { tools: [tool({ defer_loading: true })] }),
              of.example(['context-management-2025-06-27'], { context_management: { edits: [] } }),
            ],
          },
  };
}

/** Makes a rule for the fixed version that a cloud requires in the body. */
export function versionRule(version: string): Rule {
  return {
    id: 'version',
    statement: `\`anthropic_version\` in the body must be \`${version}\`.`,
    source: { url: 'https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai', checked: CHECKED },
    refuses: (request) => (bodyOf(request).anthropic_version === version ? null : 'anthropic_version: Field required'),
    examples: { refused: [having({ anthropic_version: undefined }), having({ anthropic_version: '2023-06-01' })] },
  };
}

/** Makes a rule for the tools that a service runs itself. */
export function hostedToolRule(known: RegExp): Rule {
  return {
    id: 'hosted-tools',
    statement: "Anthropic's own tools that the service does not run are refused.",
    source: { url: 'https://github.com/BerriAI/litellm/issues/15299', checked: CHECKED },
    refuses: (request) => {
      const at = toolsOf(request).findIndex((one) => !isCustom(one) && !known.test(String(one.type)));
      return at < 0
        ? null
        : `tools.${at}: Input tag '${String(toolsOf(request)[at]?.type)}' found using 'type' does not match any of the expected tags`;
    },
    examples: { refused: [having({ tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }] })] },
  };
}

/** A cloud that does not download files. */
export const bytesRule: Rule = {
  id: 'url-sources',
  statement: 'Images and documents must be sent as bytes; the service does not download URLs.',
  source: { url: 'https://github.com/anthropics/anthropic-sdk-typescript/issues/1038', checked: '2026-11-29' },
  refuses: (request) => {
    const found = allBlocks(request).find(({ block }) => asObject(block.source).type === 'url');
    return found === undefined ? null : `${found.path}.source: URL sources are not supported`;
  },
  examples: {
    refused: ['image', 'document'].map((type) =>
      saying(user([{ type, source: { type: 'url', url: 'https://example.com/a' } }, text()])),
    ) as [Example, Example],
  },
};
