import type { Clock } from '../../src/engine/ports/clock.ts';
import { accountWith, clientKey, keyNamed } from '../first-light/upstream.ts';
import { metricsOf } from '../shared/metrics.ts';
import type { Serving } from '../shared/serving.ts';
import { Workspace } from '../shared/workspace.ts';
import { type Answer, type Asked, ask, open } from './client.ts';

export const ACME = clientKey('acme');
export const BETA = clientKey('beta');

/** A gateway with two accounts, and its configuration file. */
export interface RoutingBed {
  readonly serving: Serving;
  /** Uses Acme's key by default. */
  readonly ask: (asked: Partial<Asked> & { readonly model: string }) => Promise<Answer>;
  /** Like `ask`, but the caller reads the body. */
  readonly open: (asked: Partial<Asked> & { readonly model: string }) => Promise<Response>;
  /** Returns the number of upstream attempts in flight. */
  readonly inFlight: () => Promise<number>;
  /** Runs `switchyard apply` with a changed file on the same data folder. */
  readonly apply: (configuration: object) => Promise<void>;
  readonly space: Workspace;
  readonly stop: () => Promise<void>;
}

export interface RoutingConfiguration {
  readonly channels: readonly object[];
  readonly models?: readonly object[];
  readonly routing?: object;
  /** Further fields of the account Beta. */
  readonly beta?: object;
}

/** Returns the complete file: the given configuration with the two accounts. */
export function fileOf({ beta = {}, ...given }: RoutingConfiguration): object {
  const unlimited = { requests_per_minute: 1_000_000_000 };
  return {
    ...given,
    accounts: [
      accountWith('acme', [keyNamed('acme')], unlimited),
      accountWith('beta', [keyNamed('beta')], { ...unlimited, ...beta }),
    ],
  };
}

/** The gateway's clock; the system's by default. */
export async function startRoutingBed(configuration: RoutingConfiguration, clock?: Clock): Promise<RoutingBed> {
  const space = await Workspace.create();
  try {
    const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', fileOf(configuration));
    const serving = await space.serve({ env: { SWITCHYARD_CONFIG }, ...(clock === undefined ? {} : { clock }) });
    return {
      space,
      serving,
      ask: (asked) => ask({ origin: serving.origin, key: ACME, ...asked }),
      open: (asked) => open({ origin: serving.origin, key: ACME, ...asked }),
      inFlight: async () => {
        const samples = await metricsOf(serving);
        const levels = samples.filter(({ name }) => name === 'switchyard_channel_in_flight');
        return levels.reduce((sum, { value }) => sum + value, 0);
      },
      apply: async (changed) => {
        const file = await space.write('changed.yaml', changed);
        const { exitCode, stderr } = await space.run(['apply', file]);
        if (exitCode !== 0) throw new Error(`apply ended with exit code ${exitCode}: ${stderr}`);
      },
      stop: () => space.remove(),
    };
  } catch (error) {
    await space.remove();
    throw error;
  }
}
