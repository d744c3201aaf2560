import type { Principal } from '../../domain/access/principal.ts';
import { chooseModel, type RuleModels } from '../../domain/routing/choose-model.ts';
import type { ModelRule, RuleEffort, RuleFacts, ShareKey } from '../../domain/routing/model-rule.ts';
import type { Directory } from '../directory/directory.ts';
import type { VirtualModels } from '../directory/virtual-models.ts';
import { type ChoosingCall, type ChosenModel, type ModelChooser, mayName, type NamedModel } from './model-choice.ts';
import type { RequestFacts } from './request-facts.ts';

const LONGEST_REASON = 200;

/** Gives requests for virtual models to the models that their rules lead to (docs/virtual-models.md). */
export class RuleChooser implements ModelChooser {
  isIdle({ virtualModels }: Directory): boolean {
    return virtualModels === null;
  }

  choose(asking: NamedModel, call: ChoosingCall): ChosenModel | null | Promise<ChosenModel | null> {
    const { virtualModels: virtual } = call.directory;
    const { modelId } = asking;
    if (virtual === null || modelId === null || virtual.rulesOf(modelId) === null) return null;
    if (!mayName(modelId, call)) return null;
    const request = asking.facts?.() ?? null;
    if (request === null) return null;
    const loading = comparesPast(modelId, virtual) ? (request.withPast?.() ?? null) : null;
    return loading === null ? chosen(modelId, request, call) : loading.then(() => chosen(modelId, request, call));
  }
}

function chosen(modelId: string, request: RequestFacts, call: ChoosingCall): ChosenModel | null {
  const steps = chooseModel(modelId, new CallFacts(request, call), ruleModels(call.directory, call.principal));
  const last = steps.at(-1);
  if (last === undefined) return null;
  const reason = steps.map(({ why }) => why).join('; then ');
  return {
    modelId: last.to,
    reason: reason.length > LONGEST_REASON ? `${reason.slice(0, LONGEST_REASON - 1)}…` : reason,
  };
}

/** Returns the models that rules may lead to for an account. */
export function ruleModels(directory: Directory, { account }: Pick<Principal, 'account'>): RuleModels {
  return {
    rulesOf: (modelId) => directory.virtualModels?.rulesOf(modelId) ?? null,
    isAvailable: (modelId) => directory.isServed(modelId, account.id),
  };
}

/** Returns whether a rule that the request may reach compares what earlier turns contain. */
function comparesPast(modelId: string, virtual: VirtualModels): boolean {
  return virtual.chainOf(modelId).some((id) => virtual.rulesOf(id)?.some(readsPast) === true);
}

function readsPast({ when }: ModelRule): boolean {
  if (when === null) return false;
  const { inputTokens, images, audio, files, share } = when;
  return [inputTokens, images, audio, files].some((one) => one !== undefined) || share?.by === 'session';
}

/** The facts of a call that conditions compare. */
export class CallFacts implements RuleFacts {
  constructor(
    private readonly request: RequestFacts,
    private readonly call: Pick<ChoosingCall, 'principal' | 'format'> & {
      readonly outcome: { readonly atMs: number; readonly tags: { readonly given: readonly string[] } };
    },
  ) {}

  get atMs(): number {
    return this.call.outcome.atMs;
  }

  get accountId(): string {
    return this.call.principal.account.id;
  }

  get role() {
    return this.call.principal.account.role;
  }

  get keyId(): string {
    return this.call.principal.credential.id;
  }

  get format(): string {
    return this.call.format;
  }

  get stream(): boolean {
    return this.request.stream;
  }

  get tags(): readonly string[] {
    return this.call.outcome.tags.given;
  }

  inputTokens(): number | null {
    return this.request.inputTokens();
  }

  tools(): number | null {
    return this.request.tools();
  }

  images(): number | null {
    return this.request.images();
  }

  audio(): number | null {
    return this.request.audio();
  }

  files(): number | null {
    return this.request.files();
  }

  reasoningEffort(): RuleEffort | null {
    return this.request.reasoningEffort();
  }

  /** A request without a session counts as its user, and one without a user as its key. All identities are those of one account. */
  identity(by: ShareKey): string {
    const { accountId, keyId, request } = this;
    if (by === 'account') return accountId;
    const session = by === 'session' ? request.session() : null;
    if (session !== null) return JSON.stringify([accountId, 'session', session]);
    const user = by === 'key' ? null : request.user();
    return JSON.stringify(user === null ? [accountId, 'key', keyId] : [accountId, 'user', user]);
  }
}
