import type { FunctionTool, HostedTool, Tool, ToolChoice, WebSearchTool } from '../../../domain/exchange/request.ts';
import { exactOf } from '../../shared/json/exact-json.ts';
import { isRecord } from '../../shared/json/record.ts';
import { enumName, joinPath, ObjectReader } from './decoding.ts';
import { type JsonSchema, jsonSchemaOf, remember } from './json-schema.ts';
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
