import { asArray, asObject, isObject, type JsonObject } from '../../shared/json.ts';
import type { Example, ReceivedRequest, Rule } from '../rule.ts';
import {
  bodyOf,
  CHECKED,
  configOf,
  declarationsOf,
  declaring,
  FAMILY_2,
  FAMILY_3,
  firstProblem,
  hasBuiltIn,
  schemasIn,
  unknownName,
} from './reading.ts';

const NAME = /^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$/;

const names: Rule = {
  id: 'function-names',
  statement:
    "A function's name must begin with a letter or an underscore, and have at most 64 letters, digits, underscores, dots, colons and dashes.",
  source: { url: 'https://github.com/kaitranntt/ccs/issues/25', checked: CHECKED },
  refuses(request) {
    const wrong = declarationsOf(request).find(({ declaration }) => !NAME.test(String(declaration.name)));
    return wrong === undefined
      ? null
      : `The GenerateContentRequest proto is invalid:\n  * ${wrong.path}.name: [FIELD_INVALID] Invalid function name. Must start with a letter or an underscore. Must be a-z, A-Z, 0-9, or contain underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.`;
  },
  examples: {
    refused: [declaring({ name: '1f' }), declaring({ name: 'a b' }), declaring({ name: 'x'.repeat(65) })],
    accepted: [declaring({ name: 'mcp__server:get.it-now' })],
  },
};

const duplicates: Rule = {
  id: 'duplicate-functions',
  statement: 'Function names must be unique.',
  source: { url: 'https://github.com/googleapis/dotnet-genai/issues/189', checked: CHECKED },
  refuses(request) {
    const seen = new Set<unknown>();
    for (const { declaration } of declarationsOf(request)) {
      if (seen.has(declaration.name)) return `Duplicate function declaration found: ${String(declaration.name)}`;
      seen.add(declaration.name);
    }
    return null;
  },
  examples: {
    refused: [{ body: { tools: [1, 2].map(() => ({ functionDeclarations: [{ name: 'f', description: 'd' }] })) } }],
  },
};

/** The published document's `Schema`. */
const SCHEMA_MEMBERS: ReadonlySet<string> = new Set([
  ...['type', 'format', 'title', 'description', 'nullable', 'enum', 'items', 'maxItems', 'minItems', 'properties'],
  ...['required', 'minProperties', 'maxProperties', 'minimum', 'maximum', 'minLength', 'maxLength', 'pattern'],
  ...['example', 'anyOf', 'propertyOrdering', 'default'],
]);

/** Returns Google's own schemas of a request: those of functions and of the response. */
function ownSchemas(request: ReceivedRequest): { schema: JsonObject; path: string }[] {
  const roots = [
    ...declarationsOf(request).map(({ declaration, path }) => ({
      schema: declaration.parameters,
      at: `${path}.parameters`,
    })),
    { schema: configOf(request).responseSchema, at: 'generation_config.response_schema' },
  ];
  return roots.flatMap(({ schema, at }) => [...schemasIn(schema, at)]);
}

const ownKeywords: Rule = {
  id: 'schema-keywords',
  statement:
    '`parameters` and `responseSchema` must have only fields of `Schema`: `$schema`, `$ref`, `const`, `oneOf`, `additionalProperties`, `uniqueItems` and others are refused.',
  source: { url: 'https://github.com/zed-industries/zed/issues/44875', checked: CHECKED },
  refuses(request) {
    return firstProblem(ownSchemas(request), ({ schema, path }) => {
      const unknown = Object.keys(schema).find((key) => !SCHEMA_MEMBERS.has(key));
      return unknown === undefined ? null : unknownName(unknown, path);
    });
  },
  examples: {
    refused: ['$schema', 'const', 'oneOf', 'uniqueItems', '$ref'].map((keyword) =>
      declaring({ parameters: { type: 'OBJECT', properties: { a: { type: 'STRING', [keyword]: 'x' } } } }),
    ) as never,
    accepted: [declaring({ parameters: { type: 'OBJECT', properties: { const: { type: 'STRING' } } } })],
  },
};

const ownTypes: Rule = {
  id: 'schema-type-lists',
  statement: '`type` in `parameters` and `responseSchema` must be a string rather than a list.',
  source: { url: 'https://github.com/taylorwilsdon/google_workspace_mcp/issues/1099', checked: CHECKED },
  refuses: (request) =>
    ownSchemas(request).some(({ schema }) => Array.isArray(schema.type))
      ? 'Proto field is not repeating, cannot start list.'
      : null,
  examples: {
    refused: [
      declaring({ parameters: { type: 'OBJECT', properties: { a: { type: ['STRING', 'NULL'] } } } }),
      { body: { generationConfig: { responseMimeType: 'application/json', responseSchema: { type: ['OBJECT'] } } } },
    ],
  },
};

const oneSchema: Rule = {
  id: 'one-schema',
  statement: '`parameters` and `parametersJsonSchema` are mutually exclusive, as are the two response schemas.',
  source: { url: 'specs/gemini-v1beta.openapi.json#FunctionDeclaration.parametersJsonSchema', checked: CHECKED },
  refuses(request) {
    const { responseSchema, responseJsonSchema } = configOf(request);
    const isDouble =
      (responseSchema !== undefined && responseJsonSchema !== undefined) ||
      declarationsOf(request).some(
        ({ declaration }) => declaration.parameters !== undefined && declaration.parametersJsonSchema !== undefined,
      );
    return isDouble ? 'parameters and parameters_json_schema are mutually exclusive.' : null;
  },
  examples: {
    refused: [declaring({ parameters: { type: 'OBJECT' }, parametersJsonSchema: { type: 'object' } })],
  },
};

/**
 * Returns every schema within the JSON schemas of a request, with the root that holds its definitions and its
 * path below the root.
 */
function allJsonSchemas(request: ReceivedRequest) {
  const declared = declarationsOf(request).map(({ declaration }) => declaration.parametersJsonSchema);
  const roots = [...declared, configOf(request).responseJsonSchema].filter(isObject);
  return roots.flatMap((root) =>
    [...schemasIn(root, '')].map(({ schema, path }) => ({ root, schema, path: path.slice(1) })),
  );
}

const siblings: Rule = {
  id: 'reference-siblings',
  statement: 'Next to a `$ref`, a JSON schema must have only fields that begin with `$`.',
  source: { url: 'https://github.com/google-gemini/gemini-cli/issues/4758', checked: CHECKED },
  refuses(request) {
    return firstProblem(allJsonSchemas(request), ({ schema, path }) =>
      schema.$ref === undefined || Object.keys(schema).every((key) => key.startsWith('$'))
        ? null
        : `schema at ${path} can only contain properties starting with '$' when $ref is present`,
    );
  },
  examples: {
    refused: [
      declaring({
        parametersJsonSchema: {
          ...{ type: 'object', properties: { a: { $ref: '#/$defs/A', description: 'd' } } },
          $defs: { A: { type: 'string' } },
        },
      }),
    ],
    accepted: [
      declaring({
        parametersJsonSchema: {
          ...{ type: 'object', properties: { a: { $ref: '#/$defs/A' } } },
          $defs: { A: { type: 'string' } },
        },
      }),
    ],
  },
};

const references: Rule = {
  id: 'references',
  statement: "A `$ref` in a JSON schema must refer to one of the root's `$defs`.",
  source: { url: 'https://github.com/google-gemini/gemini-cli/issues/13326', checked: CHECKED },
  refuses(request) {
    return firstProblem(allJsonSchemas(request), ({ schema: { $ref: reference }, root, path }) => {
      if (reference === undefined || reference === '#') return null;
      const [, name = ''] = /^#\/\$defs\/([^/]+)$/.exec(String(reference)) ?? [];
      return Object.hasOwn(asObject(asObject(root).$defs), name) ? null : `reference to undefined schema at ${path}`;
    });
  },
  examples: {
    refused: ['#/definitions/A', '#/properties/a', '#/$defs/B'].map(($ref) =>
      declaring({
        parametersJsonSchema: {
          ...{ type: 'object', properties: { a: { type: 'string' }, b: { $ref } } },
          ...{ $defs: { A: { type: 'string' } }, definitions: { A: { type: 'string' } } },
        },
      }),
    ) as never,
  },
};

const objectRoot: Rule = {
  id: 'object-parameters',
  statement: '`parametersJsonSchema` must describe an object.',
  source: { url: 'specs/gemini-v1beta.openapi.json#FunctionDeclaration.parametersJsonSchema', checked: CHECKED },
  refuses(request) {
    const wrong = declarationsOf(request).find(
      ({ declaration: { parametersJsonSchema: schema } }) => schema !== undefined && asObject(schema).type !== 'object',
    );
    return wrong === undefined ? null : `${wrong.path}.parameters_json_schema: schema must be of type object.`;
  },
  examples: {
    refused: [declaring({ parametersJsonSchema: {} }), declaring({ parametersJsonSchema: { type: 'string' } })],
  },
};

const FUNCTIONS_AND_SEARCH: Example = {
  body: { tools: [{ functionDeclarations: [{ name: 'f', description: 'd' }] }, { googleSearch: {} }] },
};

const combined: Rule = {
  id: 'search-with-functions',
  statement: "Google's own tools and functions are mutually exclusive.",
  family: FAMILY_2,
  source: { url: 'https://github.com/symfony/ai/issues/803', checked: CHECKED },
  refuses: (request) =>
    hasBuiltIn(request) && declarationsOf(request).length > 0 ? 'Tool use with function calling is unsupported' : null,
  examples: { refused: [FUNCTIONS_AND_SEARCH] },
};

/** Google itself only; Vertex AI does not know the member. */
export const combinedWithFlag: Rule = {
  id: 'search-with-functions-flag',
  statement: "Google's own tools together with functions require `toolConfig.includeServerSideToolInvocations`.",
  family: FAMILY_3,
  source: { url: 'https://github.com/cloudwego/eino-ext/issues/761', checked: CHECKED },
  refuses: (request) =>
    hasBuiltIn(request) &&
    declarationsOf(request).length > 0 &&
    asObject(bodyOf(request).toolConfig).includeServerSideToolInvocations !== true
      ? 'Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function calling.'
      : null,
  examples: {
    refused: [FUNCTIONS_AND_SEARCH],
    accepted: [{ body: { ...FUNCTIONS_AND_SEARCH.body, toolConfig: { includeServerSideToolInvocations: true } } }],
  },
};

export const noFlag: Rule = {
  id: 'no-search-with-functions-flag',
  statement: '`toolConfig.includeServerSideToolInvocations` is refused.',
  source: { url: 'https://github.com/strands-agents/harness-sdk/pull/3646', checked: CHECKED },
  refuses: (request) =>
    asObject(bodyOf(request).toolConfig).includeServerSideToolInvocations === undefined
      ? null
      : 'Invalid JSON payload received. Unknown name "includeServerSideToolInvocations" at \'tool_config\': Cannot find field.',
  examples: { refused: [{ body: { toolConfig: { includeServerSideToolInvocations: true } } }] },
};

const JSON_ANSWER = { generationConfig: { responseMimeType: 'application/json' } };

const jsonWithFunctions: Rule = {
  id: 'json-with-functions',
  statement: 'A JSON response type cannot be combined with functions.',
  family: FAMILY_2,
  source: { url: 'https://github.com/googleapis/python-genai/issues/867', checked: CHECKED },
  refuses: (request) =>
    configOf(request).responseMimeType === 'application/json' && declarationsOf(request).length > 0
      ? "Function calling with a response mime type: 'application/json' is unsupported"
      : null,
  examples: { refused: [declaring({}, JSON_ANSWER)] },
};

const jsonWithSearch: Rule = {
  id: 'json-with-search',
  statement: "A JSON response type cannot be combined with Google's own tools.",
  family: FAMILY_2,
  source: { url: 'https://github.com/csells/dartantic/issues/96', checked: CHECKED },
  refuses: (request) =>
    configOf(request).responseMimeType === 'application/json' && hasBuiltIn(request)
      ? "Tool use with a response mime type: 'application/json' is unsupported"
      : null,
  examples: { refused: [{ body: { tools: [{ googleSearch: {} }], ...JSON_ANSWER } }] },
};

const callingConfig: Rule = {
  id: 'calling-config',
  statement: '`tool_choice` requires functions.',
  source: { url: 'https://github.com/musistudio/claude-code-router/pull/1207', checked: CHECKED },
  refuses: (request) =>
    asObject(bodyOf(request).toolConfig).functionCallingConfig !== undefined && declarationsOf(request).length === 0
      ? 'Function calling config is set without function_declarations.'
      : null,
  examples: { refused: [{ body: { toolConfig: { functionCallingConfig: { mode: 'AUTO' } } } }] },
};

const allowedNames: Rule = {
  id: 'allowed-functions',
  statement: 'Allowed functions must be declared, and require the mode ANY or VALIDATED.',
  source: { url: 'specs/gemini-v1beta.openapi.json#FunctionCallingConfig.allowedFunctionNames', checked: CHECKED },
  refuses(request) {
    const calling = asObject(asObject(bodyOf(request).toolConfig).functionCallingConfig);
    const names = asArray(calling.allowedFunctionNames);
    if (names.length === 0) return null;
    if (calling.mode !== 'ANY' && calling.mode !== 'VALIDATED')
      return 'allowed_function_names should only be set when the function calling mode is ANY or VALIDATED.';
    const declared = new Set(declarationsOf(request).map(({ declaration }) => declaration.name));
    const unknown = names.find((name) => !declared.has(name as string));
    return unknown === undefined ? null : `allowed_function_names contains ${String(unknown)}, which is not declared.`;
  },
  examples: {
    refused: [
      declaring({}, { toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['g'] } } }),
      declaring({}, { toolConfig: { functionCallingConfig: { mode: 'AUTO', allowedFunctionNames: ['f'] } } }),
    ],
    accepted: [declaring({}, { toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } } })],
  },
};

export const toolRules: readonly Rule[] = [
  ...[names, duplicates, ownKeywords, ownTypes, oneSchema, siblings, references, objectRoot, combined],
  ...[jsonWithFunctions, jsonWithSearch, callingConfig, allowedNames],
];
