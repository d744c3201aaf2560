import { ProcessWorkspace, type ServingProcess } from '../../acceptance/shared/process-workspace.ts';
import { accountWith, clientKey, keyNamed } from '../first-light/upstream.ts';
import { type Answer, type Asked, ask } from './client.ts';

export const ACME = clientKey('acme');
export const BETA = clientKey('beta');

/** A gateway with two accounts, and the file that it was configured by. */
export interface RoutingBed {
  readonly serving: ServingProcess;
  /** The key is Acme's unless another is given. */
  readonly ask: (asked: Partial<Asked> & { readonly model: string }) => Promise<Answer>;
  /** `switchyard apply` with a changed file, in a process of its own on the same data folder. */
  readonly apply: (configuration: object) => Promise<void>;
  readonly space: ProcessWorkspace;
  readonly stop: () => Promise<void>;
}

export interface RoutingConfiguration {
  readonly channels: readonly object[];
  readonly models?: readonly object[];
  readonly routing?: object;
  /** Further fields of the account Beta. */
  readonly beta?: object;
}

/** The whole file: what a test gives, and the two accounts. */
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

export async function startRoutingBed(configuration: RoutingConfiguration): Promise<RoutingBed> {
  const space = await ProcessWorkspace.create();
  try {
    const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', fileOf(configuration));
    const serving = await space.serve({ env: { SWITCHYARD_CONFIG } });
    return {
      space,
      serving,
      ask: (asked) => ask({ origin: serving.origin, key: ACME, ...asked }),
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
