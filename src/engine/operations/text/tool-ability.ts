import type { Capabilities } from '../../../domain/catalog/capabilities.ts';
import type { Model } from '../../../domain/catalog/model.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { isRecord } from '../../../formats/shared/json/record.ts';

type Body = Readonly<Record<string, unknown>>;

/** Returns the failure (400) for a request with tools to a model whose operator-stated features lack `tools`; else `null`. */
export function toolsBeyondStated({ id, statedFeatures }: Model, body: Body): Failure | null {
  if (statedFeatures === undefined || statedFeatures.includes('tools')) return null;
  const param = toolsMember(body);
  if (param === null) return null;
  return new Failure('unsupported_parameter', {
    message: `The model \`${id}\` does not support tools: its \`capabilities.features\` do not list \`tools\`.`,
    param,
    retry: 'never',
    hint: `Leave \`${param}\` out, or use a model with tools: GET /v1/models?category=chat lists what each can do.`,
  });
}

/** Returns the same targets; if the request has tools, those whose catalog entry lacks tools come last. */
export function withToolsFirst<T extends { readonly capabilities?: Capabilities }>(
  targets: readonly T[],
  body: Body,
): readonly T[] {
  if (targets.length < 2 || targets.every(mayHaveTools) || toolsMember(body) === null) return targets;
  return [...targets.filter(mayHaveTools), ...targets.filter((target) => !mayHaveTools(target))];
}

/** Nothing is known about a model without features. */
function mayHaveTools({ capabilities }: { readonly capabilities?: Capabilities }): boolean {
  const { features = [] } = capabilities ?? {};
  return features.length === 0 || features.includes('tools');
}

/** Returns the member with tools whose calls the client answers itself, in any client format; `null` for none. */
function toolsMember({ tools, functions }: Body): 'tools' | 'functions' | null {
  if (Array.isArray(tools) && tools.some(isClientsTool)) return 'tools';
  return Array.isArray(functions) && functions.length > 0 ? 'functions' : null;
}

/** Excludes tools that a provider runs itself (a web search): they have other types, and do not depend on the model alone. */
function isClientsTool(tool: unknown): boolean {
  if (!isRecord(tool)) return false;
  if (Array.isArray(tool.functionDeclarations)) return tool.functionDeclarations.length > 0;
  const { type = 'custom' } = tool;
  return (type === 'function' || type === 'custom') && (typeof tool.name === 'string' || isRecord(tool.function));
}
