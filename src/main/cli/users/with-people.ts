import { localOrigin } from '../../../engine/admin/audit/audit-trail.ts';
import type { Doer, PeoplePorts } from '../../../engine/admin/people/links.ts';
import type { Store } from '../../../engine/ports/store.ts';
import { DEFAULT_SIGN_IN } from '../../../engine/settings/settings.ts';
import { ConfigurationError } from '../../configuration/configuration-error.ts';
import { createMailers } from '../../create-mailers.ts';
import { type CommandLineDependencies, configurationFrom, withStore } from '../context.ts';
import type { Settings } from '../settings.ts';
import { systemUser } from '../system-user.ts';

/** Runs `use` on the people of the store; the audit log records changes under this user's name. */
export async function withPeople<Result>(
  dependencies: CommandLineDependencies,
  settings: Settings,
  use: (ports: PeoplePorts, by: Doer, store: Store) => Promise<Result>,
): Promise<Result> {
  const configuration = await readableConfiguration(dependencies, settings);
  const publicOrigin = configuration?.server.publicUrl ?? localAddress(settings);
  const by: Doer = {
    origin: localOrigin({ kind: 'command_line', name: systemUser() }),
    isOperator: true,
    publicOrigin,
  };
  return withStore(dependencies, settings, (store) => {
    const { people, directory } = store;
    const { clock } = dependencies;
    const { linkMailer: mailer } = createMailers(configuration, { people, clock });
    return use({ people, directory, clock, mailer, settings: configuration?.signIn ?? DEFAULT_SIGN_IN }, by, store);
  });
}

/** Loads the configuration; an invalid one, for instance because a variable is not set, must not block the command. */
async function readableConfiguration(dependencies: CommandLineDependencies, { configurationPath }: Settings) {
  try {
    return await configurationFrom(dependencies, configurationPath);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    dependencies.stderr.write('notice: the configuration cannot be read here, so links use the local address\n');
    return null;
  }
}

function localAddress({ host, port }: Settings): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
