import type { Losses } from '../../../domain/exchange/loss.ts';
import { markPath } from '../../../domain/exchange/part.ts';
import type { ExchangeRequest, FunctionTool } from '../../../domain/exchange/request.ts';
import type { Encoding } from './encoding.ts';

type Block = Readonly<Record<string, unknown>>;

export function encodeTools(encoding: Encoding): Record<string, unknown> {
  const { losses } = encoding;
  const tools = declaredTools(encoding);
  if (tools.length === 0) return {};
  const isStrict = encodeStrict(tools, losses);
  return {
    tools: tools.map((tool) => encodeTool(tool, losses)),
    tool_choice: toolChoiceOf(encoding.request),
    strict_tools: isStrict ? true : undefined,
  };
}

/** Returns the function tools that may be called. Any other declared tool is noted as lost. */
function declaredTools({ request, losses }: Encoding): FunctionTool[] {
  const choice = request.toolChoice;
  let allowed: ReadonlySet<string> | null = null;
  if (choice?.mode === 'tool') allowed = new Set([choice.name]);
  if (choice?.mode === 'allowed') allowed = new Set(choice.names);
  const functions: FunctionTool[] = [];
  for (const tool of request.tools) {
    if (tool.type === 'custom') losses.carry('custom-tools', tool.path);
    else if (tool.type === 'web-search') losses.carry('web-search', tool.path);
    else if (tool.type === 'hosted') losses.carry('hosted-tools', tool.path);
    else if (allowed !== null && !allowed.has(tool.name)) {
      const why = 'only the tools that may be called are declared';
      losses.note({ field: pathOfTool(tool), verdict: 'approximated', why });
    } else if (losses.carry('function-tools', tool.path)) functions.push(tool);
  }
  return functions;
}

function encodeTool(tool: FunctionTool, losses: Losses): Block {
  if (tool.rest !== undefined) losses.noteRest(tool.rest);
  if (tool.cache !== undefined) losses.carry('cache-marks', markPath(tool));
  const { name, description } = tool;
  const parameters = tool.parameters ?? { type: 'object', properties: {} };
  return { type: 'function', function: { name, ...(description === null ? {} : { description }), parameters } };
}

/**
 * Returns whether to use strict mode, which applies to all tools or to none, and requires each tool to have a required parameter
 * (Cohere, "Structured outputs (tools)").
 */
function encodeStrict(tools: readonly FunctionTool[], losses: Losses): boolean {
  const strict = tools.filter((tool) => tool.strict === true);
  if (strict.length === 0) return false;
  const isPossible = tools.every((tool) => tool.strict === true && requiresSomething(tool));
  const why = 'Cohere’s strict mode covers all tools or none, and requires a parameter in each';
  for (const tool of strict) {
    const field = `${pathOfTool(tool)}.strict`;
    if (isPossible) return losses.carry('strict-tools', field);
    losses.note({ field, verdict: 'dropped', why });
  }
  return false;
}

function requiresSomething({ parameters }: FunctionTool): boolean {
  return Array.isArray(parameters?.required) && parameters.required.length > 0;
}

/** Returns the tool choice; in Cohere's API a missing one lets the model choose. */
function toolChoiceOf({ toolChoice: choice }: ExchangeRequest): string | undefined {
  switch (choice?.mode) {
    case 'none':
      return 'NONE';
    case 'required':
    case 'tool':
      return 'REQUIRED';
    case 'allowed':
      return choice.required ? 'REQUIRED' : undefined;
    default:
      return undefined;
  }
}

function pathOfTool(tool: FunctionTool): string {
  return tool.path ?? 'tools';
}
