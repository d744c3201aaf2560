import type { Loss } from '../../../domain/exchange/loss.ts';
import type { Edit } from '../../../formats/shared/json/json-patch.ts';
import { safeParse } from '../../../formats/shared/json/json-patch.ts';
import { type FoundMember, JsonPaths, removalOf } from '../../../formats/shared/json/json-paths.ts';
import { isRecord } from '../../../formats/shared/json/record.ts';
import { fields } from '../../../formats/text/anthropic-messages/fields.ts';
import { type BetaMember, KNOWN_FLAGS, type MessagesBetas } from '../../../providers/shared/messages-betas.ts';

/** The beta flags and edits of a request to a provider that rejects unknown betas. */
export interface SentBetas {
  /** The flags that the provider accepts, and that the remaining members need; each once. */
  readonly flags: readonly string[];
  /** Edits that remove the members of other flags. */
  readonly edits: readonly Edit[];
  readonly losses: readonly Loss[];
}

export interface BetaRequest {
  readonly body: Uint8Array;
  /** The known members of the body; the conversation may be absent. */
  readonly value: Readonly<Record<string, unknown>>;
  /** The list of the `anthropic-beta` header. */
  readonly header: string | undefined;
}

export interface BetaTarget {
  readonly betas: MessagesBetas;
  /** The id by which rules refer to the model. */
  readonly model: string;
  /** The provider's name, for losses. */
  readonly provider: string;
  /** Additional flags in the channel's settings. */
  readonly further: readonly string[];
}

/**
 * Adapts the flags of a request, and their members, to the provider. A member stays if one of its flags is known, and that flag is sent
 * even if the client did not send it: Anthropic itself needs no flag for generally available features. A flag that this gateway does not
 * know either is removed with all unknown members, since these may belong to it.
 */
export function sentBetas(request: BetaRequest, target: BetaTarget): SentBetas {
  const { betas, model, further, provider } = target;
  const known = betas.flags.filter(({ models }) => models === undefined || models.test(model));
  const names = new Set([...known.map(({ flag }) => flag), ...further]);
  const asked = listIn(request.header);
  const kept = new Set(asked.filter((flag) => names.has(flag)));
  const lost: FoundMember[] = [];
  const losses: Loss[] = [];
  for (const [rule, found] of membersIn(request.body, betas.members)) {
    const flag = rule.flags.find((one) => kept.has(one)) ?? rule.flags.find((one) => names.has(one));
    if (flag !== undefined) {
      kept.add(flag);
      continue;
    }
    if (rule.verdict === 'dropped') lost.push(...found);
    losses.push({
      field: found[0]?.path ?? '',
      verdict: rule.verdict,
      why: `${provider} does not accept it: ${rule.why}`,
    });
  }
  const replaced = new Set(known.flatMap(({ flag, replaces = [] }) => (kept.has(flag) ? replaces : [])));
  const dropped = asked.filter((flag) => !kept.has(flag) && !replaced.has(flag));
  const why = `${provider} does not have this flag`;
  losses.push(...dropped.map((flag): Loss => ({ field: `anthropic-beta: ${flag}`, verdict: 'dropped', why })));
  if (dropped.some((flag) => !KNOWN_FLAGS.has(flag))) {
    const found = new JsonPaths(unknownPaths(request.value)).find(request.body);
    lost.push(...found);
    const reason = `it may belong to a flag that ${provider} does not have`;
    const paths = new Set(found.map(({ path }) => path));
    losses.push(...[...paths].map((field): Loss => ({ field, verdict: 'dropped', why: reason })));
  }
  return { flags: [...kept], edits: removalOf(request.body, lost), losses };
}

/** Returns the comma-separated flags of a setting or a header. */
export function listIn(text: unknown): readonly string[] {
  if (typeof text !== 'string') return [];
  const flags = text.split(',').map((flag) => flag.trim());
  return [...new Set(flags.filter((flag) => flag !== ''))];
}

/** Cached per table. */
const pathsOf = new WeakMap<readonly BetaMember[], JsonPaths>();

function membersIn(body: Uint8Array, rules: readonly BetaMember[]): ReadonlyMap<BetaMember, readonly FoundMember[]> {
  let paths = pathsOf.get(rules);
  if (paths === undefined) {
    paths = new JsonPaths(new Set(rules.flatMap((rule) => rule.paths)));
    pathsOf.set(rules, paths);
  }
  const found = paths.find(body);
  const byRule = new Map<BetaMember, FoundMember[]>();
  if (found.length === 0) return byRule;
  for (const rule of rules) {
    const own = found.filter((one) => rule.paths.includes(one.path) && hasValue(body, one, rule));
    if (own.length > 0) byRule.set(rule, own);
  }
  return byRule;
}

function hasValue(body: Uint8Array, { member }: FoundMember, { values }: BetaMember): boolean {
  if (values === undefined) return true;
  const value = safeParse(body, member);
  return typeof value === 'string' && values.test(value);
}

/** Returns the members of the body and of its tools that the format does not know. Names that are not plain words are skipped. */
function unknownPaths({ tools, ...body }: Readonly<Record<string, unknown>>): readonly string[] {
  const ofTools = Array.isArray(tools)
    ? tools.flatMap((tool: unknown) => (isRecord(tool) ? Object.keys(tool) : []))
    : [];
  const isUnknown = (path: string) => !Object.hasOwn(fields, path);
  const isPlain = (name: string) => /^[\w-]+$/.test(name);
  return [
    ...Object.keys(body).filter((name) => isPlain(name) && isUnknown(name)),
    ...[...new Set(ofTools)]
      .filter((name) => isPlain(name) && isUnknown(`tools[].${name}`))
      .map((name) => `tools[].${name}`),
  ];
}
