import type { Losses } from '../../../domain/exchange/loss.ts';
import { markPath } from '../../../domain/exchange/part.ts';
import type { ExchangeRequest, FunctionTool } from '../../../domain/exchange/request.ts';
import { isRecord } from '../../shared/json/record.ts';
import { withFlatTop } from '../shared/flat-schema.ts';
import { cachePoint } from './content.encode.ts';
import { type Block, closedSchema, type Encoding } from './encoding.ts';
import type { Conversation } from './messages.encode.ts';

interface ToolConfig {
  readonly tools: readonly Block[];
  readonly toolChoice?: Block;
}

export function encodeTools(encoding: Encoding, { calledTools }: Conversation): ToolConfig | undefined {
  const { request, losses, dialect, additional } = encoding;
  const declared = declaredTools(encoding);
  const isNone = request.toolChoice?.mode === 'none';
  const tools = declared.flatMap((tool) => encodeTool(tool, encoding));
  if (tools.length === 0 || (isNone && !dialect.isClaude && calledTools.length === 0)) {
    const why = 'the Converse API cannot forbid declared tools, so they are left out';
    if (tools.length > 0) {
      noteAll(declared, why, losses);
      losses.note({ field: request.names['tool-choice'] ?? 'tool_choice', verdict: 'approximated', why });
    }
    if (calledTools.length === 0) return undefined;
  }
  if (tools.length === 0) {
    // The API refuses a conversation with tool calls if no tools are declared.
    tools.push(...calledTools.map(toolOfCall));
    if (dialect.isClaude) additional.tool_choice = { type: 'none' };
    return { tools };
  }
  if (!isNone) return { tools, ...encodeToolChoice(encoding) };
  if (dialect.isClaude) additional.tool_choice = { type: 'none' };
  else {
    const why = 'the Converse API cannot forbid tools that the conversation has used, so the model may call them again';
    losses.note({ field: request.names['tool-choice'] ?? 'tool_choice', verdict: 'approximated', why });
  }
  return { tools };
}

function noteAll(tools: readonly FunctionTool[], why: string, losses: Losses): void {
  for (const tool of tools) losses.note({ field: tool.path ?? 'tools', verdict: 'approximated', why });
}

/** Returns the function tools that may be called. Any other declared tool is noted as lost. */
function declaredTools({ request, losses }: Encoding): FunctionTool[] {
  const allowed = request.toolChoice?.mode === 'allowed' ? new Set(request.toolChoice.names) : null;
  const functions: FunctionTool[] = [];
  for (const tool of request.tools) {
    if (tool.type === 'custom') losses.carry('custom-tools', tool.path);
    else if (tool.type === 'web-search') losses.carry('web-search', tool.path);
    else if (tool.type === 'hosted') losses.carry('hosted-tools', tool.path);
    else if (allowed !== null && !allowed.has(tool.name)) {
      const why = 'only the allowed tools are declared to Bedrock';
      losses.note({ field: tool.path ?? 'tools', verdict: 'approximated', why });
    } else if (losses.carry('function-tools', tool.path)) functions.push(tool);
  }
  return functions;
}

const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

function encodeTool(tool: FunctionTool, encoding: Encoding): Block[] {
  const { losses } = encoding;
  const path = tool.path ?? 'tools';
  if (!TOOL_NAME.test(tool.name)) {
    const why = 'Bedrock tool names have up to 64 letters, digits, underscores and hyphens';
    losses.note({ field: `${path}.name`, verdict: 'refused', why });
  }
  if (tool.rest !== undefined) losses.noteRest(tool.rest);
  const isStrict = tool.strict === true && losses.carry('strict-tools', `${path}.strict`);
  const toolSpec = {
    name: tool.name,
    // The API refuses an empty description.
    ...(tool.description === null || tool.description === '' ? {} : { description: tool.description }),
    inputSchema: { json: inputSchema(tool, isStrict, `${path}.parameters`, encoding) },
    ...(isStrict ? { strict: true } : {}),
  };
  const isMarked = tool.cache !== undefined && losses.carry('cache-marks', markPath(tool));
  return isMarked && tool.cache !== undefined ? [{ toolSpec }, cachePoint(tool.cache)] : [{ toolSpec }];
}

const PROPERTY_KEY = /^[a-zA-Z0-9_.-]{1,64}$/;

/**
 * Returns the input schema. All models accept only an object's schema; Claude also requires no union at its top, and plain
 * argument names.
 */
function inputSchema(tool: FunctionTool, isStrict: boolean, field: string, { losses, dialect }: Encoding) {
  const asked = tool.parameters ?? {};
  const object = asked.type === 'object' ? asked : { ...asked, type: 'object' };
  const flat = dialect.isClaude ? withFlatTop(object) : object;
  if ((asked.type !== undefined && object !== asked) || flat !== object) {
    const why = 'the input of Bedrock tools is one object, so the rest of the schema goes in the description';
    losses.note({ field, verdict: 'approximated', why });
  }
  const { properties } = flat;
  const wrong = isRecord(properties) ? Object.keys(properties).find((key) => !PROPERTY_KEY.test(key)) : undefined;
  if (wrong !== undefined && dialect.isClaude) {
    const why = 'Claude’s argument names have up to 64 letters, digits, _, . and -';
    losses.note({ field: `${field}.properties.${wrong}`, verdict: 'refused', why });
  }
  const whole = properties === undefined ? { ...flat, properties: {} } : flat;
  return isStrict ? closedSchema(whole, field, losses) : whole;
}

function toolOfCall(name: string): Block {
  return { toolSpec: { name, inputSchema: { json: { type: 'object' } } } };
}

function encodeToolChoice(encoding: Encoding): { toolChoice?: Block } {
  const { request, losses, dialect, additional } = encoding;
  const toolChoice = choiceOf(request);
  if (request.parallelToolCalls !== false) return wrapped(toolChoice);
  if (!dialect.isClaude) {
    const field = request.names['parallel-tool-calls'] ?? 'parallel_tool_calls';
    losses.note({
      field,
      verdict: 'dropped',
      why: 'Bedrock can disable parallel tool calls only for Claude',
    });
    return wrapped(toolChoice);
  }
  // This is Anthropic's own field. The API refuses it together with its own tool choice, so it has to hold both settings.
  const [type = 'auto', rest = {}] = Object.entries(toolChoice ?? {})[0] ?? [];
  additional.tool_choice = { type, ...rest, disable_parallel_tool_use: true };
  return {};
}

function wrapped(toolChoice: Readonly<Record<string, object>> | undefined): { toolChoice?: Block } {
  return toolChoice === undefined ? {} : { toolChoice };
}

function choiceOf({ toolChoice: choice }: ExchangeRequest): Readonly<Record<string, object>> | undefined {
  if (choice === null || choice.mode === 'none') return undefined;
  if (choice.mode === 'tool') return { tool: { name: choice.name } };
  const isRequired = choice.mode === 'required' || (choice.mode === 'allowed' && choice.required);
  return isRequired ? { any: {} } : { auto: {} };
}

export function isToolForced(toolConfig: ToolConfig | undefined, { additional }: Encoding): boolean {
  const own = isRecord(additional.tool_choice) ? additional.tool_choice.type : undefined;
  const type = own ?? Object.keys(toolConfig?.toolChoice ?? {})[0];
  return type === 'any' || type === 'tool';
}
