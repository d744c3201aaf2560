import { asArray, asObject, isObject } from '../../shared/json.ts';
import type { Rule } from '../rule.ts';
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

const ISSUES = 'https://github.com';

/** Makes a rule about each declared tool; `at` is its index. */
function toolRule(rule: Omit<Rule, 'refuses'>, refuses: (tool: Wire, at: number) => string | null): Rule {
  return {
    ...rule,
    refuses: (request) => {
      for (const [at, one] of toolsOf(request).entries()) {
        const message = isCustom(one) ? refuses(one, at) : null;
        if (message !== null) return message;
      }
      return null;
    },
  };
}

const declaring = (...tools: readonly object[]) => having({ tools });
const schema = (input_schema: object) => declaring(tool({ input_schema }));

const names = toolRule(
  {
    id: 'tool-names',
    statement: "A tool's name must have 1 to 128 letters, digits, `_` and `-`.",
    source: { url: 'specs/anthropic.openapi.json#Tool.name', checked: CHECKED },
    examples: { refused: [declaring(tool({ name: 'look up' })), declaring(tool({ name: 'x'.repeat(129) }))] },
  },
  ({ name }, at) =>
    /^[a-zA-Z0-9_-]{1,128}$/.test(String(name))
      ? null
      : `tools.${at}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`,
);

const uniqueNames: Rule = {
  id: 'unique-tools',
  statement: 'Tool names must be unique.',
  source: { url: `${ISSUES}/eclipse-theia/theia/issues/16122`, checked: CHECKED },
  refuses: (request) => {
    const all = toolsOf(request).map(({ name }) => name);
    return new Set(all).size === all.length ? null : 'tools: Tool names must be unique.';
  },
  examples: { refused: [declaring(tool(), tool())] },
};

const TYPES = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);

/**
 * Returns whether the meta-schema of draft 2020-12 accepts the schema; checks only the violations that real
 * tools have.
 */
function isValidSchema(value: unknown): boolean {
  if (typeof value === 'boolean') return true;
  if (!isObject(value)) return false;
  const { type, required, enum: values, exclusiveMinimum, exclusiveMaximum, items, properties } = value;
  const types = type === undefined ? [] : [type].flat();
  if (!types.every((one) => TYPES.has(String(one)))) return false;
  if (required !== undefined && !Array.isArray(required)) return false;
  if (values !== undefined && !Array.isArray(values)) return false;
  if (typeof exclusiveMinimum === 'boolean' || typeof exclusiveMaximum === 'boolean' || Array.isArray(items))
    return false;
  if (properties !== undefined && !isObject(properties)) return false;
  const inner = [
    items,
    ...Object.values(asObject(properties)),
    ...asArray(value.anyOf),
    ...asArray(value.oneOf),
    ...asArray(value.allOf),
  ];
  return inner.every((one) => one === undefined || isValidSchema(one));
}

const objectSchema = toolRule(
  {
    id: 'object-schema',
    statement: "A tool's schema must describe an object, without `oneOf`, `allOf` or `anyOf` at its top level.",
    source: { url: `${ISSUES}/anthropics/claude-code/issues/5973`, checked: CHECKED },
    examples: {
      refused: [
        declaring({ name: 'f' }),
        schema({ properties: {} }),
        schema({ type: 'string' }),
        schema({ type: 'object', anyOf: [{ required: ['a'] }] }),
      ],
    },
  },
  ({ input_schema: input }, at) => {
    if (!isObject(input)) return `tools.${at}.custom.input_schema: Field required`;
    if (input.type === undefined) return `tools.${at}.custom.input_schema.type: Field required`;
    if (input.type !== 'object') return `tools.${at}.custom.input_schema.type: Input should be 'object'`;
    return ['oneOf', 'allOf', 'anyOf'].some((name) => input[name] !== undefined)
      ? `tools.${at}.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`
      : null;
  },
);

const validSchema = toolRule(
  {
    id: 'valid-schema',
    statement: "A tool's schema must be valid in JSON Schema draft 2020-12.",
    source: { url: `${ISSUES}/anthropics/claude-code/issues/586`, checked: CHECKED },
    examples: {
      refused: [
        schema({ type: 'object', properties: { a: { type: 'any' } } }),
        schema({ type: 'object', properties: { a: { type: 'string', required: true } } }),
        schema({ type: 'object', properties: { a: { type: 'number', exclusiveMinimum: true } } }),
      ],
    },
  },
  ({ input_schema: input }, at) =>
    isValidSchema(input)
      ? null
      : `tools.${at}.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12`,
);

const propertyKeys = toolRule(
  {
    id: 'property-keys',
    statement: 'Argument names must have at most 64 letters, digits, `_`, `.` and `-`.',
    source: { url: `${ISSUES}/beautyfree/appstore-connect-mcp/issues/2`, checked: CHECKED },
    examples: { refused: [schema({ type: 'object', properties: { 'filter[id]': {} } })] },
  },
  ({ input_schema: input }, at) =>
    Object.keys(asObject(asObject(input).properties)).every((key) => /^[a-zA-Z0-9_.-]{1,64}$/.test(key))
      ? null
      : `tools.${at}.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'`,
);

const strictTools: Rule = {
  id: 'strict-tools',
  statement: 'A request must have at most 20 strict tools.',
  source: { url: 'recordings/anthropic/messages/042-twenty-one-strict-tools-are-rejected.json', checked: CHECKED },
  refuses: (request) => {
    const { length } = toolsOf(request).filter(({ strict }) => strict === true);
    return length > 20
      ? `Too many strict tools (${length}). The maximum number of strict tools supported is 20. Try reducing the number of tools marked as strict.`
      : null;
  },
  examples: {
    refused: [
      declaring(
        ...Array.from({ length: 21 }, (_, at) =>
          tool({
            name: `f${at}`,
            strict: true,
            input_schema: { type: 'object', properties: {}, additionalProperties: false },
          }),
        ),
      ),
    ],
  },
};

/** Returns the schemas that become grammars: those of strict tools and of the response. */
function grammars(request: Parameters<Rule['refuses']>[0]): readonly unknown[] {
  const format = asObject(asObject(bodyOf(request).output_config).format);
  return [
    ...toolsOf(request)
      .filter(({ strict }) => strict === true)
      .map((one) => one.input_schema),
    ...(format.schema === undefined ? [] : [format.schema]),
  ];
}

export function schemasIn(value: unknown): readonly Wire[] {
  if (Array.isArray(value)) return value.flatMap(schemasIn);
  if (!isObject(value)) return [];
  const { properties, items, anyOf, allOf, $defs, definitions } = value;
  return [
    value,
    ...schemasIn([
      ...Object.values(asObject(properties)),
      items,
      anyOf,
      allOf,
      ...Object.values(asObject($defs)),
      ...Object.values(asObject(definitions)),
    ]),
  ];
}

const unions: Rule = {
  id: 'unions',
  statement: 'All strict tools together must have at most 16 parameters with more than one type.',
  source: { url: 'recordings/anthropic/messages/041-seventeen-union-parameters-are-rejected.json', checked: CHECKED },
  refuses: (request) => {
    const { length } = grammars(request)
      .flatMap(schemasIn)
      .filter(({ type, anyOf }) => Array.isArray(type) || Array.isArray(anyOf));
    return length > 16
      ? `Schemas contains too many parameters with union types (${length} parameters with type arrays or anyOf). This causes exponential compilation cost. Reduce the number of nullable or union-typed parameters (limit: 16 parameters with unions).`
      : null;
  },
  examples: {
    refused: [
      declaring(
        tool({
          strict: true,
          input_schema: {
            ...{ type: 'object', additionalProperties: false },
            properties: Object.fromEntries(
              Array.from({ length: 17 }, (_, at) => [`a${at}`, { type: ['string', 'null'] }]),
            ),
          },
        }),
      ),
    ],
  },
};

export const LIMITS = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'maxItems',
  'uniqueItems',
  'pattern',
  'minProperties',
  'maxProperties',
  'oneOf',
  'patternProperties',
];

const closedSchemas: Rule = {
  id: 'closed-schemas',
  statement:
    'Schemas of strict tools and responses must have objects with `additionalProperties: false`, and no limits on numbers, lengths and counts.',
  source: { url: 'https://github.com/BerriAI/litellm/pull/29624', checked: CHECKED },
  refuses: (request) => {
    for (const one of grammars(request).flatMap(schemasIn)) {
      if (one.type === 'object' && one.additionalProperties !== false)
        return "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false";
      const limit = LIMITS.find((name) => one[name] !== undefined);
      if (limit !== undefined)
        return `output_config.format.schema: For '${String(one.type)}' type, property '${limit}' is not supported`;
    }
    return null;
  },
  examples: {
    refused: [
      {
        ...having({ output_config: { format: { type: 'json_schema', schema: { type: 'object', properties: {} } } } }),
        model: 'claude-sonnet-4-6',
      },
      {
        ...having({
          output_config: {
            format: {
              type: 'json_schema',
              schema: {
                type: 'object',
                additionalProperties: false,
                properties: { a: { type: 'integer', minimum: 1 } },
              },
            },
          },
        }),
        model: 'claude-sonnet-4-6',
      },
    ],
  },
};

const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];
const BEGINNINGS: readonly (readonly [string, string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
];
const imageOf = (media_type: string, data = 'iVBORw0KGgo=') =>
  saying(user([{ type: 'image', source: { type: 'base64', media_type, data } }, text()]));

const images: Rule = {
  id: 'images',
  statement: 'An image must be JPEG, PNG, GIF or WebP, with the matching media type.',
  source: { url: `${ISSUES}/vybestack/llxprt-code/issues/2130`, checked: CHECKED },
  refuses: (request) => {
    for (const { block, path } of allBlocks(request)) {
      const { type, media_type: label, data } = asObject(block.source);
      if (block.type !== 'image' || type !== 'base64') continue;
      if (!IMAGE_TYPES.includes(String(label)))
        return `${path}.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`;
      const real = BEGINNINGS.find(([beginning]) => String(data).startsWith(beginning))?.[1];
      if (real !== undefined && real !== label)
        return `${path}.image.source.base64: The image was specified using the ${String(label)} media type, but the image appears to be a ${real} image`;
    }
    return null;
  },
  examples: {
    refused: [imageOf('image/jpg', '/9j/4AAQ'), imageOf('image/bmp', 'Qk0='), imageOf('image/jpeg')],
    accepted: [imageOf('image/png')],
  },
};

function marksIn(request: Parameters<Rule['refuses']>[0]): readonly { ttl: unknown; block: Wire }[] {
  const blocks = [
    ...toolsOf(request),
    ...blocksIn(bodyOf(request).system),
    ...allBlocks(request).map(({ block }) => block),
  ];
  return blocks.flatMap((block) =>
    isObject(block.cache_control) ? [{ ttl: block.cache_control.ttl ?? '5m', block }] : [],
  );
}

const marked = (ttl?: string) => text('Hi', { cache_control: { type: 'ephemeral', ...(ttl && { ttl }) } });

const mostMarks: Rule = {
  id: 'most-cache-marks',
  statement: 'A request must have at most four blocks with `cache_control`.',
  source: { url: 'https://platform.claude.com/docs/en/build-with-claude/prompt-caching', checked: CHECKED },
  refuses: (request) => {
    const { length } = marksIn(request);
    return length > 4 ? `A maximum of 4 blocks with cache_control may be provided. Found ${length}.` : null;
  },
  examples: {
    refused: [saying(user([marked(), marked(), marked(), marked(), marked()]))],
    accepted: [saying(user([marked(), marked()]))],
  },
};

const markOrder: Rule = {
  id: 'cache-mark-order',
  statement: 'One-hour cache marks must precede five-minute ones.',
  source: { url: 'https://platform.claude.com/docs/en/build-with-claude/prompt-caching', checked: CHECKED },
  refuses: (request) => {
    const ttls = marksIn(request).map(({ ttl }) => ttl);
    const short = ttls.indexOf('5m');
    return short >= 0 && ttls.lastIndexOf('1h') > short
      ? "cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block."
      : null;
  },
  examples: {
    refused: [saying(user([marked('5m'), marked('1h')]))],
    accepted: [saying(user([marked('1h'), marked()]))],
  },
};

const unmarkable: Rule = {
  id: 'unmarkable-blocks',
  statement: 'Thinking and empty texts must not have `cache_control`.',
  source: { url: 'https://platform.claude.com/docs/en/build-with-claude/prompt-caching', checked: CHECKED },
  refuses: (request) =>
    marksIn(request).some(({ block }) => block.type === 'thinking' || block.type === 'redacted_thinking')
      ? 'cache_control: Extra inputs are not permitted on thinking blocks'
      : null,
  examples: {
    refused: [
      saying(
        user(),
        {
          role: 'assistant',
          content: [
            {
              type: 'thinking',
              thinking: 'x',
              signature: Buffer.from('signature').toString('base64'),
              cache_control: { type: 'ephemeral' },
            },
            text(),
          ],
        },
        user(),
      ),
    ],
  },
};

export const toolRules: readonly Rule[] = [
  names,
  uniqueNames,
  objectSchema,
  validSchema,
  propertyKeys,
  strictTools,
  unions,
  closedSchemas,
];
export const blockRules: readonly Rule[] = [images, mostMarks, markOrder, unmarkable];
