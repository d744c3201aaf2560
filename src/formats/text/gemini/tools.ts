import type { Losses } from '../../../domain/exchange/loss.ts';
import { markPath } from '../../../domain/exchange/part.ts';
import type {
  ExchangeRequest,
  FunctionTool,
  HostedTool,
  Tool,
  ToolChoice,
  WebSearchTool,
} from '../../../domain/exchange/request.ts';
import { exactOf, numberOfExact, objectInOrder } from '../../shared/json/exact-json.ts';
import { addMembers, entryOf, isRecord, setMember } from '../../shared/json/record.ts';
import type { EncodeTarget } from '../format.ts';
import { withPlainReferences } from '../shared/schema-references.ts';
import { enumName, joinPath, numberOf, ObjectReader, type WireObject } from './decoding.ts';
import type { WireDraft } from './encoding.ts';
import { FORMAT } from './schema.ts';

const SEARCHES: ReadonlySet<string> = new Set([
  'googleSearch',
  'google_search',
  'googleSearchRetrieval',
  'google_search_retrieval',
]);

const ONLY_GEMINI = 'only Gemini supports this';

/** Returns the tools of a client's request: one tool for each declaration, and one for each of Google's own tools. */
export function decodeTools(body: ObjectReader): readonly Tool[] {
  const path = body.pathOf('tools');
  const value = body.get('tools');
  // The document requires an array. A single object is accepted as well, as in the JSON mapping of protocol buffers.
  const list = Array.isArray(value) ? value : isRecord(value) ? [value] : [];
  return list.flatMap((tool, index) =>
    isRecord(tool) ? decodeTool(new ObjectReader(tool, `${path}[${index}]`, body.rest)) : [],
  );
}

function decodeTool(tool: ObjectReader): readonly Tool[] {
  const declarations = tool.list('functionDeclarations');
  const path = tool.pathOf('functionDeclarations');
  const functions = declarations.flatMap((declaration, index) =>
    isRecord(declaration) ? [decodeFunction(new ObjectReader(declaration, `${path}[${index}]`, tool.rest))] : [],
  );
  const own = Object.entries(tool.value).flatMap(([key, value]): readonly Tool[] => {
    if (value === null || key === 'functionDeclarations' || key === 'function_declarations') return [];
    const path = joinPath(tool.path, key);
    if (SEARCHES.has(key) && isRecord(value)) keepSearchOptions(new ObjectReader(value, path, tool.rest));
    return [decodeHosted(key, value, path)];
  });
  return [...functions, ...own];
}

/** Options that only Google's search has. They go back with the tool itself, or are reported as lost. */
function keepSearchOptions(search: ObjectReader): void {
  search.keepForGemini('timeRangeFilter', 'refused', 'no other search takes a time range');
  search.keepForGemini('dynamicRetrievalConfig', 'dropped', 'other models decide when to search');
  search.finish();
}

function decodeFunction(declaration: ObjectReader): FunctionTool {
  const tool: FunctionTool = {
    type: 'function',
    name: declaration.text('name') ?? '',
    description: declaration.text('description'),
    parameters: schemaIn(declaration, 'parameters', 'parametersJsonSchema'),
    strict: null,
    path: declaration.path,
  };
  declaration.keepForGemini('response', 'dropped', ONLY_GEMINI);
  declaration.keepForGemini('responseJsonSchema', 'dropped', ONLY_GEMINI);
  declaration.keepForGemini('behavior', 'dropped', ONLY_GEMINI);
  declaration.finish();
  return tool;
}

/** Returns a schema in Google's form or as JSON Schema, whichever the client sent. */
export function schemaIn(owner: ObjectReader, own: string, json: string): JsonSchema | null {
  const plain = owner.get(json);
  if (isRecord(plain)) return remember(exactOf(plain), { member: json, value: exactOf(plain) });
  const schema = owner.get(own);
  return isRecord(schema) ? remember(jsonSchemaOf(exactOf(schema)), { member: own, value: exactOf(schema) }) : null;
}

function decodeHosted(key: string, value: unknown, path: string): WebSearchTool | HostedTool {
  const raw = { format: FORMAT, value: { [key]: value } };
  if (!SEARCHES.has(key)) return { type: 'hosted', name: key, raw, path };
  return {
    type: 'web-search',
    allowedDomains: null,
    blockedDomains: null,
    maxUses: null,
    userLocation: null,
    contextSize: null,
    raw,
    path,
  };
}

/** Mode in the order of its numbers. */
const MODES = ['MODE_UNSPECIFIED', 'AUTO', 'ANY', 'NONE', 'VALIDATED'];

const NO_EQUAL = 'no other format has this mode; it is sent as a free choice';
const NOT_LIMITED = 'names limit the choice in the modes ANY and VALIDATED only';

export function decodeToolChoice(body: ObjectReader): ToolChoice | null {
  const config = body.object('toolConfig');
  if (config === null) return null;
  const calling = config.object('functionCallingConfig');
  config.keepForGemini('retrievalConfig', 'dropped', ONLY_GEMINI);
  config.finish();
  if (calling === null) return null;
  const choice = choiceOf(calling);
  calling.finish();
  return choice;
}

function choiceOf(calling: ObjectReader): ToolChoice | null {
  const mode = enumName(calling.get('mode'), MODES);
  const names = calling.list('allowedFunctionNames').filter((name) => typeof name === 'string');
  const [only] = names;
  if (mode === 'ANY') {
    if (only === undefined) return { mode: 'required' };
    return names.length === 1 ? { mode: 'tool', name: only } : { mode: 'allowed', names, required: true };
  }
  if (mode === 'VALIDATED' && only !== undefined) return { mode: 'allowed', names, required: false };
  if (names.length > 0) calling.keepForGemini('allowedFunctionNames', 'dropped', NOT_LIMITED);
  if (mode === 'NONE') return { mode: 'none' };
  if (mode === 'AUTO') return { mode: 'auto' };
  if (mode === null || mode === 'MODE_UNSPECIFIED') return null;
  calling.keepForGemini('mode', 'approximated', NO_EQUAL);
  return { mode: 'auto' };
}

/*
 * Converts Google's `Schema` (types in capitals, `nullable`, numbers as text) to JSON Schema for other formats. The client's
 * original value is attached under a symbol, which no serialiser writes, so that an upstream of this format gets it
 * unchanged.
 */

const ORIGINAL = Symbol('the schema as a Gemini client sent it');

/** The member that held the schema, and its value. */
interface OriginalSchema {
  readonly member: string;
  readonly value: unknown;
}

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Returns the original form of a Gemini client's schema; `undefined` for other clients. */
export function originalOf(schema: JsonSchema): OriginalSchema | undefined {
  // The symbol is private to this module, so its value is always the one that `remember` stored.
  return (schema as { readonly [ORIGINAL]?: OriginalSchema })[ORIGINAL];
}

function remember(schema: JsonSchema, original: OriginalSchema): JsonSchema {
  return Object.defineProperty({ ...schema }, ORIGINAL, { value: original, enumerable: false });
}

/** Type in the order of its numbers. */
const TYPES = ['TYPE_UNSPECIFIED', 'STRING', 'NUMBER', 'INTEGER', 'BOOLEAN', 'ARRAY', 'OBJECT', 'NULL'];

/** The JSON of protocol buffers has 64-bit numbers as text. */
const COUNTS: ReadonlySet<string> = new Set([
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'minLength',
  'maxLength',
]);

const CAMEL: Readonly<Record<string, string>> = {
  any_of: 'anyOf',
  max_items: 'maxItems',
  min_items: 'minItems',
  min_properties: 'minProperties',
  max_properties: 'maxProperties',
  min_length: 'minLength',
  max_length: 'maxLength',
  property_ordering: 'propertyOrdering',
  additional_properties: 'additionalProperties',
};

/** Converts Google's Schema to JSON Schema. A plain JSON Schema, which many clients send instead, stays unchanged. */
function jsonSchemaOf(schema: WireObject): JsonSchema {
  const result: Record<string, unknown> = {};
  for (const key in schema) {
    const value = schema[key];
    const name = entryOf(CAMEL, key) ?? key;
    if (value === null || value === undefined || name === 'nullable' || (name === 'type' && isUnspecified(value)))
      continue;
    setMember(result, name, memberOfSchema(name, value));
  }
  // Google's own mark for a string with `enum`; JSON Schema has no such format.
  if (result.format === 'enum') delete result.format;
  return schema.nullable === true ? orNull(result) : result;
}

function memberOfSchema(name: string, value: unknown): unknown {
  if (name === 'type') return Array.isArray(value) ? value.map(typeOf) : typeOf(value);
  if (name === 'properties' || name === '$defs' || name === 'definitions')
    return isRecord(value) ? mapped(value) : value;
  if (name === 'items' || name === 'additionalProperties') return isRecord(value) ? jsonSchemaOf(value) : value;
  if (name === 'anyOf' || name === 'oneOf' || name === 'allOf' || name === 'prefixItems') {
    return Array.isArray(value) ? value.map((branch) => (isRecord(branch) ? jsonSchemaOf(branch) : branch)) : value;
  }
  return COUNTS.has(name) ? (numberOf(value) ?? value) : value;
}

function mapped(schemas: WireObject): WireObject {
  return objectInOrder(
    Object.entries(schemas).map(([key, schema]) => [key, isRecord(schema) ? jsonSchemaOf(schema) : schema]),
  );
}

/** Returns whether the type is the zero value of the enum, which means that no type is set. */
function isUnspecified(type: unknown): boolean {
  return nameOfType(type) === TYPES[0];
}

function typeOf(value: unknown): unknown {
  return nameOfType(value)?.toLowerCase() ?? value;
}

/** Returns the type's name; its number may be written as `6.0`, as serialisers of floating-point numbers do. */
function nameOfType(value: unknown): string | null {
  return enumName(numberOfExact(value), TYPES);
}

function orNull(schema: Record<string, unknown>): JsonSchema {
  const { type } = schema;
  if (typeof type === 'string') {
    const values = schema.enum;
    return { ...schema, type: [type, 'null'], ...(Array.isArray(values) ? { enum: [...values, null] } : {}) };
  }
  return Array.isArray(schema.anyOf) ? { ...schema, anyOf: [...schema.anyOf, { type: 'null' }] } : schema;
}

// ---- to an upstream

export class ToolsEncoder {
  private readonly tools: WireDraft[] = [];
  private lastKey: string | null = null;

  constructor(
    private readonly request: ExchangeRequest,
    private readonly losses: Losses,
    private readonly placed: Map<string, WireDraft>,
  ) {}

  encode(): readonly WireDraft[] {
    const { losses } = this;
    for (const tool of this.request.tools) {
      switch (tool.type) {
        case 'function':
          if (losses.carry('function-tools', tool.path)) this.addFunction(tool);
          break;
        case 'custom':
          losses.carry('custom-tools', tool.path);
          break;
        case 'web-search':
          if (tool.raw.format === FORMAT) this.addOwn(tool);
          else if (losses.carry('web-search', tool.path)) {
            this.addOwn({
              raw: { value: { googleSearch: {} } },
              ...(tool.path === undefined ? {} : { path: tool.path }),
            });
            this.noteSearchOptions(tool);
          }
          break;
        case 'hosted':
          if (tool.raw.format === FORMAT) this.addOwn(tool);
          else losses.carry('hosted-tools', tool.path);
          break;
      }
    }
    return this.tools;
  }

  private noteSearchOptions(tool: ExchangeRequest['tools'][number] & { readonly type: 'web-search' }): void {
    const field = tool.path ?? 'tools';
    const note = (verdict: 'dropped' | 'refused', why: string) => this.losses.note({ field, verdict, why });
    if (tool.allowedDomains?.length || tool.blockedDomains?.length) {
      note('refused', "Google's search cannot be limited to domains");
    }
    if (tool.maxUses !== null) note('dropped', "Google's search has no option to limit its uses");
    if (tool.userLocation !== null) note('dropped', "Google's search does not accept a location by name");
    if (tool.contextSize !== null) note('dropped', "Google's search has no context size");
  }

  private addFunction(tool: FunctionTool): void {
    const { name, description, path } = tool;
    if (tool.strict === true) this.losses.carry('strict-tools', `${path ?? 'tools'}.strict`);
    if (tool.cache !== undefined) this.losses.carry('cache-marks', markPath(tool));
    if (tool.rest !== undefined && this.request.format !== FORMAT) this.losses.noteRest(tool.rest);
    const declaration: WireDraft = {
      name,
      // The document requires the member. In protocol buffers an empty text is the same as a missing one.
      ...(description !== null || this.request.format !== FORMAT ? { description: description ?? '' } : {}),
      ...(tool.parameters === null ? {} : this.encodeParameters(tool.parameters, path ?? 'tools')),
    };
    if (path !== undefined) this.placed.set(path, declaration);
    const last = this.tools.at(-1);
    const key = this.request.format === FORMAT ? keyOf(path) : '';
    if (this.lastKey === key && isDraftList(last?.functionDeclarations)) {
      last.functionDeclarations.push(declaration);
      return;
    }
    if (this.lastKey === key && last !== undefined && key !== '') last.functionDeclarations = [declaration];
    else this.tools.push({ functionDeclarations: [declaration] });
    this.lastKey = key;
  }

  /** Encodes an object's schema, which the API requires; an absent type, or one combined with `null`, is equivalent here. */
  private encodeParameters(parameters: JsonSchema, path: string): WireDraft {
    const encoded = encodeSchema(parameters, 'parametersJsonSchema', `${path}.parameters`, this.losses);
    const { parametersJsonSchema: schema } = encoded;
    if (originalOf(parameters) !== undefined || !isRecord(schema) || schema.type === 'object') return encoded;
    const { type } = schema;
    const isObject = type === undefined || (Array.isArray(type) && type.includes('object'));
    return isObject ? { parametersJsonSchema: { ...schema, type: 'object' } } : encoded;
  }

  /** Puts a Gemini client's own tool back into the object that it came from. */
  private addOwn({ raw, path }: { readonly raw: { readonly value: unknown }; readonly path?: string }): void {
    if (!isRecord(raw.value)) return;
    const [value] = Object.values(raw.value);
    if (path !== undefined && isRecord(value)) this.placed.set(path, { ...value });
    const key = this.request.format === FORMAT ? keyOf(path) : 'own';
    const last = this.tools.at(-1);
    if (this.lastKey === key && last !== undefined && key !== 'own') addMembers(last, raw.value);
    else this.tools.push({ ...raw.value });
    this.lastKey = key;
  }
}

/** Returns the path of the tool object in a Gemini client's request. */
function keyOf(path: string | undefined): string {
  return /^.*?tools\[\d+\]/.exec(path ?? '')?.[0] ?? '';
}

function isDraftList(value: unknown): value is WireDraft[] {
  return Array.isArray(value);
}

/** Returns a Gemini client's schema in its original form; any other schema as JSON Schema, whose references the API restricts. */
export function encodeSchema(schema: JsonSchema, member: string, field: string, losses: Losses): WireDraft {
  const original = originalOf(schema);
  if (original !== undefined) return { [original.member]: original.value };
  const { schema: plain, lost } = withPlainReferences(schema);
  for (const reference of lost) {
    const why = `the reference ${reference.slice(0, 100)} does not resolve in the schema, so any value is allowed there`;
    losses.note({ field, verdict: 'approximated', why });
  }
  return { [member]: plain };
}

/** The path by which a provider's quirk says that it does not know this member. */
const COMBINING = 'toolConfig.includeServerSideToolInvocations';

export function encodeToolConfig(request: ExchangeRequest, { quirks }: EncodeTarget): WireDraft | null {
  const { toolChoice, tools, format } = request;
  const hasFunctions = tools.some(({ type }) => type === 'function');
  // The API refuses a tool choice without functions.
  const isChosen = toolChoice !== null && (format === FORMAT || hasFunctions);
  const isCombined =
    format !== FORMAT &&
    hasFunctions &&
    tools.some(({ type }) => type === 'web-search') &&
    !quirks.some((quirk) => quirk.kind === 'omit' && quirk.field === COMBINING);
  if (!isChosen && !isCombined) return null;
  return {
    ...(isChosen ? { functionCallingConfig: callingConfig(toolChoice) } : {}),
    ...(isCombined ? { includeServerSideToolInvocations: true } : {}),
  };
}

function callingConfig(choice: ToolChoice): WireDraft {
  switch (choice.mode) {
    case 'auto':
      return { mode: 'AUTO' };
    case 'none':
      return { mode: 'NONE' };
    case 'required':
      return { mode: 'ANY' };
    case 'tool':
      return { mode: 'ANY', allowedFunctionNames: [choice.name] };
    case 'allowed':
      // VALIDATED allows the model to answer in text, and limits the functions in the same way as ANY.
      return { mode: choice.required ? 'ANY' : 'VALIDATED', allowedFunctionNames: [...choice.names] };
  }
}
