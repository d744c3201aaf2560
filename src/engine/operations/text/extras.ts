import { allowsModel } from '../../../domain/access/allow-list.ts';
import type { Principal } from '../../../domain/access/principal.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { PriceSheet } from '../../../domain/money/price-sheet.ts';
import { ONE_FACTOR } from '../../../domain/money/surcharge.ts';
import { ruleModelOf } from '../../../formats/wire.ts';
import type { GovernedEffect } from '../../../providers/shared/governed-member.ts';
import type { Directory, Ways } from '../../directory/directory.ts';
import { factorFor, type GovernedFinding, type Misnamed, MOST_FINDINGS } from '../../directory/governed.ts';
import type { TextTarget } from '../../directory/target.ts';
import type { Drawing, Extras } from '../../ports/billing.ts';
import { clientPath } from './client-path.ts';
import { withImageTool } from './image-tool.ts';
import type { WrittenRequest } from './written-request.ts';

/** The assumed number of calls of a provider's own tool, if the request does not limit it. */
const ASSUMED_TOOL_CALLS = 10;
const MOST_TOOL_CALLS = 1_000;

const HINT = 'Leave it out, or use a PRIVATE channel of your own, whose provider bills you directly.';

export interface ExtrasInput {
  readonly principal: Principal;
  readonly directory: Directory;
  readonly ways: Pick<Ways<TextTarget>, 'prices' | 'model'>;
  /** The name of the client's format. */
  readonly clientFormat: string;
  /** The client's own body. A refusal names fields as this body does. */
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * Returns what a target would bill on top of the tokens at the model's prices, from the body that is about to be sent to it. `null` for
 * nothing, which is nearly always the case. A member that this account may not send over a shared channel gives a failure; the next target
 * may accept it.
 */
export function extrasOf(
  target: TextTarget,
  { value, headers, names }: Pick<WrittenRequest, 'value' | 'headers' | 'names'>,
  input: ExtrasInput,
): Extras | null | Failure {
  if (target.governed === null) return null;
  const misnamed = target.governed.misnamed(value, names);
  if (misnamed !== null) return ambiguous(misnamed);
  const found = target.governed.find(value, headers, ruleModelOf(target));
  if (found.length === 0) return null;
  if (found.length > MOST_FINDINGS) return tooMany(found.at(-1)?.path ?? '');
  const judge = new Judge(target, input, value);
  const imageTools = new Set(found.filter(({ rule }) => rule.effect.kind === 'image-tool').map(({ beside }) => beside));
  for (const finding of found) {
    const [top = ''] = finding.path.split(/[.[]/);
    if (isTakenOut(target, top)) continue;
    // An image tool's model is judged with the tool: it draws, and does not answer.
    if (finding.rule.effect.kind === 'names-model' && imageTools.has(finding.beside)) continue;
    const refusal = judge.take(finding);
    if (refusal !== null) return refusal;
  }
  return judge.extras;
}

function tooMany(param: string): Failure {
  return new Failure('unsupported_parameter', {
    message: `\`${param}\` cannot be sent over a shared channel: the request has more than ${MOST_FINDINGS} fields that cost extra or choose a model.`,
    param,
    kind: 'loss_refused',
    hint: HINT,
  });
}

/**
 * Returns the failure for a member that cannot be checked: which of two members counts, or whether it counts at all, depends on the
 * upstream.
 */
function ambiguous({ path: param, own }: Misnamed): Failure {
  const because =
    own === null
      ? 'it appears twice in its object, and servers disagree about which one counts. Send it once'
      : `it is another spelling of \`${own}\`, and some providers would read it as that. Write it \`${own}\`, or leave it out`;
  return new Failure('unsupported_parameter', {
    message: `\`${param}\` cannot be sent over a shared channel: ${because}.`,
    param,
    kind: 'loss_refused',
    ...(own === null ? {} : { didYouMean: own }),
  });
}

/** Returns whether the gateway removes the member from the body before it is sent. */
function isTakenOut({ relayMembers, body }: TextTarget, name: string): boolean {
  const isOfRelay = relayMembers?.omits.includes(name) === true || relayMembers?.lacks.has(name) === true;
  return isOfRelay || body?.remove.includes(name) === true;
}

/** The effects by which another model may answer or draw. */
const OTHER_MODELS: ReadonlySet<GovernedEffect['kind']> = new Set(['names-model', 'chooses-model', 'image-tool']);

/** Returns how many calls a request allows; `null` if it states no number. */
function statedCalls(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? Math.min(value, MOST_TOOL_CALLS) : null;
}

class Judge {
  private tokenFactor = ONE_FACTOR;
  private askedTierFactor = ONE_FACTOR;
  private webSearchUsd: string | null = null;
  private leastWebSearches = 0;
  private toolCalls = 0;
  private readonly others = new Set<PriceSheet>();
  private drawing: Drawing | null = null;
  private isUnknown = false;
  private isExtra = false;
  /** Whether the account or key is prepaid or limited, so that nothing with an unknown price may be sent. */
  private readonly isLimited: boolean;

  constructor(
    private readonly target: TextTarget,
    private readonly input: ExtrasInput,
    private readonly body: Readonly<Record<string, unknown>>,
  ) {
    const { account, credential } = input.principal;
    this.isLimited = account.billing === 'prepaid' || credential.limitNanoUsd !== null;
  }

  get extras(): Extras | null {
    if (!this.isExtra) return null;
    const { tokenFactor, askedTierFactor, webSearchUsd, leastWebSearches, drawing, isUnknown } = this;
    const toolCalls = Math.min(this.toolCalls, MOST_TOOL_CALLS);
    const surcharge = { tokenFactor, webSearchUsd, leastWebSearches, toolCalls, drawnAt: null };
    return { ...surcharge, askedTierFactor, others: [...this.others], drawing, isUnknown };
  }

  /** Checks one finding. Returns why it may not be sent, or `null`. */
  take(finding: GovernedFinding): Failure | null {
    const { effect } = finding.rule;
    switch (effect.kind) {
      case 'names-model':
        return this.namesModel(finding);
      case 'chooses-model':
        return this.input.principal.credential.models === null ? this.unpriced(finding) : this.notAllowed(finding);
      case 'token-price':
        return this.tokenPrice(finding, effect);
      case 'web-search':
        return this.webSearch(finding, effect);
      case 'image-tool':
        return this.imageTool(finding, effect);
      case 'hosted-tool':
        this.calls(ASSUMED_TOOL_CALLS);
        return null;
      case 'unpriced':
        return this.unpriced(finding);
      case 'owners-own':
        return this.refusal(finding, 'it belongs to the owner of the channel');
    }
  }

  /** Requires that the key may use, and this channel serves, every model that may answer. */
  private namesModel(finding: GovernedFinding): Failure | null {
    if (typeof finding.value !== 'string') return this.refusal(finding, 'it is not a string');
    const { principal, directory, clientFormat } = this.input;
    const named = finding.value.replace(/^models\//, '');
    const { upstreamModel, channel } = this.target;
    if (named === upstreamModel) return null;
    const publicIds = Object.keys(channel.models).filter((id) => channel.models[id] === named);
    const routes = publicIds
      .filter((id) => allowsModel(principal.credential.models, id))
      .flatMap((id) => directory.routesTo(id, principal.account.id, clientFormat) ?? []);
    if (routes.length === 0) {
      const isOpen = publicIds.length === 0 && principal.credential.models === null;
      return isOpen ? this.unpriced(finding) : this.notAllowed(finding);
    }
    this.isExtra = true;
    const priced = routes.map((one) => one.prices).filter((one) => one !== null);
    if (priced.length === 0) return this.unpriced(finding);
    for (const prices of priced) this.others.add(prices);
    return null;
  }

  private tokenPrice(finding: GovernedFinding, effect: Extract<GovernedEffect, { kind: 'token-price' }>) {
    const factor = factorFor(effect, finding.value);
    if (factor === null) return this.unpriced(finding);
    if (factor === ONE_FACTOR) return null;
    this.isExtra = true;
    this.tokenFactor = (this.tokenFactor * factor) / ONE_FACTOR;
    if (effect.isTier === true) this.askedTierFactor = (this.askedTierFactor * factor) / ONE_FACTOR;
    return null;
  }

  private webSearch(finding: GovernedFinding, effect: Extract<GovernedEffect, { kind: 'web-search' }>) {
    const { prices } = this.input.ways;
    const { usd = null, bound, isUncounted } = effect;
    if (prices?.pricesWebSearch !== true && prices?.isFree !== true && usd === null) return this.unpriced(finding);
    if (prices?.isFree !== true) this.webSearchUsd = usd;
    if (isUncounted === true) this.leastWebSearches++;
    const stated = bound === undefined ? null : finding.beside[bound];
    this.calls(isUncounted === true ? 1 : (statedCalls(stated) ?? ASSUMED_TOOL_CALLS));
    return null;
  }

  /** Requires that the key may use the models that may draw, and that they have prices. This channel need not serve them otherwise. */
  private imageTool(finding: GovernedFinding, effect: Extract<GovernedEffect, { kind: 'image-tool' }>) {
    const { prices } = this.input.ways;
    const named = finding.beside[effect.model] ?? null;
    if (named !== null && typeof named !== 'string') return this.refusal(finding, 'its `model` is not a string');
    const sheets: PriceSheet[] = [];
    for (const model of named === null ? effect.models : [named]) {
      const found = this.imageModel(model, named !== null);
      if (found === 'not-allowed') return this.imageModelNotAllowed(finding, model, named !== null);
      sheets.push(...found);
    }
    if (prices === null || sheets.length === 0) return this.unpriced(finding);
    const calls = statedCalls(this.body[effect.limit]);
    if (this.drawing === null) this.calls(calls ?? ASSUMED_TOOL_CALLS);
    this.drawing = withImageTool(this.drawing, { tool: finding.beside, sheets, calls });
    return null;
  }

  /** Returns the prices of an image model for each public id; empty if none is known. A hidden model cannot be named. */
  private imageModel(named: string, isNamed: boolean): readonly PriceSheet[] | 'not-allowed' {
    const { principal, directory, clientFormat } = this.input;
    const { channel } = this.target;
    const mapped = Object.keys(channel.models).filter((id) => channel.models[id] === named);
    const ids = mapped.length > 0 ? mapped : [named];
    const allowed = ids.filter((id) => allowsModel(principal.credential.models, id));
    const routes = allowed.flatMap((id) => directory.routesTo(id, principal.account.id, clientFormat) ?? []);
    const isHidden = routes.length === 0 && isNamed && allowed.some((id) => directory.hides(id));
    if (allowed.length === 0 || isHidden) return 'not-allowed';
    if (routes.length > 0) return routes.flatMap(({ prices }) => prices ?? []);
    return allowed.flatMap((id) => directory.statedPrices(id, channel.provider, named) ?? []);
  }

  private imageModelNotAllowed({ path }: GovernedFinding, model: string, isNamed: boolean): Failure {
    const param = clientPath(this.input.body, path);
    const draws = isNamed ? 'names the image model' : 'names no image model and may use';
    return new Failure('model_not_allowed', {
      message: `The tool of \`${param}\` ${draws} \`${model.slice(0, 200)}\`, which this API key may not use.`,
      param,
      kind: 'loss_refused',
      retry: 'other-target',
      hint: "Set the tool's `model` to an image model that this API key may use.",
    });
  }

  private calls(most: number): void {
    this.isExtra = true;
    this.toolCalls += most;
  }

  /**
   * Allows a member without a price if money is not limited (`isLimited`), as with a model without a price; the cost is recorded as
   * unknown. A free model's own tools and tiers are free, but other models are not.
   */
  private unpriced(finding: GovernedFinding): Failure | null {
    const isOtherModel = OTHER_MODELS.has(finding.rule.effect.kind);
    if (this.input.ways.prices?.isFree === true && !isOtherModel) return null;
    if (this.isLimited) return this.refusal(finding, 'the gateway has no price for it');
    this.isExtra = true;
    this.isUnknown = true;
    return null;
  }

  private refusal({ path, rule }: GovernedFinding, because: string): Failure {
    const param = clientPath(this.input.body, path);
    return new Failure('unsupported_parameter', {
      message: `\`${param}\` cannot be sent over a shared channel: ${because}. ${rule.why}`,
      param,
      kind: 'loss_refused',
      hint: HINT,
    });
  }

  private notAllowed({ path, value }: GovernedFinding): Failure {
    const param = clientPath(this.input.body, path);
    const named = typeof value === 'string' ? `the model \`${value.slice(0, 200)}\`` : 'a model';
    return new Failure('model_not_allowed', {
      message: `\`${param}\` may involve ${named}, which this API key may not use or this channel does not serve.`,
      param,
      kind: 'loss_refused',
      retry: 'other-target',
      hint: "Name only models from the key's allow-list that the channel serves, by the provider's model ids, or leave it out.",
    });
  }
}
