import { type ComparableCost, comparableCost } from '../../domain/catalog/comparable-cost.ts';
import type { Model } from '../../domain/catalog/model.ts';
import type { ModelOperation } from '../../domain/catalog/model-operation.ts';
import type { PriceSheet } from '../../domain/money/price-sheet.ts';
import type { SmoothRotation } from '../../domain/routing/smooth-rotation.ts';
import { clientFormats, operationWires } from '../../formats/index.ts';
import { entryOf } from '../../formats/shared/json/record.ts';
import type { ChannelInUse } from './channel-in-use.ts';
import { makeTarget, type Target, type TextTarget, targetFor } from './target.ts';

/** A model that a group of channels offers under one public id. */
export interface Offer {
  readonly model: Model;
  /** The number of channels that name the model, even if no format can ask them for it. */
  readonly channelCount: number;
  /** Whether a client's format has a route to the model. */
  readonly servesTexts: boolean;
  /** Whether an operator has declared it public even without a channel. */
  readonly isPublicAlone: boolean;
}

/** The targets of a public model, over the shared channels or over those of one owner. */
export interface Routes extends Offer {
  readonly byFormat: ReadonlyMap<string, readonly TextTarget[]>;
  /** The targets of non-text operations. */
  readonly byOperation: ReadonlyMap<ModelOperation, readonly Target[]>;
  /** Upstream costs by channel, used only to compare channels. */
  readonly costs: ReadonlyMap<string, ComparableCost>;
  /** `null` if no price is known. */
  readonly prices: PriceSheet | null;
  readonly rotation: SmoothRotation;
}

/** Collects the targets of a model, by client format for texts and by operation for the rest. */
export class RouteTargets {
  readonly byFormat = new Map<string, TextTarget[]>();
  readonly byOperation = new Map<ModelOperation, Target[]>();
  readonly costs: Map<string, ComparableCost>;

  /** @param costs the costs of other channels to compare with */
  constructor(
    private readonly model: Model,
    costs: ReadonlyMap<string, ComparableCost> = new Map(),
  ) {
    this.costs = new Map(costs);
  }

  /** Adds the targets over one more channel. */
  add(inUse: ChannelInUse, upstreamModel: string): void {
    const texts = inUse.textTargets(this.model, upstreamModel);
    for (const name of clientFormats.keys()) {
      const chosen = targetFor(name, texts);
      if (chosen === null) continue;
      const known = this.byFormat.get(name);
      if (known) known.push(chosen);
      else this.byFormat.set(name, [chosen]);
    }
    const others = this.addOthers(inUse, upstreamModel);
    const cost = comparableCost(entryOf(inUse.channel.costs, this.model.id));
    if (cost !== null && (texts.length > 0 || others > 0)) this.costs.set(inUse.channel.id, cost);
  }

  /** Adds the targets of the model's non-text operations, and returns their number. */
  private addOthers(inUse: ChannelInUse, upstreamModel: string): number {
    const { channel, parts } = inUse;
    const { model, byOperation } = this;
    const ruleModel = inUse.ruleModel(model.id, upstreamModel);
    let added = 0;
    for (const provided of parts.manifest.wires ?? []) {
      const wire = operationWires.get(provided.wire);
      if (wire === undefined || (provided.models && !provided.models.test(ruleModel))) continue;
      const isServed = (operation: ModelOperation) =>
        model.operations.includes(operation) &&
        byOperation.get(operation)?.some((one) => one.channel === channel) !== true;
      const served = wire.operations.filter(isServed);
      const named = { publicId: model.id, upstreamModel, ruleModel, pricing: model.pricing };
      const target = served.length > 0 ? makeTarget(parts, provided, wire, named) : null;
      if (target === null) continue;
      added += 1;
      for (const operation of served) byOperation.set(operation, [...(byOperation.get(operation) ?? []), target]);
    }
    return added;
  }
}

/** Routes take about 12 KB each. */
const MOST_ROUTES = 4_000;

/**
 * The least recently used cache of routes over PRIVATE channels. The routes of all accounts would be too many to keep: each account may
 * have thousands of models, and uses few of them.
 */
export class RecentRoutes {
  private readonly routes = new Map<string, Routes>();

  constructor(private readonly most = MOST_ROUTES) {}

  get size(): number {
    return this.routes.size;
  }

  get(key: string, make: () => Routes): Routes {
    let found = this.routes.get(key);
    if (found === undefined) found = make();
    else this.routes.delete(key);
    this.routes.set(key, found);
    if (this.routes.size > this.most) {
      const [oldest = key] = this.routes.keys();
      this.routes.delete(oldest);
    }
    return found;
  }
}
