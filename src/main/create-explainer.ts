import type { AccountBilling } from '../engine/billing/account-billing.ts';
import type { ModelChoicePorts } from '../engine/call/model-choice.ts';
import type { ChannelLimiters } from '../engine/channel-limits/channel-limiters.ts';
import type { Directory } from '../engine/directory/directory.ts';
import { DRY_MEDIA, DRY_UPSTREAM } from '../engine/explanation/dry-ports.ts';
import { EndpointExplainer } from '../engine/explanation/endpoint-explainer.ts';
import { RoutingExplainer } from '../engine/explanation/routing-explainer.ts';
import { createOperations } from '../engine/operations/index.ts';
import type { TextServices } from '../engine/operations/text/text-services.ts';
import type { Tasks } from '../engine/tasks/tasks.ts';
import type { GatewayOptions } from './gateway-options.ts';
import { newRequestId } from './system.ts';

export interface ExplainerParts {
  readonly directory: () => Directory;
  readonly texts: TextServices;
  readonly tasks: Tasks;
  readonly billing: AccountBilling;
  readonly channelLimits: ChannelLimiters;
  /** The same as for real calls. */
  readonly choice: ModelChoicePorts;
}

/** Creates the dry run of requests, over services that send and fetch nothing. */
export function createExplainer(
  { clock, endUsers, routing }: Pick<GatewayOptions, 'clock' | 'endUsers' | 'routing'>,
  { directory, texts, tasks, billing, channelLimits, choice }: ExplainerParts,
): EndpointExplainer {
  const ports = { ...choice, clock, endUsers, routing, directory, billing, channelLimits, newRequestId };
  const explainer = new RoutingExplainer(ports);
  const dry = texts.over({ upstream: DRY_UPSTREAM, media: DRY_MEDIA });
  return new EndpointExplainer(explainer, createOperations(dry, tasks));
}
